import { compact, repeatedLength } from "./compact.ts";
import { list, type Outline } from "./listing.ts";
import { meaningful } from "./meaning.ts";
import { pageLine, quoted, type PageElement } from "./snapshot-text.ts";
import type { SnapshotNode } from "./snapshot.ts";

export interface PageOutlineOptions {
  readonly maxNodes: number;
  readonly maxChars: number;
  /** The page, for the tool that lists the rest. */
  readonly surface: string;
  /** Elements that were not read. */
  readonly unread: number;
}

type Listed = PageElement & { readonly depth: number };

const runName = 40;

/** The elements of a page as lines that begin with the ref. */
export function pageOutline(
  nodes: readonly Listed[],
  { maxNodes, maxChars, surface, unread }: PageOutlineOptions,
): Outline {
  const { items, omitted } = compact(meaningful(toTree(nodes)));
  const rest = "take_ax_snapshot";
  return list(
    { items, omitted: omitted + unread },
    {
      maxNodes,
      maxChars,
      indent: " ",
      write: ({ source: { ref, node }, cells, inside, isRepeated }) =>
        pageLine({ ...node, ref }, { lengths: true, cells, inside, most: isRepeated ? repeatedLength : undefined }),
      kind: ({ source }) => source.node.nativeRole,
      rest: (ref, offset) =>
        ref === undefined || ref === ""
          ? `${rest} surface ${surface} offset ${offset}`
          : `${rest} root ${ref} offset ${offset}`,
      wholeRest: "use cdp_find_elements, or raise max_nodes and max_tokens",
      quote: (name) => quoted(name, runName),
    },
  );
}

/** By depth: texts without a ref cannot be told apart by their ids. */
function toTree(nodes: readonly Listed[]): readonly SnapshotNode[] {
  const roots: SnapshotNode[] = [];
  const open: { readonly depth: number; readonly children: SnapshotNode[] }[] = [];
  for (const node of nodes) {
    while ((open.at(-1)?.depth ?? -1) >= node.depth) open.pop();
    const children: SnapshotNode[] = [];
    const made = { ref: node.ref, stableId: "", node, depth: open.length, children, omitted: 0 };
    (open.at(-1)?.children ?? roots).push(made);
    open.push({ depth: node.depth, children });
  }
  return roots;
}
