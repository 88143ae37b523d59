import { ToolError } from "../base/errors.ts";
import type { Picture } from "../base/frame.ts";
import { contains, intersect, type Rect } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { findWidgets } from "../vision/widgets.ts";
import { pointOf } from "./find-element.ts";
import { fuse, type Fused, type Sighting } from "./fuse-regions.ts";
import { readScreen } from "./read-screen.ts";
import type { RegionSource } from "./regions.ts";
import type { Surface } from "./surface.ts";
import { toScreenRect } from "./view.ts";

export interface MarkRegionsOptions {
  readonly sources: readonly RegionSource[];
  readonly maxRegions: number;
  /** Looks for pictures the caller knows, in the given one; boxes in its pixels. */
  readonly findTemplates: (picture: Picture) => Promise<readonly Sighting[]>;
  readonly signal: AbortSignal;
}

export interface Marked extends Fused {
  /** Where text stands, in screen units; a number drawn over it would hide it. */
  readonly texts: readonly Rect[];
  /** What could not be looked at, and why. */
  readonly warnings: readonly string[];
}

// An app shows no more than this at once; a table of a hundred thousand rows is cut here.
const nodesPerWindow = 5_000;

/** Finds everything in the picture that can be acted on, and remembers it under its numbers. */
export async function findRegions(surface: Surface, picture: Picture, options: MarkRegionsOptions): Promise<Marked> {
  const { signal, sources, maxRegions, findTemplates } = options;
  const { bounds, source } = picture;
  const warnings: string[] = [];
  const look = async <Found>(from: RegionSource, find: () => Promise<readonly Found[]>): Promise<readonly Found[]> => {
    if (!sources.includes(from)) return [];
    try {
      return await find();
    } catch (error) {
      // The sources stand in for each other; what one cannot tell is no reason to tell nothing.
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      warnings.push(`${from}: ${error.message}`);
      return [];
    }
  };
  const windows = (await surface.backend.windows?.list({ signal })) ?? [];
  const only = source.kind === "window" ? source.windowId : undefined;
  const shown = windows.filter(
    (window) => isShown(window) && (only === undefined ? intersect(window.bounds, bounds) : window.id === only),
  );
  const nodeSource = surface.backend.elements?.isDocument ? "dom" : "accessibility";
  const [nodes, texts, templates] = await Promise.all([
    look(nodeSource, () => nodesOf(surface, shown, only === undefined ? windows : [], signal)),
    look("ocr", async () => (await readScreen(surface, picture, { signal })).lines),
    look("template", async () => (await findTemplates(picture)).map((hit) => onScreen(picture, hit))),
  ]);
  const shapes = await look("heuristic", async () => shapesOf(picture));
  const places = new Map(shown.map(({ id, bounds: place }) => [id, place]));
  const fused = fuse(
    { nodes, templates, texts, shapes: shapes.filter(({ box }) => isUndescribed(box, nodes)) },
    {
      view: bounds,
      maxRegions,
      nodeSource,
      previous: surface.regions.latest,
      moved: only === undefined ? undefined : surface.regions.movedSince(only, places.get(only) ?? bounds),
    },
  );
  surface.regions.remember(fused.regions, places);
  return { ...fused, texts: texts.map(({ box }) => box), warnings };
}

function shapesOf(picture: Picture): readonly Sighting[] {
  const { pixels, bounds } = picture;
  return findWidgets(pixels, { scale: pixels.width / bounds.width }).map(({ kind, rect, confidence }) =>
    onScreen(picture, { text: kind, confidence, box: rect }),
  );
}

const onScreen = ({ pixels, bounds }: Picture, { box, ...seen }: Sighting): Sighting => ({
  ...seen,
  box: toScreenRect({ bounds, image: pixels }, box),
});

const isShown = ({ isVisible, isMinimized }: WindowInfo): boolean => isVisible && !isMinimized;

/** The elements of the windows; on a picture of the screen, without those that other windows hide. */
async function nodesOf(
  surface: Surface,
  shown: readonly WindowInfo[],
  stack: readonly WindowInfo[],
  signal: AbortSignal,
): Promise<readonly UiNode[]> {
  const elements = surface.need("elements");
  const trees = await Promise.allSettled(
    shown.map(async ({ id, pid }) =>
      pid === undefined ? [] : (await elements.tree({ pid, windowId: id }, { maxNodes: nodesPerWindow, signal })).nodes,
    ),
  );
  signal.throwIfAborted();
  const failed = trees.find((tree) => tree.status === "rejected");
  if (failed && trees.every(({ status }) => status === "rejected")) throw failed.reason;
  return trees.flatMap((tree, index) => {
    if (tree.status === "rejected") return [];
    const above = stack.slice(
      0,
      stack.findIndex(({ id }) => id === shown[index]?.id),
    );
    return tree.value.filter((node) => {
      const point = pointOf(node);
      return !point || !above.some((window) => isShown(window) && contains(window.bounds, point));
    });
  });
}

const drawn: ReadonlySet<string> = new Set(["canvas", "image", "unknown"]);

/** Looks count only where the tree is silent: where there is none, and inside what an app draws by itself. */
function isUndescribed(box: Rect, nodes: readonly UiNode[]): boolean {
  const described = nodes.filter(({ actions }) => actions.includes("press") || actions.includes("set_value"));
  return (
    described.length === 0 ||
    nodes.some(({ role, bounds }) => drawn.has(role) && bounds && intersect(bounds, box)?.width === box.width)
  );
}
