import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { identify, isRunning, type ProcessIdentity } from "../../base/process.ts";
import { findByStableId } from "../../surface/find-element.ts";
import type { Surface } from "../../surface/surface.ts";
import type { Session } from "../session.ts";

/** A program started by `debug_launch`, and the elements its caller has been shown. */
export interface DebugSession {
  readonly process: ProcessIdentity;
  /** By stable id, as last seen. */
  readonly seen: Map<string, UiNode>;
}

const sessions = new WeakMap<Session, Map<string, DebugSession>>();

export function addSession(owner: Session, id: string, pid: number): void {
  const own = sessions.get(owner) ?? new Map<string, DebugSession>();
  sessions.set(owner, own.set(id, { process: identify(pid), seen: new Map() }));
}

export function needSession(owner: Session, id: string): DebugSession {
  const session = sessions.get(owner)?.get(id);
  if (session) return session;
  throw new ToolError("not_found", `There is no session "${id}".`, { hint: "debug_launch starts one." });
}

/** Waits up to `graceMs` for a process to end after its connection broke, which happens a moment before the end. */
export async function hasEnded(
  surface: Surface,
  { process }: DebugSession,
  { graceMs = 0, signal }: { readonly graceMs?: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const look = async () => ((await isAlive(surface, process, signal)) ? undefined : true);
  return (await poll(look, { timeoutMs: graceMs, everyMs: 20, signal })) ?? false;
}

async function isAlive(surface: Surface, process: ProcessIdentity, signal: AbortSignal): Promise<boolean> {
  if (isRunning(process)) return true;
  if (process.started !== undefined) return false;
  // If the system reveals nothing about the process, one of its windows is proof enough.
  return (await surface.need("windows").list({ signal })).some(({ pid }) => pid === process.pid);
}

/**
 * The element that the caller was shown under this id, if it is unchanged; otherwise whichever element has the id
 * now. The first finds an element that moved in the tree or that our own action renamed; the second finds one that
 * was recreated.
 */
export async function findNode(
  surface: Surface,
  { process, seen }: DebugSession,
  id: string,
  signal: AbortSignal,
): Promise<UiNode | undefined> {
  const known = seen.get(id);
  const [now] = known ? await surface.need("elements").read([known.runtimeId], { signal }) : [];
  if (known && now?.role === known.role && now.name === known.name) return now;
  try {
    return await findByStableId(surface, id, { window: { pid: process.pid } }, signal);
  } catch (error) {
    if (error instanceof ToolError && error.code === "not_found") return undefined;
    throw error;
  }
}
