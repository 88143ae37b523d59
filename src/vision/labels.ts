import { intersect, overlapArea, type RectSpace, type Size, type SpacedRect } from "../base/geometry.ts";

/** Something to label, and how large its label is. */
export interface Labelled<Space extends RectSpace> {
  readonly rect: SpacedRect<Space>;
  readonly size: Size;
}

export interface PlaceOptions<Space extends RectSpace> {
  /** Labels stay inside it. */
  readonly within: SpacedRect<Space>;
  /** What labels should not cover, such as text. */
  readonly avoid?: readonly SpacedRect<Space>[] | undefined;
}

/**
 * Puts a label where a reader cannot take it for that of a neighbour: it touches what it names and nothing else. It lies
 * outside where there is room, otherwise inside a corner. All of a grid or row have it at the same corner.
 */
export function placeLabels<Space extends RectSpace>(
  wanted: readonly Labelled<Space>[],
  { within, avoid = [] }: PlaceOptions<Space>,
): readonly SpacedRect<Space>[] {
  const placed: Placed<Space> = new Map();
  const items = wanted.map((each, index) => itemOf(each, index, { wanted, avoid, within }));
  for (const group of gridsOf(items)) {
    const tries = corners.map((_, corner) => placeAll(group, corner, placed));
    const common = tries[leastOf(tries.map((spots) => sum([...spots.values()].map(({ cost }) => cost))))];
    const isFree = (item: Item<Space>): boolean => common?.get(item)?.cost.others === 0;
    for (const item of group.filter(isFree)) placed.set(item.index, common?.get(item)?.rect ?? item.seen);
    // What would cover a neighbour there is put elsewhere, alone.
    for (const item of group.filter((each) => !isFree(each))) {
      const spots = corners.map((_, corner) => judge(item, corner, placed));
      placed.set(item.index, spots[leastOf(spots.map(({ cost }) => cost))]?.rect ?? item.seen);
    }
  }
  return wanted.map(({ rect }, index) => placed.get(index) ?? rect);
}

/** Labels by the index of what they name. */
type Placed<Space extends RectSpace> = Map<number, SpacedRect<Space>>;

/** The labels of a group, all at one corner. */
function placeAll<Space extends RectSpace>(
  group: readonly Item<Space>[],
  corner: number,
  placed: Placed<Space>,
): ReadonlyMap<Item<Space>, Spot<Space>> {
  const all: Placed<Space> = new Map(placed);
  const spots = new Map<Item<Space>, Spot<Space>>();
  for (const item of group) {
    const spot = judge(item, corner, all);
    spots.set(item, spot);
    if (spot.cost.others === 0) all.set(item.index, spot.rect);
  }
  return spots;
}

type Place = Pick<SpacedRect<RectSpace>, "x" | "y">;
type CornerOf = (rect: SpacedRect<RectSpace>, size: Size) => Place;

const outside: readonly CornerOf[] = [
  ({ x, y }, size) => ({ x, y: y - size.height }),
  ({ x, y }, size) => ({ x: x - size.width, y }),
  ({ x, y, width }) => ({ x: x + width, y }),
  ({ x, y, width }, size) => ({ x: x + width - size.width, y: y - size.height }),
  ({ x, y, height }) => ({ x, y: y + height }),
  ({ x, y, width, height }, size) => ({ x: x + width - size.width, y: y + height }),
];
const inside: readonly CornerOf[] = [
  ({ x, y }) => ({ x, y }),
  ({ x, y, width }, size) => ({ x: x + width - size.width, y }),
  ({ x, y, height }, size) => ({ x, y: y + height - size.height }),
  ({ x, y, width, height }, size) => ({ x: x + width - size.width, y: y + height - size.height }),
];
/** In the order in which a reader looks for them. */
const corners = [...outside, ...inside];

interface Item<Space extends RectSpace> extends Labelled<Space> {
  readonly index: number;
  readonly within: SpacedRect<Space>;
  /** The part that can be seen. */
  readonly seen: SpacedRect<Space>;
  /** Other labelled things nearby that a label must not cover. */
  readonly others: readonly { readonly rect: SpacedRect<Space>; readonly isApart: boolean }[];
  readonly texts: readonly SpacedRect<Space>[];
}

