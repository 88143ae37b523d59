import type { UiNode } from "../../base/node.ts";
import type { Dump, DumpNode } from "./nodes.ts";

/** The app in front on a display is its window. */
export const windowOfDisplay = (displayId: number): number => displayId + 1;
/** A dump does not name the process of an element; each display has one app in front at a time. */
export const pidOfDisplay = (displayId: number): number => displayId + 1;
export const displayOfPid = (pid: number): number => pid - 1;

interface Known {
  readonly node: DumpNode;
  readonly id: string;
  readonly key: string;
}

// With less than this in common it is another screen, and an element that looks the same is another one.
const sameScreen = 0.3;
// If most of it is unchanged, a different text in the same place means that the text has changed.
const sameLayout = 0.5;

/**
 * Dumps do not identify elements. An element keeps its id while the screen is the same and it has the same place and
 * name. A text may change in place, except in lists, where after scrolling the same place shows another row. In doubt
 * an element is new: an old ref must never reach another element.
 */
export class Identities {
  readonly #display: number;
  #known: readonly Known[] = [];
  #package = "";
  #count = 0;
  #last: { readonly dump: Dump; readonly nodes: readonly UiNode[] } | undefined;

  constructor(display: number) {
    this.#display = display;
  }

  /** The elements with their ids. */
  follow(dump: Dump): readonly UiNode[] {
    if (this.#last?.dump !== dump) this.#last = { dump, nodes: this.#identify(dump) };
    return this.#last.nodes;
  }

  #identify(dump: Dump): readonly UiNode[] {
    const lists = listsAround(dump.nodes);
    const keys = keysOf(dump.nodes, lists);
    const old = new Map(this.#known.map((known) => [known.key, known]));
    const common = keys.filter((key) => old.has(key)).length / Math.max(1, keys.length, this.#known.length);
    const isSame = dump.package === this.#package && common >= sameScreen;
    const places = new Map(this.#known.map((known) => [known.node.path, known]));
    const taken = new Set<string>();
    const ids: string[] = [];
    const known = dump.nodes.map((node, index) => {
      const key = keys[index] ?? "";
      const exact = isSame ? old.get(key) : undefined;
      const changed = isSame && common >= sameLayout && !lists[index] ? places.get(node.path) : undefined;
      const fits = (each: Known | undefined) => each && !taken.has(each.id) && each.node.role === node.role;
      const was = fits(exact) ? exact : fits(changed) ? changed : undefined;
      const id = was?.id ?? `n${this.#display === 0 ? "" : `${this.#display}.`}${++this.#count}`;
      taken.add(id);
      ids.push(id);
      return { node, id, key };
    });
    this.#known = known;
    this.#package = dump.package;
    const [pid, windowId] = [pidOfDisplay(this.#display), windowOfDisplay(this.#display)];
    // Field by field: copying an object without some of its fields takes longer than everything else here.
    return dump.nodes.map((node, index) => ({
      runtimeId: ids[index] ?? "",
      parent: node.parent < 0 ? undefined : ids[node.parent],
      pid,
      windowId,
      role: node.role,
      nativeRole: node.nativeRole,
      name: node.name,
      automationId: node.automationId,
      value: node.value,
      description: node.description,
      placeholder: node.placeholder,
      bounds: node.bounds,
      clickPoint: node.clickPoint,
      coveredBy: node.coveredBy,
      states: node.states,
      actions: node.actions,
    }));
  }
}

/**
 * Outside lists, the place identifies an element. Inside, only visible elements have places: there it is the
 * programmer's id (except in lists of rows, which all share one), the name, or the position on the screen.
 */
function keysOf(nodes: readonly DumpNode[], lists: readonly (DumpNode | undefined)[]): readonly string[] {
  const keys = nodes.map((node, index) => {
    const list = lists[index];
    if (!list) return `${node.path} ${node.name}`;
    const place = `${list.path} ${node.path.slice(list.path.length).replaceAll(/\.\d+/g, "")}`;
    if (list.role !== "list" && node.automationId !== undefined) return place;
    return `${place} ${node.name || placeOf(node)}`;
  });
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return keys.map((key, index) => {
    const node = nodes[index];
    return node && (counts.get(key) ?? 0) > 1 ? `${key} ${placeOf(node)}` : key;
  });
}

const placeOf = ({ bounds: { x, y, width, height } }: DumpNode): string => `@${x},${y},${width},${height}`;

/** The innermost list around each element. Parents come first. */
function listsAround(nodes: readonly DumpNode[]): readonly (DumpNode | undefined)[] {
  const lists: (DumpNode | undefined)[] = [];
  for (const { parent } of nodes) {
    const above = nodes[parent];
    lists.push(above && (above.isScrollable || above.role === "list") ? above : lists[parent]);
  }
  return lists;
}
