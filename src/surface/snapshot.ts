import { ToolError } from "../base/errors.ts";
import type { UiNode } from "../base/node.ts";
import type { Tree } from "../platform/backend.ts";
import { stableIds } from "./identity.ts";

/** An element as a caller sees it: with a ref to name it by. */
export interface SnapshotNode {
  readonly ref: string;
  readonly stableId: string;
  readonly node: UiNode;
  readonly depth: number;
  readonly children: readonly SnapshotNode[];
  /** Children the backend left out for the budget. */
  readonly omitted: number;
}

export interface Snapshot {
  readonly generation: number;
  /** What the snapshot is of: the app's pid. */
  readonly pid: number;
  readonly roots: readonly SnapshotNode[];
  /** Grows when elements are found outside the snapshot and given refs of the same generation. */
  readonly byRef: Map<string, SnapshotNode>;
  /** From runtime id to ref. */
  readonly refs: Map<string, string>;
  readonly nodes: readonly UiNode[];
}

/**
 * Gives refs and checks them. Every snapshot is a new generation; a ref of an older one is refused, because the number
 * may stand for another element by now.
 */
export class Snapshots {
  readonly #prefix: string;
  #current: Snapshot | undefined;
  #generation = 0;
  /** Stable ids of refs given earlier, to tell the caller what an expired ref is called now. */
  #earlier = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get current(): Snapshot | undefined {
    return this.#current;
  }

  take(tree: Tree, pid: number): Snapshot {
    if (this.#current) {
      this.#earlier = new Map([...this.#current.byRef.values()].map(({ ref, stableId }) => [ref, stableId]));
    }
    this.#generation++;
    this.#current = build(tree, pid, this.#generation, this.#prefix);
    return this.#current;
  }

  /** The ref of an element found outside a snapshot: the one it has already, or a new one of the same generation. */
  refOf(node: UiNode): string {
    const current = (this.#current ??= build(
      { nodes: [], omitted: [] },
      node.pid ?? 0,
      ++this.#generation,
      this.#prefix,
    ));
    const known = current.refs.get(node.runtimeId);
    if (known !== undefined) return known;
    const ref = `${this.#prefix}${current.byRef.size + 1}g${current.generation}`;
    const made = { ref, stableId: "", node, depth: 0, children: [], omitted: 0 };
    current.byRef.set(ref, made);
    current.refs.set(node.runtimeId, ref);
    return ref;
  }

  /** The element a ref stands for, as it was in the snapshot. */
  find(ref: string): SnapshotNode {
    const [, generation] = /^[a-z]\d+g(\d+)$/.exec(ref) ?? [];
    if (generation === undefined) {
      throw new ToolError("invalid_argument", `"${ref}" is not a ref.`, {
        hint: `Refs look like ${this.#prefix}12g3 and come from take_ax_snapshot or find_elements.`,
      });
    }
    if (!this.#current || Number(generation) < this.#current.generation) throw this.#expired(ref, Number(generation));
    const found = this.#current.byRef.get(ref);
    if (found) return found;
    throw new ToolError("uid_not_found", `The snapshot has no element ${ref}.`, {
      hint: "Take a new snapshot and use its refs.",
    });
  }

  #expired(ref: string, generation: number): ToolError {
    const stableId = this.#earlier.get(ref);
    const now =
      stableId === undefined
        ? []
        : [...(this.#current?.byRef.values() ?? [])].filter((each) => each.stableId === stableId);
    const hint =
      now.length === 1 && now[0] ? `The same element is ${now[0].ref} now.` : "Take a new snapshot and use its refs.";
    return new ToolError(
      "snapshot_expired",
      `Ref ${ref} is from snapshot ${generation}; the latest is ${this.#generation}.`,
      { hint },
    );
  }
}

function build(tree: Tree, pid: number, generation: number, prefix: string): Snapshot {
  const ids = stableIds(tree.nodes);
  const omitted = new Map(tree.omitted.map(({ parent, count }) => [parent, count]));
  const byRuntimeId = new Map<string, SnapshotNode & { readonly children: SnapshotNode[] }>();
  const roots: SnapshotNode[] = [];
  const byRef = new Map<string, SnapshotNode>();
  for (const [index, node] of tree.nodes.entries()) {
    const parent = node.parent === undefined ? undefined : byRuntimeId.get(node.parent);
    const made = {
      ref: `${prefix}${index + 1}g${generation}`,
      stableId: ids.get(node.runtimeId) ?? "",
      node,
      depth: parent ? parent.depth + 1 : 0,
      children: [],
      omitted: omitted.get(node.runtimeId) ?? 0,
    };
    byRuntimeId.set(node.runtimeId, made);
    byRef.set(made.ref, made);
    (parent ? parent.children : roots).push(made);
  }
  const refs = new Map([...byRef].map(([ref, { node }]) => [node.runtimeId, ref]));
  return { generation, pid, roots, byRef, refs, nodes: tree.nodes };
}
