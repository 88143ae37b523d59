export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What an app shows, as Android's accessibility layer and a person see it; bounds are pixels of the display. */
export interface View {
  readonly type: string;
  readonly bounds: Rect;
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly description?: string | undefined;
  readonly isCheckable?: boolean | undefined;
  readonly isChecked?: boolean | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly isFocusable?: boolean | undefined;
  readonly isFocused?: boolean | undefined;
  readonly isScrollable?: boolean | undefined;
  readonly isPassword?: boolean | undefined;
  readonly isSelected?: boolean | undefined;
  /** Layouts and decoration are left out of a compressed dump. */
  readonly isDecoration?: boolean | undefined;
  /** Painted, but unknown to accessibility. */
  readonly isOnlyPainted?: boolean | undefined;
  readonly children?: readonly View[] | undefined;
  readonly look?: Look | undefined;
  readonly onTap?: (() => void) | undefined;
  readonly onLongPress?: (() => void) | undefined;
  readonly onScroll?: ((dx: number, dy: number) => void) | undefined;
}

export interface Look {
  readonly fill?: string;
  readonly line?: string;
  readonly radius?: number;
  readonly color?: string;
  readonly size?: number;
  readonly align?: "start" | "middle";
  /** Drawn instead of the text. */
  readonly shown?: string;
  /** A path in a box of 24 by 24. */
  readonly icon?: string;
}

export const contains = (rect: Rect, x: number, y: number): boolean =>
  x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;

export function clip(rect: Rect, by: Rect): Rect | undefined {
  const x = Math.max(rect.x, by.x);
  const y = Math.max(rect.y, by.y);
  const width = Math.min(rect.x + rect.width, by.x + by.width) - x;
  const height = Math.min(rect.y + rect.height, by.y + by.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** The topmost view under a point that handles this, as touches travel from the leaf to its ancestors. */
export function findAt(
  views: readonly View[],
  x: number,
  y: number,
  answers: (view: View) => boolean,
): View | undefined {
  for (const view of views.toReversed()) {
    if (!contains(view.bounds, x, y)) continue;
    const inner = findAt(view.children ?? [], x, y, answers);
    if (inner) return inner;
    if (answers(view)) return view;
  }
  return undefined;
}

export function textsOf(views: readonly View[], within: Rect): string[] {
  return views.flatMap((view) => {
    const visible = clip(view.bounds, within);
    if (!visible) return [];
    const own = view.text ?? view.look?.shown ?? view.description;
    return [...(own === undefined || own === "" ? [] : [own]), ...textsOf(view.children ?? [], visible)];
  });
}
