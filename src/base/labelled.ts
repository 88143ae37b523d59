import type { Rect } from "./geometry.ts";

interface Labelled {
  readonly role: string;
  readonly name: string;
  readonly bounds?: Rect | undefined;
}

// A label is at most about two lines above its field, or a short distance to its left.
const farthestAbove = 40;
const farthestBefore = 400;

/** Whether an unnamed field has this label before or above it, closer than any other field. */
export function labelled(
  field: Labelled,
  asked: string,
  all: readonly Labelled[],
  plain: (text: string) => string,
): boolean {
  const labels = all.filter(({ role, name }) => (role === "text" || role === "heading") && plain(name) === asked);
  return labels.some((label) => {
    const own = gap(label, field);
    const others = all.filter((each) => each !== field && each.role === field.role).map((each) => gap(label, each));
    return own !== undefined && others.every((other) => other === undefined || other >= own);
  });
}

/** The distance of the field from a label that could belong to it; undefined when it could not. */
function gap({ bounds: label }: Labelled, { bounds: field }: Labelled): number | undefined {
  if (!label || !field) return undefined;
  const middle = label.y + label.height / 2;
  const isBeside = middle >= field.y && middle <= field.y + field.height && label.x <= field.x;
  if (isBeside) {
    const before = Math.max(0, field.x - (label.x + label.width));
    return before <= farthestBefore ? before / 10 : undefined;
  }
  const above = field.y - (label.y + label.height);
  const isOver = label.x < field.x + field.width && label.x + label.width > field.x;
  return isOver && above >= -2 && above <= farthestAbove ? above + 50 : undefined;
}
