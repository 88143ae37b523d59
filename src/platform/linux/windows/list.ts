import type { Surroundings, WindowDetails } from "./details.ts";
import { getDetails } from "./details.ts";
import { listDisplays } from "../capture/monitors.ts";
import { findTopLevel } from "./bounds.ts";
import { knownOverlays } from "../overlay/known-overlays.ts";
import { findWindowManager, type WindowManager } from "./manager.ts";
import { withOwners } from "./owners.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { getInputFocus, getProperty, getWindowAttributes, queryTree, toNumbers } from "../x11/requests.ts";

interface Candidate {
  readonly id: number;
  readonly topLevel: number;
}

interface Asked {
  readonly signal: AbortSignal | undefined;
  readonly windows: Promise<readonly WindowDetails[]>;
}
const askedNow = new WeakMap<Connection, Asked>();

/**
 * Every top-level window, topmost first: those that the window manager lists, and those that bypass it (menus,
 * tooltips). Calls in the same turn share one answer: elements and windows are often read together.
 */
export function listWindows(c: Connection, options: RequestOptions = {}): Promise<readonly WindowDetails[]> {
  const { signal } = options;
  const asked = askedNow.get(c);
  if (asked && asked.signal === signal) return asked.windows;
  const windows = readWindows(c, options);
  askedNow.set(c, { signal, windows });
  setImmediate(() => askedNow.delete(c));
  return windows;
}

async function readWindows(c: Connection, options: RequestOptions): Promise<readonly WindowDetails[]> {
  const manager = findWindowManager(c, options);
  const [overlays, { children }, managed, surroundings] = await Promise.all([
    knownOverlays(c),
    queryTree(c, c.root, options),
    listManaged(c, manager, options),
    getSurroundings(c, options, manager),
  ]);
  const clients = managed ? await withTopLevels(c, managed, options) : await findClients(c, children, options);
  // A window that was framed between these requests is still a child of the root in the first answer.
  const taken = new Set([
    ...clients.flatMap(({ id, topLevel }) => [id, topLevel]),
    (await manager)?.window,
    ...overlays.windows,
  ]);
  const free = await Promise.all(
    children.filter((window) => !taken.has(window)).map((window) => findShown(c, window, options)),
  );
  const depths = new Map(children.map((window, index) => [window, index]));
  const depth = ({ id, topLevel }: Candidate): number => depths.get(topLevel) ?? depths.get(id) ?? 0;
  const ordered = [...clients, ...free.filter((candidate) => candidate !== undefined)].sort(
    (a, b) => depth(b) - depth(a),
  );
  const details = await Promise.all(ordered.map(({ id }) => getDetails(c, id, surroundings, options)));
  return withOwners(
    details.filter((window) => window !== undefined),
    c.setup.idMask,
  );
}

export async function getSurroundings(
  c: Connection,
  options?: RequestOptions,
  manager = findWindowManager(c, options),
): Promise<Surroundings> {
  const [active, displays] = await Promise.all([findActive(c, options, manager), listDisplays(c, options)]);
  return { active, displays };
}

/**
 * The window that has the keyboard focus according to the window manager; without one, the top level of the X focus.
 */
export async function findActive(
  c: Connection,
  options?: RequestOptions,
  manager = findWindowManager(c, options),
): Promise<number | undefined> {
  const [running, property, focus] = await Promise.all([
    manager,
    c.atom("_NET_ACTIVE_WINDOW").then((atom) => getProperty(c, c.root, atom, options)),
    getInputFocus(c, options),
  ]);
  if (running && property) return toNumbers(property)[0] || undefined;
  const pointerRoot = 1;
  if (focus <= pointerRoot || focus === c.root) return undefined;
  const topLevel = await orUndefinedIfGone(findTopLevel(c, focus, options));
  return topLevel === running?.window ? undefined : topLevel;
}

/** Bottom to top; undefined when no window manager keeps a list. */
async function listManaged(
  c: Connection,
  manager: Promise<WindowManager | undefined>,
  options?: RequestOptions,
): Promise<readonly number[] | undefined> {
  const atoms = await c.atoms("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST");
  const [running, stacking, list] = await Promise.all([
    manager,
    getProperty(c, c.root, atoms._NET_CLIENT_LIST_STACKING, options),
    getProperty(c, c.root, atoms._NET_CLIENT_LIST, options),
  ]);
  const known = stacking ?? list;
  return running && known ? toNumbers(known) : undefined;
}

async function withTopLevels(
  c: Connection,
  windows: readonly number[],
  options?: RequestOptions,
): Promise<readonly Candidate[]> {
  const found = await Promise.all(
    windows.map(async (id) => {
      const topLevel = await orUndefinedIfGone(findTopLevel(c, id, options));
      return topLevel === undefined ? undefined : { id, topLevel };
    }),
  );
  return found.filter((candidate) => candidate !== undefined);
}

/** Without a list: windows with WM_STATE, at the top level or directly inside a frame. */
async function findClients(
  c: Connection,
  children: readonly number[],
  options?: RequestOptions,
): Promise<readonly Candidate[]> {
  const state = await c.atom("WM_STATE");
  const hasState = async (window: number) =>
    (await orUndefinedIfGone(getProperty(c, window, state, options))) !== undefined;
  const found = await Promise.all(
    children.map(async (topLevel) => {
      if (await hasState(topLevel)) return { id: topLevel, topLevel };
      const inner = (await orUndefinedIfGone(queryTree(c, topLevel, options)))?.children ?? [];
      const marked = await Promise.all(inner.map(hasState));
      const id = inner[marked.indexOf(true)];
      return id === undefined ? undefined : { id, topLevel };
    }),
  );
  return found.filter((candidate) => candidate !== undefined);
}

async function findShown(c: Connection, window: number, options?: RequestOptions): Promise<Candidate | undefined> {
  const attributes = await orUndefinedIfGone(getWindowAttributes(c, window, options));
  if (attributes?.mapState !== "viewable" || attributes.isInputOnly) return undefined;
  return { id: window, topLevel: window };
}

export async function orUndefinedIfGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
