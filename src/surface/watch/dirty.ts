import type { UiNode } from "../../base/node.ts";
import type { ElementEvent } from "../../platform/backend.ts";

/** What has to be read again, and how. */
export interface Work {
  /** These with everything below them; none of them is below another. */
  readonly parts: ReadonlySet<string>;
  /** These alone: they hold so much that reading all of it would take as long as reading everything. */
  readonly alone: ReadonlySet<string>;
  /** Elements that are not in the tree; something that is may have got them. */
  readonly unknown: ReadonlySet<string>;
  /** Too much has changed to read it in parts. */
  readonly isWhole: boolean;
}

/** An element with more below it is read alone. */
const mostBelow = 60;
/** Reading this many parts takes longer than reading the tree. */
const mostParts = 40;
/** The labels inside these are the names of other elements. */
const containers: ReadonlySet<string> = new Set([
  "window",
  "dialog",
  "list",
  "table",
  "tree",
  "tablist",
  "menubar",
  "toolbar",
  "scrollarea",
  "document",
]);
const visibility: ReadonlySet<string> = new Set(["showing", "!showing", "visible", "!visible"]);

/** Collects what events say about a tree until somebody reads it again. */
export class Dirty {
  /** Elements whose children are others now. */
  readonly #holders = new Set<string>();
  /** Elements that have appeared, disappeared or may have. */
  readonly #shown = new Set<string>();
  /** Elements that say something else now. */
  readonly #own = new Set<string>();
  /** When the first of them came. */
  since = Number.POSITIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#holders.size + this.#shown.size + this.#own.size === 0;
  }

  note({ kind, detail, runtimeId }: Pick<ElementEvent, "kind" | "detail" | "runtimeId">): void {
    if (this.isEmpty) this.since = performance.now();
    if (kind === "children") this.#holders.add(runtimeId);
    else if (kind === "state" && visibility.has(detail)) this.#shown.add(runtimeId);
    else this.#own.add(runtimeId);
  }

  /** Something below this element has changed. */
  noteHolder(runtimeId: string): void {
    this.note({ kind: "children", detail: "", runtimeId });
  }

  clear(): void {
    for (const set of [this.#holders, this.#shown, this.#own]) set.clear();
    this.since = Number.POSITIVE_INFINITY;
  }

  /** Empties it. */
  take(nodes: readonly UiNode[]): Work {
    const index = new Map(nodes.map((node) => [node.runtimeId, node]));
    const sizes = sizesOf(nodes);
    const isSmall = (id: string): boolean => (sizes.get(id) ?? 1) <= mostBelow;
    const parts = new Set<string>();
    const alone = new Set<string>();
    const unknown = new Set<string>();
    for (const id of this.#holders) (index.has(id) ? parts : unknown).add(id);
    for (const id of this.#shown) {
      const node = index.get(id);
      if (!node) unknown.add(id);
      else parts.add(node.parent ?? id);
    }
    for (const id of this.#own) {
      // What is not visible may say what it likes.
      if (!index.has(id)) continue;
      if (isSmall(id)) parts.add(nameGiver(id, index, isSmall));
      else alone.add(id);
    }
    this.clear();
    const outermost = outermostOf(parts, index);
    const read = [...outermost].reduce((sum, id) => sum + (sizes.get(id) ?? 1), 0);
    const isInPart = (id: string): boolean => hasAncestorIn(id, index, outermost);
    return {
      parts: outermost,
      alone: new Set([...alone].filter((id) => !outermost.has(id) && !isInPart(id))),
      unknown,
      isWhole: outermost.size + alone.size > mostParts || (read > 2 * mostBelow && read > nodes.length / 2),
    };
  }
}

/** How many elements are at or below each. */
function sizesOf(nodes: readonly UiNode[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { runtimeId, parent } of nodes.toReversed()) {
    const own = (sizes.get(runtimeId) ?? 0) + 1;
    sizes.set(runtimeId, own);
    if (parent !== undefined) sizes.set(parent, (sizes.get(parent) ?? 0) + own);
  }
  return sizes;
}

type Index = ReadonlyMap<string, UiNode>;

/** The outermost element around it that may be named by what is inside, as a button is by its label. */
function nameGiver(id: string, index: Index, isSmall: (id: string) => boolean): string {
  let found = id;
  for (let parent = index.get(id)?.parent; parent !== undefined; parent = index.get(parent)?.parent) {
    const node = index.get(parent);
    if (!node || containers.has(node.role) || (node.name === "" && node.value === undefined) || !isSmall(parent)) break;
    found = parent;
  }
  return found;
}

const outermostOf = (ids: ReadonlySet<string>, index: Index): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !hasAncestorIn(id, index, ids)));

function hasAncestorIn(id: string, index: Index, ids: ReadonlySet<string>): boolean {
  for (let parent = index.get(id)?.parent; parent !== undefined; parent = index.get(parent)?.parent) {
    if (ids.has(parent)) return true;
  }
  return false;
}
