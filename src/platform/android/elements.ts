import { ToolError } from "../../base/errors.ts";
import { contains } from "../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../base/node.ts";
import type { CallOptions, Elements, Tree } from "../backend.ts";
import { ownerOf, toScope } from "../scope.ts";
import type { AndroidDevice } from "./device.ts";
import { displayOfPid, pidOfDisplay } from "./identity.ts";
import { longPressMs, middleOf } from "./pointer.ts";
import { evidenceMs } from "./tree.ts";

export function elementsOf(device: AndroidDevice): Elements {
  const find = (nodes: readonly UiNode[], id: string): UiNode | undefined =>
    nodes.find((node) => node.runtimeId === id);
  const recent = (timeoutMs: number | undefined, signal: AbortSignal | undefined) =>
    timeoutMs === undefined ? device.tree.recent({ signal }) : device.tree.hasty({ signal, timeoutMs });
  return {
    evidenceMs,
    get waitsForRest() {
      return device.readsElementsQuickly;
    },
    get isSlow() {
      return !device.readsElementsQuickly;
    },
    scope: toScope,
    // As on every platform, an entry of an open menu is tapped where it is.
    pressing: { breaksMenus: true },
    async tree(scope, { maxNodes, root, signal, timeoutMs }) {
      const known = await (timeoutMs === undefined
        ? device.tree.now({ signal })
        : device.tree.hasty({ signal, timeoutMs }));
      const all = ofDisplay(known, displayOfPid(ownerOf(scope).pid), device.hasOneDisplay);
      const nodes = root === undefined ? all : below(all, root);
      return limit(nodes, maxNodes);
    },
    async at(point, { timeoutMs, signal } = {}) {
      const nodes = await recent(timeoutMs, signal);
      const hit = nodes.filter(({ bounds }) => bounds && contains(bounds, point));
      const innermost = hit.at(-1);
      return innermost ? [innermost, ...ancestors(nodes, innermost)] : [];
    },
    async focused({ timeoutMs, signal } = {}) {
      const nodes = (await recent(timeoutMs, signal)).filter(({ states }) => states.includes("focused"));
      return nodes.findLast(({ pid }) => pid === pidOfDisplay(0)) ?? nodes.at(-1);
    },
    async read(runtimeIds, { timeoutMs, signal } = {}) {
      const nodes = await recent(timeoutMs, signal);
      return runtimeIds.map((id) => find(nodes, id));
    },
    async perform(runtimeId, action, { signal } = {}) {
      const node = find(await device.tree.recent({ signal }), runtimeId);
      if (!node) {
        throw new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
      }
      return { via: await perform(device, node, action, { signal }) };
    },
    async text(runtimeId, { maxChars, signal }) {
      const node = find(await device.tree.recent({ signal }), runtimeId);
      if (!node || node.states.includes("password")) return undefined;
      const text = String(node.value ?? node.name);
      return { text: text.slice(0, maxChars), length: text.length };
    },
    // Read while the picture is taken: one after the other would take twice as long.
    async followSecretFields(options = {}) {
      const asking = device.tree.secretFields(options);
      asking.catch(() => {});
      return {
        async end() {
          const fields = await asking;
          return { fields, count: fields.length, isStill: true, hasScrolled: false };
        },
      };
    },
  };
}

function ofDisplay(nodes: readonly UiNode[], display: number, isOnly: boolean): readonly UiNode[] {
  if (isOnly) return nodes;
  const own = nodes.filter(({ pid }) => pid === pidOfDisplay(display));
  if (own.length > 0) return own;
  throw new ToolError("ax_error", `UI tree unavailable: Android reports no window on display ${display}.`, {
    hint: "Before Android 11 it reports only the display used last. Use a screenshot or find_text, which reads the pixels.",
  });
}

async function perform(device: AndroidDevice, node: UiNode, action: NodeAction, options: CallOptions): Promise<string> {
  const at = node.clickPoint ?? (node.bounds && middleOf(node.bounds));
  if (!at) throw new ToolError("not_dispatchable", `${node.role} "${node.name}" is not on the screen.`);
  if (node.coveredBy !== undefined) throw covered(node, node.coveredBy);
  switch (action.name) {
    case "press":
    case "toggle":
    case "select":
    case "focus":
      return device.tap(at, options);
    case "menu":
      return device.swipe(at, at, { ...options, durationMs: longPressMs });
    case "set_value": {
      if (!node.states.includes("focused")) await device.tap(at, options);
      const length = String(node.value ?? "").length || (node.states.includes("password") ? mostHidden : 0);
      // Wherever the cursor is, deleting this much in both directions removes everything.
      for (let left = length; left > 0; left -= keysPerCall) {
        const count = Math.min(left, keysPerCall);
        const keys = [...Array<string>(count).fill("KEYCODE_DEL"), ...Array<string>(count).fill("KEYCODE_FORWARD_DEL")];
        await device.pressMany(keys, options);
      }
      const text = String(action.value);
      return text === "" ? "input keyevent" : device.type(text, options);
    }
    case "expand":
    case "collapse":
    case "scroll_into_view":
    case "scroll_to":
      throw new ToolError("not_dispatchable", `Android has no "${action.name}" for ${node.role} "${node.name}".`, {
        hint: action.name.startsWith("scroll") ? "Use scroll or android_swipe." : "Click it.",
      });
  }
}

const covered = ({ role, name }: UiNode, by: string): ToolError =>
  new ToolError("not_dispatchable", `${role} "${name}" is covered by ${by}.`, {
    hint: "Close what covers it, or act on that instead.",
  });

// The length of hidden text is not reported.
const mostHidden = 64;
const keysPerCall = 100;

function ancestors(nodes: readonly UiNode[], node: UiNode): readonly UiNode[] {
  const found: UiNode[] = [];
  for (let parent = node.parent; parent !== undefined;) {
    const next = nodes.find(({ runtimeId }) => runtimeId === parent);
    if (!next) break;
    found.push(next);
    parent = next.parent;
  }
  return found;
}

function below(nodes: readonly UiNode[], root: string): readonly UiNode[] {
  const inside = new Set([root]);
  const found = nodes.filter((node) => {
    const isIn = node.runtimeId === root || (node.parent !== undefined && inside.has(node.parent));
    if (isIn) inside.add(node.runtimeId);
    return isIn;
  });
  if (found.length > 0) return found;
  throw new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
}

/** Returns the list itself if everything fits, so that what is cached for an unchanged screen stays valid. */
function limit(nodes: readonly UiNode[], maxNodes: number): Tree {
  if (nodes.length <= maxNodes) return { nodes, omitted: [] };
  const kept = nodes.slice(0, maxNodes);
  const omitted = new Map<string, number>();
  const last = kept.at(-1)?.runtimeId ?? "";
  for (const { parent = last } of nodes.slice(maxNodes)) omitted.set(parent, (omitted.get(parent) ?? 0) + 1);
  return { nodes: kept, omitted: [...omitted].map(([parent, count]) => ({ parent, count })) };
}
