import { ToolError } from "../base/errors.ts";
import type { UiNode } from "../base/node.ts";
import type { Tree } from "../platform/backend.ts";
import { stableIds } from "./identity.ts";
import { isSame, witnesses, type Witness } from "./witnesses.ts";

/** An element as a caller sees it, with a ref. */
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
  /** The process whose elements these are. */
  readonly pid: number;
  readonly roots: readonly SnapshotNode[];
  /** Grows when elements are found outside the snapshot and get refs of the same generation. */
  readonly byRef: Map<string, SnapshotNode>;
  /** Runtime id → ref. */
  readonly refs: Map<string, string>;
  readonly nodes: readonly UiNode[];
}

export interface RefStyle {
  readonly prefix: string;
  /**
   * The platform's own element names serve as refs. Each belongs to one element for good and is valid in every
   * snapshot.
   */
  readonly areLasting?: boolean;
  /** An element keeps its ref in later snapshots while it is provably the same. */
  readonly areKept?: boolean;
}

// An agent goes back to an app after a few others; refs of more snapshots are worth no memory.
const mostSnapshots = 12;

/**
 * Assigns refs and checks them. Every snapshot is a new generation. A ref from an older one is refused, unless its
 * element is provably the same: the platform says that it is the same object, and it still has its role and, in a row,
 * the row its texts.
 */
export class Snapshots {
  readonly #style: RefStyle;
  #current: Snapshot | undefined;
  #generation = 0;
  /** The last tree that was read; elements found outside a snapshot come from it. */
  #seen: readonly UiNode[] = [];
  /** Witnesses of refs assigned outside a snapshot; for the others, the snapshot has them. */
  #witnesses = new Map<string, readonly Witness[]>();
  /** Earlier snapshots, the latest first: an error can say what an expired ref is called now. */
  #earlier: readonly Snapshot[] = [];

  constructor(style: RefStyle) {
    this.#style = style;
  }

  get areLasting(): boolean {
    return this.#style.areLasting === true;
  }

  get current(): Snapshot | undefined {
    return this.#current;
  }

