import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { readTree } from "../../surface/find-element.ts";
import type { SnapshotNode, Snapshots } from "../../surface/snapshot.ts";
import type { Surface } from "../../surface/surface.ts";
import { act, toAction } from "../elements/act.ts";
import { explainError, isForeseen } from "./error.ts";
import { addSession, findNode, hasEnded, needSession, type DebugSession } from "./debug-session.ts";
import { rect } from "../schema.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { waitFor } from "../desktop/wait.ts";

const sessionId = z.string().max(100).describe("From debug_launch");
const uiNode = z.object({
  id: z.string(),
  role: z.string(),
  title: z.string(),
  value: z.union([z.string(), z.number()]).nullable(),
  enabled: z.boolean(),
  focused: z.boolean(),
  bounds: rect.nullable(),
});
type DebugNode = z.input<typeof uiNode>;

const toDebugNode = (id: string, { role, name, value, states, bounds }: UiNode): DebugNode => ({
  id,
  role,
  title: name,
  value: value ?? null,
  enabled: states.includes("enabled"),
  focused: states.includes("focused"),
  bounds: bounds ?? null,
});

export const debugLaunch = defineTool({
  name: "debug_launch",
  title: "Launch (debug)",
  summary: "Start a program of its own and wait for its window. Use the sessionId in debug_ui and debug_ui_action.",
  set: "compat-debug",
  access: "manage",
  needs: ["apps", "windows"],
  input: z.strictObject({
    command: z.string().min(1).max(4_000).describe("Name, command or path"),
    args: z.array(z.string().max(4_000)).max(100).default([]),
    timeoutMs: z.int().min(0).max(60_000).default(10_000).describe("How long to wait for its window"),
  }),
  output: z.object({ sessionId: z.string(), pid: z.number() }),
  positional: ["command", "args"],
  launches: ({ command, args }) => ({ program: command, args }),
  async run({ command, args, timeoutMs }, context) {
    const surface = await context.surface();
    const { pid } = await surface.need("apps").launch(command, args, { signal: context.signal });
    try {
      await waitFor.run(waitFor.input.parse({ pid, timeout_ms: timeoutMs }), context);
    } catch (error) {
      // A program without a window can be launched, too.
      if (!isForeseen(error, context.signal) || error.code !== "timeout") throw error;
    }
    const id = randomUUID();
    addSession(context.session, id, pid);
    return { data: { sessionId: id, pid } };
  },
});

export const debugUi = defineTool({
  name: "debug_ui",
  title: "Elements (debug)",
  summary:
    "The element tree of the launched program. The ids stay the same between calls; use them in debug_ui_action.",
  set: "compat-debug",
  access: "observe",
  needs: ["elements", "windows"],
  input: z.strictObject({ sessionId, maxNodes: z.int().min(1).max(20_000).default(2_000) }),
  output: z.object({
    sessionId: z.string(),
    pid: z.number(),
    // Some clients cannot handle a recursive schema.
    tree: z.array(uiNode.extend({ actions: z.array(z.string()), children: z.array(z.looseObject({})) })),
    omitted: z.number().describe("Elements left out because of maxNodes"),
  }),
  positional: ["sessionId"],
  looksAt: ({ sessionId: id }, owner) => ({ pid: needSession(owner, id).process.pid }),
  async run(input, context) {
    const surface = await context.surface();
    const session = needSession(context.session, input.sessionId);
    const { pid } = session.process;
    await needProcess(session, context);
    const tree = await readTree(surface, { window: { pid } }, input.maxNodes, context.signal);
    const { roots, byRef } = surface.snapshots.take(tree, pid);
    for (const { stableId, node } of byRef.values()) session.seen.set(stableId, node);
    const omitted = tree.omitted.reduce((sum, { count }) => sum + count, 0);
    return { data: { sessionId: input.sessionId, pid, tree: roots.map(toTree), omitted } };
  },
});

type DebugTree = DebugNode & { readonly actions: string[]; readonly children: DebugTree[] };

function toTree({ stableId, node, children }: SnapshotNode): DebugTree {
  return { ...toDebugNode(stableId, node), actions: [...node.actions], children: children.map(toTree) };
}

const fromAct = act.input.shape;
const actionInput = z.strictObject({
  sessionId,
  action: fromAct.action.extract(["click", "set_value", "type", "key", "scroll", "drag"]),
  id: z.string().max(100).optional().describe("From debug_ui; every action but key needs it. For drag: where from"),
  value: fromAct.value,
  text: fromAct.text,
  key: fromAct.key.describe("For key: s, return, escape, tab, f1, …"),
  modifiers: z
    .array(z.enum(["cmd", "shift", "alt", "ctrl"]))
    .max(4)
    .default([]),
  direction: fromAct.direction,
  amount: fromAct.amount,
  toId: z.string().max(100).optional().describe("For drag: where to"),
  settleMs: z.int().min(0).max(30_000).default(80).describe("Raise it for slow animations"),
});
type ActionInput = z.infer<typeof actionInput>;

/** This contract's fixed name for synthetic input, whatever system delivers it. */
const synthetic = "cgevent";

