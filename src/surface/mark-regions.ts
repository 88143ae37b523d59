import { ToolError } from "../base/errors.ts";
import type { Picture } from "../base/frame.ts";
import { centre, contains, intersect, type Rect } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { findWidgets } from "../vision/widgets.ts";
import { pointOf } from "./find-element.ts";
import { fuse, type Fused, type Seen, type Sighting } from "./fuse-regions.ts";
import { stableIds } from "./identity.ts";
import { readScreen } from "./read-screen.ts";
import type { Numbering, RegionSource } from "./regions.ts";
import type { Surface } from "./surface.ts";
import { pixelsPerUnit, toScreenRect } from "./view.ts";
import type { WindowPicture } from "./window-picture.ts";

export interface MarkRegionsOptions {
  readonly sources: readonly RegionSource[];
  readonly maxRegions: number;
  /** Finds the caller's template images in the picture. */
  readonly findTemplates: (picture: Picture) => Promise<readonly Sighting<"image">[]>;
  /** Default: counted from 1. */
  readonly numbering?: Numbering;
  /** What the pixels are known to show: they are not read again. */
  readonly seen?: Seen | undefined;
  readonly signal: AbortSignal;
}

export interface Marked extends Fused {
  /** Where text is, in screen units; a number drawn over it would hide it. */
  readonly texts: readonly Rect[];
  /** Sources that failed, and why. */
  readonly warnings: readonly string[];
}

// More than an app shows at once; a table with a hundred thousand rows is cut here.
const nodesPerWindow = 5_000;

/** Finds everything in the picture that can be acted on, and remembers it by number. */
export async function findRegions(
  surface: Surface,
  picture: WindowPicture,
  options: MarkRegionsOptions,
): Promise<Marked> {
  const { signal, sources, maxRegions, findTemplates, numbering, seen } = options;
  const { bounds, source } = picture;
  const own = picture.windows?.map(({ id }) => id) ?? (source.kind === "window" ? [source.windowId] : undefined);
  const warnings: string[] = [];
  const look = async <Found>(from: RegionSource, find: () => Promise<readonly Found[]>): Promise<readonly Found[]> => {
    if (!sources.includes(from)) return [];
    try {
      return await find();
    } catch (error) {
      // The sources back each other up; if one fails, the others still count.
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      warnings.push(`${from}: ${error.message}`);
      return [];
    }
  };
  const windows = ((await surface.backend.windows?.list({ signal })) ?? []).filter(isShown);
  const shown = windows.filter((window) => (own ? own.includes(window.id) : intersect(window.bounds, bounds)));
  const stack = own ? shown : windows;
  const nodeSource = surface.backend.elements?.isDocument ? "dom" : "accessibility";
  const [trees, texts, templates] = await Promise.all([
    look(nodeSource, () => treesOf(surface, shown, signal)),
    seen?.texts ?? look("ocr", async () => (await readScreen(surface, picture, { signal })).lines),
    seen?.templates ??
      look("template", async () => (await findTemplates(picture)).map((hit) => onScreen(picture, hit))),
  ]);
  const shapes = seen?.shapes ?? (await look("heuristic", async () => shapesOf(picture)));
  const nodes = trees.flatMap((tree) => tree.nodes);
  const windowAt = (point: { readonly x: number; readonly y: number }) =>
    stack.find((window) => contains(window.bounds, point));
  const fused = fuse(
    {
      nodes: trees.flatMap((tree) => uncovered(tree, stack)),
      templates,
      texts,
      shapes: shapes.filter(({ box }) => isUndescribed(box, trees, windowAt(centre(box)))),
    },
    {
      view: bounds,
      maxRegions,
      nodeSource,
      // Computed from whole trees: a window that covers part of another must not rename the rest of it.
      keys: new Map(trees.flatMap((tree) => [...stableIds(tree.nodes)])),
      previous: surface.regions.latest,
      anchorAt(point) {
        const window = windowAt(point);
        return window && { corner: window.bounds, moved: surface.regions.movedSince(window.id, window.bounds) };
      },
    },
  );
  surface.snapshots.saw(nodes);
  const scene = {
    windows: new Map(shown.map((each) => [each.id, each.bounds])),
    nodes,
    seen: { texts, templates, shapes },
  };
  const regions = surface.regions.remember(fused.regions, scene, numbering);
  return { ...fused, regions, texts: texts.map(({ box }) => box), warnings };
}

function shapesOf(picture: Picture): readonly Sighting[] {
  const { pixels, bounds } = picture;
  return findWidgets(pixels, { scale: pixelsPerUnit({ bounds, image: pixels }) }).map(({ kind, rect, confidence }) =>
    onScreen(picture, { text: kind, confidence, box: rect }),
  );
}

const onScreen = ({ pixels, bounds }: Picture, { box, ...seen }: Sighting<"image">): Sighting => ({
  ...seen,
  box: toScreenRect({ bounds, image: pixels }, box),
});

const isShown = ({ isVisible, isMinimized }: WindowInfo): boolean => isVisible && !isMinimized;

interface WindowTree {
  readonly window: WindowInfo;
  readonly nodes: readonly UiNode[];
}

/** The elements of each window. A window that fails is skipped if another one succeeds. */
async function treesOf(
  surface: Surface,
  shown: readonly WindowInfo[],
  signal: AbortSignal,
): Promise<readonly WindowTree[]> {
  const elements = surface.need("elements");
  const trees = await Promise.allSettled(
    shown.map(async (window) => {
      const { id, pid } = window;
      if (pid === undefined) return { window, nodes: [] };
      const scope = elements.scope({ pid, windowId: id });
      const { nodes } = await elements.tree(scope, { maxNodes: nodesPerWindow, signal });
      return { window, nodes };
    }),
  );
  signal.throwIfAborted();
  const failed = trees.find((tree) => tree.status === "rejected");
  if (failed && trees.every(({ status }) => status === "rejected")) throw failed.reason;
  return trees.flatMap((tree) => (tree.status === "fulfilled" ? tree.value : []));
}

/** The elements that are not covered by a window above. */
function uncovered({ window, nodes }: WindowTree, stack: readonly WindowInfo[]): readonly UiNode[] {
  const above = stack.slice(
    0,
    stack.findIndex(({ id }) => id === window.id),
  );
  return nodes.filter((node) => {
    const point = pointOf(node);
    return !point || !above.some(({ bounds }) => contains(bounds, point));
  });
}

const drawn: ReadonlySet<string> = new Set(["canvas", "image", "unknown"]);

/**
 * Shapes count only where the tree has nothing: in a window without elements, and inside areas that an app draws
 * itself.
 */
function isUndescribed(box: Rect, trees: readonly WindowTree[], window: WindowInfo | undefined): boolean {
  const nodes = trees.filter((tree) => !window || tree.window.id === window.id).flatMap((tree) => tree.nodes);
  return (
    !nodes.some(({ actions }) => actions.includes("press") || actions.includes("set_value")) ||
    nodes.some(({ role, bounds }) => drawn.has(role) && bounds && intersect(bounds, box)?.width === box.width)
  );
}