  take(tree: Tree, pid: number): Snapshot {
    const kept = this.#keptRefs(tree.nodes, tree.nodes);
    if (this.#current) this.#earlier = [this.#current, ...this.#earlier].slice(0, mostSnapshots);
    this.#generation++;
    if (!this.#style.areKept) this.#witnesses = new Map();
    this.#seen = tree.nodes;
    this.#current = build(tree, pid, this.#generation, this.#style, kept);
    for (const ref of kept.values()) this.#witnesses.delete(ref);
    return this.#current;
  }

  /** Runtime id → the ref that the same element had before. */
  #keptRefs(nodes: readonly UiNode[], tree: readonly UiNode[]): ReadonlyMap<string, string> {
    if (!this.#style.areKept) return new Map();
    const known = [this.#current, ...this.#earlier].filter((each) => each !== undefined);
    const entries = nodes.flatMap((node): readonly [string, string][] => {
      const source = known.find(({ refs }) => refs.has(node.runtimeId));
      const ref = source?.refs.get(node.runtimeId);
      if (ref === undefined || source?.byRef.get(ref)?.node.role !== node.role) return [];
      return isSame(witnesses(node, tree), this.witnessesOf(ref)) ? [[node.runtimeId, ref]] : [];
    });
    return new Map(entries);
  }

  /** A snapshot of the same process that is still known, by its id. */
  known(id: string, pid: number): Snapshot | undefined {
    return [this.#current, ...this.#earlier].find((each) => each?.pid === pid && snapshotId(each) === id);
  }

  /** Reuses the current snapshot for the identical list of elements, so that refs stay the same. */
  takeIfNew(nodes: readonly UiNode[], pid: number): Snapshot {
    const { current } = this;
    return current?.nodes === nodes && current.pid === pid ? current : this.take({ nodes, omitted: [] }, pid);
  }

  /** Call with every tree that is searched for elements. */
  saw(nodes: readonly UiNode[]): void {
    this.#seen = nodes;
  }

  /** Texts that must be unchanged since the ref was assigned, or the ref now belongs to a different row. */
  witnessesOf(ref: string): readonly Witness[] {
    const told = this.#witnesses.get(ref);
    if (told) return told;
    // A lasting ref may be from the previous snapshot.
    const source = [this.#current, ...this.#earlier].find((each) => each?.byRef.has(ref));
    const found = source?.byRef.get(ref);
    return source && found ? witnesses(found.node, source.nodes) : [];
  }

  /** The ref of an element found outside a snapshot: its existing one, or a new one of the same generation. */
  refOf(node: UiNode): string {
    const current = (this.#current ??= build(
      { nodes: [], omitted: [] },
      node.pid ?? 0,
      ++this.#generation,
      this.#style,
    ));
    const shows = witnesses(node, this.#seen);
    const known = current.refs.get(node.runtimeId) ?? this.#keptRefs([node], this.#seen).get(node.runtimeId);
    if (known !== undefined && (shows.length === 0 || isSame(shows, this.witnessesOf(known)))) return known;
    const number = current.byRef.size + 1;
    // A row that now shows something else is a different row, even if the platform keeps the element's name.
    const ref =
      known === undefined
        ? nameOf(node, number, current.generation, this.#style)
        : newName(number, current.generation, this.#style);
    const made = { ref, stableId: "", node, depth: 0, children: [], omitted: 0 };
    current.byRef.set(ref, made);
    current.refs.set(node.runtimeId, ref);
    this.#witnesses.set(ref, shows);
    return ref;
  }

  /** The element with a stable id, as it was in the snapshot. */
  withStableId(stableId: string): UiNode | undefined {
    // Elements found outside a snapshot have an empty stable id.
    if (stableId === "") return undefined;
    return [...(this.#current?.byRef.values() ?? [])].find((each) => each.stableId === stableId)?.node;
  }

  /** The element behind a ref, as it was in the snapshot. */
  find(ref: string): SnapshotNode {
    const [before] = this.#earlier;
    if (isLasting(ref, this.#style)) return this.#current?.byRef.get(ref) ?? before?.byRef.get(ref) ?? unseen(ref);
    const [, generation] = /^[a-z]\d+g(\d+)$/.exec(ref) ?? [];
    if (generation === undefined) {
      throw new ToolError("invalid_argument", `"${ref}" is not a ref.`, {
        hint: `Refs look like ${this.#style.prefix}12${this.#style.areLasting ? "" : "g3"} and come from take_ax_snapshot or find_elements.`,
      });
    }
    const found = this.#current?.byRef.get(ref) ?? this.#kept(ref);
    if (found) return found;
    if (!this.#current || this.#hasExpired(ref, Number(generation))) throw this.#expired(ref, Number(generation));
    throw new ToolError("uid_not_found", `The snapshot has no element ${ref}.`, {
      hint: "Take a new snapshot and use its refs.",
    });
  }

  /** Where refs are kept, one that is not among them was never given, or so long ago that nothing is known of it. */
  #hasExpired(ref: string, generation: number): boolean {
    return this.#style.areKept
      ? this.#earlier.some(({ byRef }) => byRef.has(ref))
      : generation < (this.#current?.generation ?? 0);
  }

  /** A ref that the current snapshot does not list, of an element that it did not find to be another one. */
  #kept(ref: string): SnapshotNode | undefined {
    if (!this.#style.areKept) return undefined;
    const found = this.#earlier.find(({ byRef }) => byRef.has(ref))?.byRef.get(ref);
    const isRenamed = found !== undefined && this.#current?.refs.has(found.node.runtimeId) === true;
    return isRenamed ? undefined : found;
  }

  #expired(ref: string, generation: number): ToolError {
    const [before] = this.#earlier;
    const stableId = before?.byRef.get(ref)?.stableId;
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

/** `g3`, the ending of the refs that it gave. */
export const snapshotId = ({ generation }: Snapshot): string => `g${generation}`;

const isLasting = (id: string, { prefix, areLasting }: RefStyle): boolean =>
  areLasting === true && id.startsWith(prefix) && /^\d{1,9}$/.test(id.slice(prefix.length));

const newName = (number: number, generation: number, { prefix }: RefStyle): string =>
  `${prefix}${number}g${generation}`;

const nameOf = (node: UiNode, number: number, generation: number, style: RefStyle): string =>
  isLasting(node.runtimeId, style) ? node.runtimeId : newName(number, generation, style);

/** An element that was only seen by another process; its role is unknown until it is read. */
function unseen(ref: string): SnapshotNode {
  const node = { runtimeId: ref, role: "", nativeRole: "", name: "", states: [], actions: [] };
  return { ref, stableId: "", node, depth: 0, children: [], omitted: 0 };
}

function build(
  tree: Tree,
  pid: number,
  generation: number,
  style: RefStyle,
  kept: ReadonlyMap<string, string> = new Map(),
): Snapshot {
  // Computed on demand: few callers need them, and they take as long as everything else together.
  let known: ReadonlyMap<string, string> | undefined;
  const stableIdOf = (id: string): string => (known ??= stableIds(tree.nodes)).get(id) ?? "";
  const omitted = new Map(tree.omitted.map(({ parent, count }) => [parent, count]));
  const byRuntimeId = new Map<string, SnapshotNode & { readonly children: SnapshotNode[] }>();
  const roots: SnapshotNode[] = [];
  const byRef = new Map<string, SnapshotNode>();
  for (const [index, node] of tree.nodes.entries()) {
    const parent = node.parent === undefined ? undefined : byRuntimeId.get(node.parent);
    const made = {
      ref: kept.get(node.runtimeId) ?? nameOf(node, index + 1, generation, style),
      get stableId() {
        return stableIdOf(node.runtimeId);
      },
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