const actionOutput = z.object({
  success: z.boolean(),
  method: z.enum(["ax", synthetic]).nullable(),
  node_before: uiNode.nullable(),
  node_after: uiNode.nullable(),
  changed: z.boolean(),
  error: z.string().optional(),
});

export const debugUiAction = defineTool({
  name: "debug_ui_action",
  title: "Act (debug)",
  summary:
    "click, set_value, type, key, scroll or drag in the launched program, on nodes of debug_ui. changed: false means it did not land " +
    "(for scroll it may have): try again or differently.",
  set: "compat-debug",
  access: "act",
  needs: ["elements", "windows"],
  input: actionInput,
  output: actionOutput,
  positional: ["sessionId", "action", "id"],
  enters: ["text", "value"],
  keys: "key",
  async acts(input, context) {
    validate(input);
    const surface = await context.surface();
    const debugged = needSession(context.session, input.sessionId);
    const targets = await findTargets(input, debugged, surface, context.signal);
    return toAction(toAct(input, debugged, targets, surface.snapshots));
  },
  async run(input, context) {
    validate(input);
    const session = needSession(context.session, input.sessionId);
    try {
      return { data: await perform(input, session, context) };
    } catch (error) {
      if (!isForeseen(error, context.signal)) throw error;
      const text = await toError(error, input, session, context);
      const nothing = { method: null, node_before: null, node_after: null, changed: false };
      return { data: { success: false, ...nothing, error: text }, failed: true };
    }
  },
});

const required: Readonly<Record<ActionInput["action"], readonly (keyof ActionInput)[]>> = {
  click: ["id"],
  set_value: ["id", "value"],
  type: ["id", "text"],
  key: ["key"],
  scroll: ["id", "direction"],
  drag: ["id", "toId"],
};

function validate(input: ActionInput): void {
  const missing = required[input.action].find((field) => input[field] === undefined);
  if (missing !== undefined)
    throw new ToolError("invalid_argument", `ValidationError: ${missing} is required for ${input.action}.`);
}

async function needProcess(session: DebugSession, { surface, signal }: ToolContext): Promise<void> {
  if (!(await hasEnded(await surface(), session, { signal }))) return;
  throw new ToolError("process_not_running", `Process ${session.process.pid} is not running.`, {
    hint: "debug_launch starts it again.",
  });
}

async function perform(
  input: ActionInput,
  session: DebugSession,
  context: ToolContext,
): Promise<z.input<typeof actionOutput>> {
  const surface = await context.surface();
  const { signal } = context;
  await needProcess(session, context);
  const { node, destination } = await findTargets(input, session, surface, signal);
  const toId = input.action === "drag" ? input.toId : undefined;
  // A dragged element looks the same afterwards; the drop target does not.
  const shown = destination ?? node;
  const shownId = toId ?? input.id ?? "";
  const { data } = await act.run(toAct(input, session, { node, destination }, surface.snapshots), context);
  const [after] = shown ? await surface.need("elements").read([shown.runtimeId], { signal }) : [];
  if (after) session.seen.set(shownId, after);
  const nodes = {
    node_before: shown ? toDebugNode(shownId, shown) : null,
    node_after: after ? toDebugNode(shownId, after) : null,
  };
  return {
    success: true,
    method: data.method === "ax" ? "ax" : synthetic,
    ...nodes,
    changed: data.changed ?? !isDeepStrictEqual(nodes.node_before, nodes.node_after),
  };
}

async function findTargets(
  input: ActionInput,
  session: DebugSession,
  surface: Surface,
  signal: AbortSignal,
): Promise<Targets> {
  const find = async (id: string | undefined, otherwise: string): Promise<UiNode | undefined> => {
    if (id === undefined || input.action === "key") return undefined;
    const node = await findNode(surface, session, id, signal);
    if (node) return node;
    throw new ToolError("not_found", otherwise);
  };
  const node = await find(input.id, "node not found");
  const toId = input.action === "drag" ? input.toId : undefined;
  return { node, destination: await find(toId, "drag destination node not found") };
}

interface Targets {
  readonly node: UiNode | undefined;
  readonly destination: UiNode | undefined;
}

function toAct(
  input: ActionInput,
  session: DebugSession,
  { node, destination }: Targets,
  snapshots: Snapshots,
): z.infer<typeof act.input> {
  const { sessionId: _, id: _id, toId: _toId, settleMs, ...same } = input;
  return act.input.parse({
    ...same,
    uid: node && snapshots.refOf(node),
    to_uid: destination && snapshots.refOf(destination),
    ...(input.action === "key" ? { pid: session.process.pid } : {}),
    settle_ms: settleMs,
  });
}

async function toError(
  error: ToolError,
  { action }: ActionInput,
  session: DebugSession,
  { surface, signal }: ToolContext,
): Promise<string> {
  const { code } = error;
  if (code === "process_not_running") return "process not running";
  const graceMs = code === "not_connected" ? 300 : 0;
  if (await hasEnded(await surface(), session, { graceMs, signal })) return "process not running";
  if (code === "uid_not_found" || code === "snapshot_expired") return "node not found";
  const rejected = code === "not_dispatchable" || code === "pattern_unsupported" || code === "ax_error";
  if (action === "set_value" && rejected) return "element does not support set_value; try 'type'";
  return explainError(error);
}
