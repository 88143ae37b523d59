import { ToolError } from "../../../base/errors.ts";
import { nothingToDo, type ScrollTo } from "../../../base/node.ts";
import { optional } from "./app.ts";
import { isShowing, readChildren, readElement, readExtents, readParent, type Element } from "./element.ts";
import { hasInterface, roleNumber } from "./names.ts";
import { becomes, notDispatchable, showTarget, type Target } from "./target.ts";

// There are rows, cells and viewports between the named element and the pane with the scroll bars.
const mostAncestors = 12;
// A pane has few children; a list with thousands of rows is not the element that holds the bars.
const mostChildren = 60;
// How far one wheel notch scrolls: in steps of the scroll bar, or in pixels if it does not report its step.
const stepsOfNotch = 3;
const pixelsOfNotch = 50;

/** Moves the scroll bar of the element or of the nearest container around it. Returns the call that did it. */
export async function scrollTo(target: Target, action: ScrollTo): Promise<string> {
  const bar = await findBar(target, action.isHorizontal);
  if (!bar) {
    throw new ToolError("pattern_unsupported", `${showTarget(target)} has no scroll bar that can be moved.`, {
      hint: "Use scroll, which turns the mouse wheel over it.",
    });
  }
  const { app, options } = target;
  const { path } = bar.element;
  const read = (name: string) => optional(app.get<number>(path, `Value.${name}`, options));
  const [now, min = 0, max, step = 0] = await Promise.all(
    ["CurrentValue", "MinimumValue", "MaximumValue", "MinimumIncrement"].map(read),
  );
  if (now === undefined || max === undefined || max <= min) return nothingToDo;
  const notch = step > 0 && step < (max - min) / 2 ? step * stepsOfNotch : pixelsOfNotch;
  const wanted =
    action.percent === undefined ? now + action.notches * notch : min + ((max - min) * action.percent) / 100;
  const value = Math.min(max, Math.max(min, wanted));
  if (value === now) return nothingToDo;
  const via = "Value.CurrentValue";
  await app.set(path, via, "d", value, options);
  // The range may end a page before the maximum, so do not wait for the exact value.
  if (await becomes(bar, async () => (await read("CurrentValue")) !== now)) return `${via} of the scroll bar`;
  throw notDispatchable(target, "did not scroll", "Use scroll, which turns the mouse wheel over it.");
}

async function findBar(target: Target, isHorizontal: boolean): Promise<Target | undefined> {
  const { app, options } = target;
  let path: string | undefined = target.element.path;
  for (let level = 0; path !== undefined && level < mostAncestors; level++) {
    const children = await readChildren(app, path, options);
    const bars = children.length > mostChildren ? [] : await barsAmong(target, children, level < 2);
    for (const bar of bars) if (bar.isHorizontal === isHorizontal) return { ...target, element: bar.element };
    path = await readParent(app, path, options);
  }
  return undefined;
}

interface Bar {
  readonly element: Element;
  readonly isHorizontal: boolean;
}

/** The scroll bars among these elements. Qt puts each into its own box. */
async function barsAmong(target: Target, paths: readonly string[], deeper: boolean): Promise<readonly Bar[]> {
  const { app, options } = target;
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly Bar[]> => {
      const element = await readElement(app, path, options);
      if (!element || !isShowing(element)) return [];
      if (element.role === roleNumber.scrollBar && hasInterface(element.interfaces, "Value")) {
        const extents = await readExtents(app, path, options);
        return extents ? [{ element, isHorizontal: extents.width > extents.height }] : [];
      }
      const isBox = deeper && element.childCount > 0 && element.childCount <= 2;
      return isBox ? barsAmong(target, await readChildren(app, path, options), false) : [];
    }),
  );
  return found.flat();
}
