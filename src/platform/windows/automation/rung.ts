import type { Rect, ScreenPoint } from "../../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../../base/node.ts";
import type { Deadline } from "./deadline.ts";
import type { Branch } from "./gather.ts";

export interface RungText {
  readonly text: string;
  readonly length: number;
}

export interface RungContext {
  readonly deadline: Deadline;
  /** The part of the screen that the window can show something on. */
  readonly clip: Rect | undefined;
}

/** One way to read and use the elements of a window. */
export interface Rung {
  /** As `capabilities` names it. */
  readonly name: string;
  /** How the ids of its elements begin. */
  readonly prefix: string;
  /** The window as the root of its elements; undefined when it offers none on this rung. */
  open(hwnd: number, context: RungContext): Branch | undefined;
  /** All elements of the window have been read: those that were not among them are forgotten. */
  finish?(hwnd: number): void;
  /** The window an element is in; undefined when its id is not one of this rung. */
  windowOf(id: string): number | undefined;
  branch(id: string, context: RungContext): Branch | undefined;
  read(id: string, context: RungContext): UiNode | undefined;
  /** `begin` is called with the name of the call just before it is made. */
  perform(id: string, action: NodeAction, context: RungContext, begin: (via: string) => void): string;
  text(id: string, maxChars: number, context: RungContext): RungText | undefined;
  /** What the rung itself says has the focus in this window. */
  focused?(hwnd: number, context: RungContext): UiNode | undefined;
  /** What the rung itself says is at a point, innermost first. */
  at?(hwnd: number, point: ScreenPoint, context: RungContext): readonly UiNode[] | undefined;
  release(): void;
}
