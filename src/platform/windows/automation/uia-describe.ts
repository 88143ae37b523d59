import { centre, intersect, type Rect, type ScreenPoint } from "../../../base/geometry.ts";
import type { NodeActionName, NodeState, UiNode } from "../../../base/node.ts";
import { controlTypeName, property, roleOfControl } from "./uia-names.ts";

/** What was read of an element; a property that the app or the platform lacks is missing. */
export type Properties = ReadonlyMap<number, unknown>;

export interface Surroundings {
  readonly id: string;
  readonly parent: string | undefined;
  readonly windowId: number;
  readonly pid: number | undefined;
  /** The part of the screen in which it can be visible. */
  readonly clip: Rect | undefined;
  /** Where the app itself says it can be clicked. */
  readonly clickPoint?: ScreenPoint | undefined;
}

const longestValue = 500;
const on = 1;
const mixed = 2;
const expanded = 1;
const partlyExpanded = 2;
const leaf = 3;

export function toUiaNode(read: Properties, { id, parent, windowId, pid, clip, clickPoint }: Surroundings): UiNode {
  const is = (key: number): boolean => read.get(key) === true;
  const bounds = boundsOf(read);
  const shown = bounds && (clip ? intersect(bounds, clip) : bounds);
  const isShowing = shown !== undefined && !is(property.isOffscreen);
  const type = numberOf(read, property.controlType) ?? 0;
  const role = roleOfControl(type, is(property.canToggle));
  const value = valueOf(read);
  const isCut = typeof value === "string" && value.length > longestValue;
  const automationId = textOf(read, property.automationId);
  const description = textOf(read, property.helpText);
  const range = rangeOf(read);
  return {
    runtimeId: id,
    parent,
    role,
    nativeRole: controlTypeName(type),
    name: textOf(read, property.name) ?? "",
    ...(automationId ? { automationId } : {}),
    ...(value === undefined ? {} : { value: isCut ? value.slice(0, longestValue) : value }),
    ...(isCut ? { textLength: value.length } : {}),
    ...(range ? { range } : {}),
    ...(description ? { description } : {}),
    bounds,
    clickPoint: clickPoint ?? (shown && isShowing ? centre(shown) : undefined),
    states: toStates(read, role, isShowing),
    actions: toActions(read, role),
    pid: numberOf(read, property.processId) ?? pid,
    windowId,
  };
}

export function boundsOf(read: Properties): Rect | undefined {
  const place = read.get(property.bounds) as readonly number[] | undefined;
  const [x = 0, y = 0, width = 0, height = 0] = place ?? [];
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

function numberOf(read: Properties, key: number): number | undefined {
  const value = read.get(key);
  return typeof value === "number" ? value : undefined;
}

function textOf(read: Properties, key: number): string | undefined {
  const value = read.get(key);
  return typeof value === "string" ? value : undefined;
}

function valueOf(read: Properties): string | number | undefined {
  if (read.get(property.isPassword) === true) return undefined;
  if (read.get(property.hasRange) === true) return numberOf(read, property.rangeValue);
  return read.get(property.hasValue) === true ? textOf(read, property.value) : undefined;
}

function rangeOf(read: Properties): UiNode["range"] {
  if (read.get(property.hasRange) !== true) return undefined;
  const [min, max] = [numberOf(read, property.rangeMinimum), numberOf(read, property.rangeMaximum)];
  const step = numberOf(read, property.rangeStep);
  if (min === undefined || max === undefined) return undefined;
  return { min, max, ...(step !== undefined && step > 0 ? { step } : {}) };
}

function toStates(read: Properties, role: string, isShowing: boolean): readonly NodeState[] {
  const is = (key: number): boolean => read.get(key) === true;
  const states: NodeState[] = [];
  const add = (state: NodeState, holds: boolean): void => void (holds && states.push(state));
  add("enabled", is(property.isEnabled));
  add("showing", isShowing);
  add("focused", is(property.hasFocus));
  add("focusable", is(property.isFocusable));
  add("password", is(property.isPassword));
  const isWritable = is(property.hasValue) && !is(property.isReadOnly);
  add("editable", isWritable && (role === "textbox" || role === "document" || role === "combobox"));
  add("readonly", is(property.hasValue) && is(property.isReadOnly));
  if (is(property.canToggle)) {
    const state = numberOf(read, property.toggleState);
    states.push("checkable");
    add("checked", state === on && role !== "togglebutton");
    add("pressed", state === on && role === "togglebutton");
    add("mixed", state === mixed);
  }
  if (is(property.canSelect)) {
    states.push("selectable");
    add("selected", is(property.isSelected));
    // A radio button is a choice among others: UI Automation has no toggle for it.
    add("checkable", role === "radio");
    add("checked", role === "radio" && is(property.isSelected));
  }
  if (canExpand(read)) {
    const state = numberOf(read, property.expandState);
    const isOpen = state === expanded || state === partlyExpanded;
    states.push("expandable", isOpen ? "expanded" : "collapsed");
  }
  add("modal", is(property.isModal));
  add("required", is(property.isRequired));
  add("invalid", read.get(property.isValid) === false && is(property.hasValue));
  return states;
}

const canExpand = (read: Properties): boolean =>
  read.get(property.canExpand) === true && numberOf(read, property.expandState) !== leaf;

function toActions(read: Properties, role: string): readonly NodeActionName[] {
  const is = (key: number): boolean => read.get(key) === true;
  if (!is(property.isEnabled)) return [];
  const hasDefault = is(property.hasLegacy) && (textOf(read, property.legacyAction) ?? "") !== "";
  const isOpen = numberOf(read, property.expandState) === expanded;
  const canWrite =
    (is(property.hasValue) && !is(property.isReadOnly)) || (is(property.hasRange) && !is(property.isRangeReadOnly));
  const actions: NodeActionName[] = [];
  const add = (action: NodeActionName, can: boolean): void => void (can && actions.push(action));
  const isField = role === "textbox" || role === "document";
  add("press", !isField && (is(property.canInvoke) || is(property.canToggle) || is(property.canSelect) || hasDefault));
  add("toggle", is(property.canToggle));
  add("set_value", canWrite);
  add("select", is(property.canSelect));
  if (canExpand(read)) actions.push(isOpen ? "collapse" : "expand");
  // Without any pattern Wine answers: SetFocus is not there either.
  add("focus", is(property.isFocusable) && read.has(property.canInvoke));
  add("scroll_into_view", is(property.canScrollItem));
  return actions;
}
