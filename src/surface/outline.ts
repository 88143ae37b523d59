import type { UiNode } from "../base/node.ts";
import { compact, repeatedLength } from "./compact.ts";
import { list, listFrom, type ListingStyle, type Outline } from "./listing.ts";
import { meaningful } from "./meaning.ts";
import { appLine, quoted, type Corner } from "./snapshot-text.ts";
import type { Snapshot } from "./snapshot.ts";

/** Which elements say where they are: none, those a uid does not suffice for, or all. */
export const boundsChoices = ["none", "targets", "all"] as const;
export type BoundsChoice = (typeof boundsChoices)[number];

export interface OutlineOptions {
  readonly maxNodes: number;
  readonly maxChars: number;
  readonly bounds: BoundsChoice;
  /** The origin of the positions: the corner of a display; default: of the screen. */
  readonly corner?: Corner;
  /** Leave out this many of the first elements, or of the children of the one root that was asked for. */
  readonly offset?: number;
  readonly isBelowRoot?: boolean;
  /** The tool that takes root and offset, if it is another one. */
  readonly restTool?: string;
  /** As the S2 surface spells it: nothing is folded, and a container shows this many children. */
  readonly perParent?: number | undefined;
}

/** The last listing of each snapshot: an unchanged screen keeps its snapshot, so the listing can be reused. */
const listed = new WeakMap<Snapshot, { readonly options: string; readonly outline: Outline }>();

/**
 * The tree in a form that models read well: one indented line per element, only what matters. Groups that add nothing
 * are left out and their content moves up. What does not fit is mentioned, with the ref to ask for it.
 */
export function outline(snapshot: Snapshot, options: OutlineOptions): Outline {
  const asked = JSON.stringify(options);
  const known = listed.get(snapshot);
  if (known?.options === asked) return known.outline;
  const { offset = 0, isBelowRoot = false } = options;
  const isPart = (offset > 0 || isBelowRoot) && options.perParent === undefined;
  const whole = meaningful(snapshot.roots, { isWordy: options.perParent !== undefined });
  const content = isPart || options.perParent !== undefined ? whole : compact(whole);
  const style = styleOf(options);
  const made = isPart ? listFrom(content, { offset, isBelowRoot }, style) : list(content, style);
  listed.set(snapshot, { options: asked, outline: made });
  return made;
}

function styleOf({
  maxNodes,
  maxChars,
  bounds,
  corner = { x: 0, y: 0 },
  perParent,
  restTool,
}: OutlineOptions): ListingStyle {
  return {
    maxNodes,
    maxChars,
    perParent,
    indent: "  ",
    write: ({ source: { ref, node }, cells, inside, isRepeated }) =>
      appLine(ref, node, bounds === "all" || (bounds === "targets" && needsPlace(node)) ? corner : undefined, {
        lengths: perParent === undefined,
        cells,
        inside,
        most: isRepeated ? repeatedLength : undefined,
      }),
    kind: ({ source }) => source.node.role,
    rest: (ref, offset) =>
      [
        ...(restTool === undefined ? [] : [restTool]),
        ...(ref === undefined ? [] : [`root ${ref}`]),
        `offset ${offset}`,
      ].join(" "),
    wholeRest: "raise max_nodes or max_tokens",
    quote: (name) => quoted(name, runName),
  };
}

const runName = 40;

/** What is drawn inside is aimed at by its place; the place of a window says where everything else is. */
const placed: ReadonlySet<string> = new Set(["window", "dialog", "canvas", "image"]);
const needsPlace = ({ role }: UiNode): boolean => placed.has(role);