function itemOf<Space extends RectSpace>(
  { rect, size }: Labelled<Space>,
  index: number,
  {
    wanted,
    avoid,
    within,
  }: { wanted: readonly Labelled<Space>[]; avoid: readonly SpacedRect<Space>[]; within: SpacedRect<Space> },
): Item<Space> {
  const reach = inflated(rect, 2 * size.width, 2 * size.height);
  const isNear = (other: SpacedRect<Space>): boolean => intersect(reach, other) !== undefined;
  const others = wanted.flatMap((other, at) => {
    // What lies around it lies around its label too.
    if (at === index || !isNear(other.rect) || isWithin(rect, other.rect)) return [];
    return [{ rect: other.rect, isApart: intersect(rect, other.rect) === undefined }];
  });
  return { index, rect, size, within, seen: intersect(rect, within) ?? rect, others, texts: avoid.filter(isNear) };
}

interface Cost {
  /** How much it covers of other things and labels, or how far it is from its own. */
  readonly others: number;
  readonly text: number;
}

interface Spot<Space extends RectSpace> {
  readonly rect: SpacedRect<Space>;
  readonly cost: Cost;
}

function judge<Space extends RectSpace>(
  { seen, size, within, others, texts }: Item<Space>,
  corner: number,
  placed: Placed<Space>,
): Spot<Space> {
  const { x, y } = corners[corner]?.(seen, size) ?? seen;
  const rect: SpacedRect<Space> = {
    x: Math.max(within.x, Math.min(within.x + within.width - size.width, Math.round(x))),
    y: Math.max(within.y, Math.min(within.y + within.height - size.height, Math.round(y))),
    ...size,
  };
  const isOutside = corner < outside.length;
  // Pushed inwards by the edge, a label outside would lie across its own thing.
  const pushed = isOutside ? overlapArea(rect, seen) : 0;
  // Halfway between two things it could belong to either.
  const clear = isOutside ? inflated(rect, size.height / 3, size.height / 3) : rect;
  const covered = others.map((other) => overlapArea(other.isApart ? clear : rect, other.rect));
  const hidden = [...placed.values()].map((label) => 4 * overlapArea(rect, label));
  return {
    rect,
    cost: {
      others: pushed + sumOf(covered) + sumOf(hidden),
      text: sumOf(texts.map((text) => overlapArea(rect, text))),
    },
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const sum = (costs: readonly Cost[]): Cost => ({
  others: sumOf(costs.map(({ others }) => others)),
  text: sumOf(costs.map(({ text }) => text)),
});

function leastOf(costs: readonly Cost[]): number {
  let least = 0;
  for (const [at, { others, text }] of costs.entries()) {
    const best = costs[least] ?? { others, text };
    if (others < best.others || (others === best.others && text < best.text)) least = at;
  }
  return least;
}

const inflated = <Space extends RectSpace>(
  { x, y, width, height }: SpacedRect<Space>,
  dx: number,
  dy: number,
): SpacedRect<Space> => ({ x: x - dx, y: y - dy, width: width + 2 * dx, height: height + 2 * dy });

const isWithin = (inner: SpacedRect<RectSpace>, outer: SpacedRect<RectSpace>): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Toolkits round the places of a row by a pixel or two. */
const aligned = 3;

/** Things in rows or columns of equal height or width; the largest group first. */
function gridsOf<Space extends RectSpace>(items: readonly Item<Space>[]): readonly (readonly Item<Space>[])[] {
  const groupOf = new Map<Item<Space>, Item<Space>[]>(items.map((item) => [item, [item]]));
  for (const [at, a] of items.entries()) {
    for (const b of items.slice(at + 1)) {
      const [one, other] = [groupOf.get(a), groupOf.get(b)];
      if (!one || !other || one === other || !areNeighbours(a.rect, b.rect)) continue;
      const [large, small] = one.length < other.length ? [other, one] : [one, other];
      large.push(...small);
      for (const item of small) groupOf.set(item, large);
    }
  }
  return [...new Set(groupOf.values())].toSorted((a, b) => b.length - a.length);
}

function areNeighbours(a: SpacedRect<RectSpace>, b: SpacedRect<RectSpace>): boolean {
  const isSame = (one: number, other: number): boolean => Math.abs(one - other) <= aligned;
  const isRow = isSame(a.y, b.y) && isSame(a.height, b.height);
  const isColumn = isSame(a.x, b.x) && isSame(a.width, b.width);
  const across = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width);
  const down = Math.max(a.y, b.y) - Math.min(a.y + a.height, b.y + b.height);
  const near = 2 * Math.max(a.height, b.height);
  return (
    (isRow && across >= 0 && across <= Math.max(near, a.width, b.width)) || (isColumn && down >= 0 && down <= near)
  );
}
