import type { Rect, ScreenPoint } from "./geometry.ts";

/** Something that is true of an element now. Anything not listed is false or not reported by the surface. */
export type NodeState =
  | "enabled"
  | "showing"
  | "focused"
  | "focusable"
  | "active"
  | "editable"
  | "readonly"
  | "multiline"
  | "password"
  | "checkable"
  | "checked"
  | "mixed"
  | "pressed"
  | "selectable"
  | "selected"
  | "expandable"
  | "expanded"
  | "collapsed"
  | "modal"
  | "required"
  | "invalid"
  | "busy";

/** One element of a surface's tree. Flat: children are found by `parent`. */
export interface UiNode {
  /** The element's identity while it exists, in the platform's own terms. */
  readonly runtimeId: string;
  readonly parent?: string | undefined;
  /** Text that has no element of its own: it cannot be read or acted on alone. */
  readonly isBare?: boolean | undefined;
  /** One vocabulary for all platforms ("button", "textbox", "row"); `nativeRole` keeps the original. */
  readonly role: string;
  readonly nativeRole: string;
  readonly name: string;
  /** The programmer's name for it; the best identity if it exists. */
  readonly automationId?: string | undefined;
  /** Text of a field, position of a slider. Never the content of a password field. */
  readonly value?: string | number | undefined;
  /** The length of the whole text, when `value` (or `name`, if there is no value) is only its beginning. */
  readonly textLength?: number | undefined;
  readonly range?: { readonly min: number; readonly max: number; readonly step?: number } | undefined;
  readonly description?: string | undefined;
  /** What an empty field shows. */
  readonly placeholder?: string | undefined;
  readonly bounds?: Rect | undefined;
  /** Where to click the element; not always the centre of its bounds. */
  readonly clickPoint?: ScreenPoint | undefined;
  /** What lies over all of it and takes its touches, as far as the surface knows. */
  readonly coveredBy?: string | undefined;
  readonly states: readonly NodeState[];
  /** What `perform` can do without the pointer. */
  readonly actions: readonly NodeActionName[];
  /** Its native action does less than a click: it sets the state, but the app does not hear of a click. */
  readonly needsClick?: boolean | undefined;
  readonly pid?: number | undefined;
  readonly windowId?: number | undefined;
}

/** Actions an element can offer natively. */
export const nodeActions = [
  "press",
  "toggle",
  "set_value",
  "select",
  "expand",
  "collapse",
  "focus",
  "scroll_into_view",
  "menu",
] as const;
/** What `perform` reports when the element already was as asked for, and nothing was sent. */
export const nothingToDo = "nothing to do";
export type NodeActionName = (typeof nodeActions)[number];

export type NodeAction =
  | { readonly name: Exclude<NodeActionName, "set_value"> }
  | { readonly name: "set_value"; readonly value: string | number | boolean }
  | ScrollTo;

/** Scrolls the element or its container to a percentage of the range, or by wheel notches. */
export interface ScrollTo {
  readonly name: "scroll_to";
  readonly isHorizontal: boolean;
  /** 0 is the beginning, 100 the end. */
  readonly percent: number | undefined;
  /** Used without a percentage; positive is down or right. */
  readonly notches: number;
}
