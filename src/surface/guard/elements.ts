import { contains, intersect, type Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { CallOptions, ElementOwner, Elements, ElementScope } from "../../platform/backend.ts";
import { needOpen, noSuchWindow } from "../choose-window.ts";
import type { BlockedWindows } from "./blocked.ts";
import type { GuardedWindow } from "./guarded.ts";
import { PasswordFields } from "./password-fields.ts";

// One action reads elements many times; a window does not become blocked that often.
const maxAgeMs = 150;

/** Elements without those of blocked windows, and password fields without their values. */
export function guardElements(elements: Elements, windows: BlockedWindows, readsAhead: boolean): Elements {
  const passwords = new PasswordFields();
  const without = async (all: readonly UiNode[], options: CallOptions): Promise<readonly UiNode[]> => {
    const nodes = concealed(all, passwords);
    const blocked = await windows.blocked({ ...options, maxAgeMs });
    return blocked.length === 0 ? nodes : dropBlocked(nodes, blocked);
  };
  const needOpenNode = async (runtimeId: string, { signal }: CallOptions): Promise<void> => {
    const blocked = await windows.blocked({ signal, maxAgeMs });
    if (blocked.length === 0) return;
    const [node] = await elements.read([runtimeId], { signal });
    const window = node && blocked.find((each) => isIn(node, each));
    if (window) needOpen(window);
  };
  const needUsableNode = async (runtimeId: string, { signal }: CallOptions): Promise<void> => {
    if (!windows.hasLimits) return;
    const [node] = await elements.read([runtimeId], { signal });
    if (node) await windows.needUsableOwner({ id: node.windowId, pid: node.pid }, "input", { signal, maxAgeMs });
  };
  const owners = new WeakMap<ElementScope, ElementOwner>();
  return {
    get waitsForRest() {
      return elements.waitsForRest === true;
    },
    get isSlow() {
      return elements.isSlow === true;
    },
    ...(elements.evidenceMs === undefined ? {} : { evidenceMs: elements.evidenceMs }),
    ...(elements.pressing === undefined ? {} : { pressing: elements.pressing }),
    scope(owner) {
      const scope = elements.scope(owner);
      owners.set(scope, owner);
      return scope;
    },
    async tree(scope, options) {
      const owner = owners.get(scope);
      const early = readsAhead ? elements.tree(scope, options) : undefined;
      // Rejects only when awaited.
      early?.catch(() => {});
      const blocked = await windows.blocked(options);
      const named = blocked.find(({ id }) => id === owner?.windowId);
      if (named) throw noSuchWindow(named.id);
      const tree = await (early ?? elements.tree(scope, options));
      const nodes = await without(tree.nodes, options);
      if (nodes === tree.nodes) return tree;
      const all = nodes.length === 0 ? blocked.find(({ pid }) => pid === owner?.pid) : undefined;
      if (all) needOpen(all);
      const kept = new Set(nodes.map(({ runtimeId }) => runtimeId));
      return { nodes, omitted: tree.omitted.filter(({ parent }) => kept.has(parent)) };
    },
    async at(point, options = {}) {
      const early = readsAhead ? elements.at(point, options) : undefined;
      early?.catch(() => {});
      await windows.needOpenAt(point, { signal: options.signal });
      return without(await (early ?? elements.at(point, options)), options);
    },
    async focused(options = {}) {
      const node = await elements.focused(options);
      return node && (await without([node], options))[0];
    },
    async read(runtimeIds, options = {}) {
      const nodes = await elements.read(runtimeIds, options);
      const known = nodes.filter((node) => node !== undefined);
      const kept = new Map((await without(known, options)).map((node) => [node.runtimeId, node]));
      return nodes.map((node) => node && kept.get(node.runtimeId));
    },
    async perform(runtimeId, action, options = {}) {
      await needOpenNode(runtimeId, options);
      await needUsableNode(runtimeId, options);
      return elements.perform(runtimeId, action, options);
    },
    async text(runtimeId, options) {
      await needOpenNode(runtimeId, options);
      const [node] = passwords.has(runtimeId) ? await elements.read([runtimeId], options) : [];
      if (node && passwords.conceal(node).states.includes("password")) return undefined;
      return elements.text(runtimeId, options);
    },
  };
}

/** The same list where there is nothing to conceal. */
function concealed(nodes: readonly UiNode[], passwords: PasswordFields): readonly UiNode[] {
  const shown = nodes.map((node) => passwords.conceal(node));
  return shown.every((node, index) => node === nodes[index]) ? nodes : shown;
}

/**
 * A node without a window of its own counts to every blocked window of its app that could be around it. So does one inside a
 * blocked menu or tip: apps often say that these are in another window than the one that opened them.
 */
function isIn(node: UiNode, window: GuardedWindow): boolean {
  if (node.windowId === window.id) return true;
  if (node.pid !== window.pid || window.pid === undefined || node.role === "application") return false;
  const { bounds } = node;
  if (node.windowId !== undefined)
    return bounds !== undefined && window.owners !== undefined && isInside(bounds, window);
  return !bounds || intersect(bounds, window.bounds) !== undefined;
}

const isInside = ({ x, y, width, height }: Rect, { bounds, isVisible }: GuardedWindow): boolean =>
  isVisible &&
  contains(bounds, { x, y }) &&
  x + width <= bounds.x + bounds.width &&
  y + height <= bounds.y + bounds.height;

const windowRoles: ReadonlySet<string> = new Set(["window", "dialog", "alert", "frame"]);

/** Everything below a dropped node goes with it, whichever of them comes first. */
function dropBlocked(nodes: readonly UiNode[], blocked: readonly GuardedWindow[]): readonly UiNode[] {
  const parents = new Map(nodes.map((node) => [node.runtimeId, node.parent]));
  const verdicts = new Map<string, boolean>();
  for (const node of nodes) {
    if (blocked.some((window) => isIn(node, window) || isTitled(node, window))) verdicts.set(node.runtimeId, true);
  }
  const isOut = (id: string | undefined): boolean => {
    if (id === undefined || !parents.has(id)) return false;
    const known = verdicts.get(id);
    if (known !== undefined) return known;
    // Settled before its parent is asked: a tree that goes round in a circle ends here.
    verdicts.set(id, false);
    const verdict = isOut(parents.get(id));
    verdicts.set(id, verdict);
    return verdict;
  };
  return nodes.filter(({ runtimeId }) => !isOut(runtimeId));
}

const isTitled = (node: UiNode, window: GuardedWindow): boolean =>
  node.name !== "" &&
  windowRoles.has(node.role) &&
  node.pid === window.pid &&
  node.name.toLowerCase() === window.title.toLowerCase();
