import { ToolError } from "../../../base/errors.ts";
import { type NodeAction, nothingToDo, type ScrollTo, type UiNode } from "../../../base/node.ts";
import { ComError, type ComObject, holding, hresult, isGone, isSilent } from "./com.ts";
import type { Uia } from "./uia.ts";
import { property, type PatternName } from "./uia-names.ts";
import { gone, unsupported } from "./refusals.ts";

export interface UiaTarget {
  readonly uia: Uia;
  readonly object: ComObject;
  /** As it was read just now. */
  readonly node: UiNode;
}

/** Acts through the element's patterns, and returns the call that was used. */
export function performUia(target: UiaTarget, action: NodeAction): string {
  if (action.name !== "scroll_to" && !target.node.states.includes("enabled")) {
    throw new ToolError("not_dispatchable", `${show(target)} is disabled.`, { hint: "Do what enables it first." });
  }
  switch (action.name) {
    case "press":
      return first(
        target,
        "press",
        ["invoke", 3],
        ["toggle", 3],
        ["selectionItem", 3],
        ["expandCollapse", 3],
        ["legacy", 4],
      );
    case "toggle":
      return first(target, "toggle", ["toggle", 3]);
    case "select":
      return first(target, "select", ["selectionItem", 3]);
    case "expand":
      return first(target, "expand", ["expandCollapse", 3]);
    case "collapse":
      return first(target, "collapse", ["expandCollapse", 4]);
    case "scroll_into_view":
      return first(target, "scroll_into_view", ["scrollItem", 3]);
    case "focus":
      return done(target, "SetFocus", target.uia.setFocus(target.object));
    case "menu":
      return done(target, "ShowContextMenu", target.uia.showContextMenu(target.object));
    case "set_value":
      return setValue(target, action.value);
    case "scroll_to":
      return scroll(target, action);
  }
}

const methods: Partial<Record<PatternName, Readonly<Record<number, string>>>> = {
  invoke: { 3: "Invoke" },
  toggle: { 3: "Toggle" },
  selectionItem: { 3: "Select" },
  expandCollapse: { 3: "Expand", 4: "Collapse" },
  scrollItem: { 3: "ScrollIntoView" },
  legacy: { 4: "DoDefaultAction" },
};

/** The first of these patterns that the element has. */
function first(target: UiaTarget, action: string, ...ways: readonly (readonly [PatternName, number])[]): string {
  for (const [name, slot] of ways) {
    const via = withPattern(target, name, (pattern) => pattern.call(slot, ""), methods[name]?.[slot] ?? String(slot));
    if (via !== undefined) return via;
  }
  throw unsupported(show(target), action);
}

function setValue(target: UiaTarget, value: string | number | boolean): string {
  if (typeof value === "boolean") {
    const isOn = target.node.states.includes("checked") || target.node.states.includes("pressed");
    return isOn === value ? nothingToDo : first(target, "toggle", ["toggle", 3]);
  }
  const number = typeof value === "number" ? value : Number(value);
  const isNumber = target.node.range !== undefined && !Number.isNaN(number);
  const asNumber = isNumber
    ? withPattern(target, "rangeValue", (pattern) => pattern.call(3, "double value", number), "SetValue")
    : undefined;
  const via =
    asNumber ??
    withPattern(
      target,
      "value",
      (pattern) => {
        const text = target.uia.makeString(String(value));
        try {
          return pattern.call(3, "void *text", text);
        } finally {
          target.uia.freeString(text);
        }
      },
      "SetValue",
    );
  if (via === undefined) throw unsupported(show(target), "set_value");
  return via;
}

const keep = -1;
const amount = { smallDecrement: 1, none: 2, smallIncrement: 4 } as const;
const mostAncestors = 12;

/** Scrolls the element, or the nearest container that can. */
function scroll(target: UiaTarget, action: ScrollTo): string {
  return holding((hold) => {
    let object: ComObject | undefined = target.object;
    for (let level = 0; object && level < mostAncestors; level++) {
      const via = withPattern({ ...target, object }, "scroll", (pattern) => scrollBy(pattern, action), "Scroll");
      if (via !== undefined) return via;
      object = hold(target.uia.parent(object)?.object);
    }
    throw new ToolError("pattern_unsupported", `${show(target)} is not in anything that scrolls.`, {
      hint: "Use scroll, which turns the mouse wheel over it.",
    });
  });
}

function scrollBy(pattern: ComObject, { isHorizontal, percent, notches }: ScrollTo): number {
  if (percent !== undefined) {
    const [x, y] = isHorizontal ? [percent, keep] : [keep, percent];
    return pattern.call(4, "double horizontal, double vertical", x, y);
  }
  const step = notches < 0 ? amount.smallDecrement : amount.smallIncrement;
  const [x, y] = isHorizontal ? [step, amount.none] : [amount.none, step];
  let result: number = hresult.ok;
  for (let left = Math.abs(Math.round(notches)); left > 0 && result >= 0; left--) {
    result = pattern.call(3, "int32 horizontal, int32 vertical", x, y);
  }
  return result;
}

/** Undefined when the element does not have the pattern. */
function withPattern(
  target: UiaTarget,
  name: PatternName,
  act: (pattern: ComObject) => number,
  method: string,
): string | undefined {
  return holding((hold) => {
    let found: ComObject | undefined;
    try {
      found = hold(target.uia.pattern(target.object, name));
    } catch (error) {
      if (error instanceof ComError && isGone(error.result)) throw gone();
      throw error;
    }
    if (!found) return undefined;
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}Pattern.${method}`;
    return done(target, title, act(found));
  });
}

function done(target: UiaTarget, via: string, result: number): string {
  if (result >= 0) return via;
  if (isGone(result)) throw gone();
  // The app has accepted the call: one that opens a modal dialog answers only when the dialog is closed.
  if (isSilent(result)) return `${via}, not answered yet`;
  if (result === hresult.notImplemented || result === hresult.noInterface) throw unsupported(show(target), via);
  if (result === hresult.notEnabled) {
    throw new ToolError("not_dispatchable", `${show(target)} is disabled.`, { hint: "Do what enables it first." });
  }
  throw new ToolError("not_dispatchable", `${show(target)} refused ${via} (0x${(result >>> 0).toString(16)}).`, {
    hint: "Click it instead.",
  });
}

const show = ({ node: { nativeRole, name } }: UiaTarget): string =>
  `The ${nativeRole}${name === "" ? "" : ` "${name.slice(0, 80)}"`}`;

const documentRange = 7;
const getText = 12;

/** The text of a document, else the value of a field; undefined when the element has neither. */
export function readUiaText(
  { uia, object }: Pick<UiaTarget, "uia" | "object">,
  maxChars: number,
): { readonly text: string; readonly length: number } | undefined {
  return holding((hold) => {
    const range = hold(hold(uia.pattern(object, "text"))?.object(documentRange, ""));
    const out: [bigint | null] = [null];
    const wholeText = -1;
    const isRead = range !== undefined && range.call(getText, "int32 most, _Out_ void **text", wholeText, out) >= 0;
    const value = isRead ? uia.takeString(out[0]) : uia.current(object, property.value);
    return typeof value === "string" ? { text: value.slice(0, maxChars), length: value.length } : undefined;
  });
}
