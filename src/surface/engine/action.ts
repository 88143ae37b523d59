import type { ScreenPoint } from "../../base/geometry.ts";
import type { Chord, Key } from "../../base/keys.ts";
import type { NodeAction, UiNode } from "../../base/node.ts";
import type { Button, PageDeed, WindowInfo, Witnessed } from "../../platform/backend.ts";
import type { WindowQuery } from "../choose-window.ts";
import type { Changes, Effect } from "../judge.ts";
import type { Target } from "../target.ts";
import type { Aim } from "./aim.ts";
import type { FoundCommand } from "./command.ts";
import type { Place } from "./place.ts";

/**
 * Background: the element's native action; pointer and focus stay where they are. Foreground: real input. Auto:
 * native for elements, real input otherwise.
 */
export const deliveries = ["auto", "background", "foreground"] as const;
export type Delivery = (typeof deliveries)[number];

export interface Click {
  readonly do: "click";
  readonly at: Target;
  readonly button: Button;
  readonly clicks: number;
  /** Pause between the clicks of a double click. */
  readonly delayMs: number;
  readonly hold: readonly Key[];
  readonly delivery: Delivery;
}

export interface Hover {
  readonly do: "hover";
  readonly at: Target;
}

export interface Scroll {
  readonly do: "scroll";
  /** Default: where the pointer is. */
  readonly at: Target | undefined;
  readonly notches: { readonly x: number; readonly y: number };
  readonly hold: readonly Key[];
}

export interface Drag {
  readonly do: "drag";
  readonly from: Target;
  readonly to: Target;
  readonly button: Button;
  readonly steps: number;
  readonly stepMs: number;
  readonly hold: readonly Key[];
}

export interface TypeText {
  readonly do: "type";
  /** Default: where the cursor is. */
  readonly into: Target | undefined;
  /** Focused first; empty for the window that has the keyboard. */
  readonly window: WindowQuery;
  readonly text: string;
  readonly delayMs: number;
}

export interface Press {
  readonly do: "press";
  /** Focused first; empty for the window that has the keyboard. */
  readonly window: WindowQuery;
  readonly chord: Chord;
  readonly repeat: number;
  readonly holdMs: number;
}

export type NativeName = "press" | "toggle" | "select" | "focus" | "expand" | "collapse" | "scroll_into_view";

/** The element's own action, without pointer or keyboard. */
export interface Native {
  readonly do: "native";
  readonly at: Target;
  readonly action: { readonly name: NativeName } | Extract<NodeAction, { readonly name: "scroll_to" }>;
}

export interface SetValue {
  readonly do: "set value";
  readonly at: Target;
  readonly value: string | number | boolean;
  /** Type the value as a person would if the app has no native way. */
  readonly orType: boolean;
}

export interface Tap {
  readonly do: "tap";
  readonly at: Target;
  /** How long the finger stays down; undefined for a plain tap. */
  readonly holdMs?: number | undefined;
}

export interface Swipe {
  readonly do: "swipe";
  readonly from: Target;
  readonly to: Target;
  readonly durationMs: number;
}

/** A key of a device, or text into its focused field. */
export interface DeviceKeys {
  readonly do: "device keys";
  readonly enter: { readonly key: string } | { readonly text: string };
  readonly displayId: number | undefined;
}

/** What only a page can do; it watches itself meanwhile. */
export interface PageAct {
  readonly do: "page";
  readonly deed: PageDeed;
}

/** A command of an app, by its name or its path through the menus. */
export interface RunCommand {
  readonly do: "command";
  /** Empty for the window in front. */
  readonly window: WindowQuery;
  readonly command: string;
}

/** One thing to do, as plain data. */
export type Action =
  | Click
  | Hover
  | Scroll
  | Drag
  | TypeText
  | Press
  | Native
  | SetValue
  | Tap
  | Swipe
  | DeviceKeys
  | RunCommand
  | PageAct;

/** An action with the places it will touch. */
export interface Located<A extends Action = Action> {
  readonly action: A;
  /** Undefined for input that goes to the keyboard focus or the pointer position. */
  readonly place: Place | undefined;
  /** Where a drag ends. */
  readonly end?: Place | undefined;
  /** The command that was found. */
  readonly command?: FoundCommand | undefined;
}

export interface PerformOptions {
  /** How long to look for an effect; 0 does not look at all. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
  /** The windows that the policy decision covers; input that would reach any other window is refused. */
  readonly only?: readonly WindowInfo[] | undefined;
}

export type Method = "ax" | "input" | "cdp" | "adb" | "system";

/** How an action was carried out. */
export interface Dispatch {
  readonly method: Method;
  readonly via: string;
  readonly warning?: string | undefined;
}

/** Where an action went. */
export interface Where {
  readonly aim?: Aim | undefined;
  /** The window acted on, when no point was aimed at. */
  readonly window?: { readonly id: number; readonly title: string } | undefined;
  readonly node?: UiNode | undefined;
}

/** What was done, to what, and the effect that was seen. */
export interface Acted extends Where, Dispatch {
  readonly effect: Effect;
  readonly changes: Changes;
  /** The element before and after; undefined when no element was watched, null when it was missing. */
  readonly before?: UiNode | null | undefined;
  readonly after?: UiNode | null | undefined;
  /** How long it looked for an effect; undefined when it did not. */
  readonly settleMs?: number | undefined;
  readonly suspectedLoop: boolean;
  /** What a page saw, including what only pages have. */
  readonly witnessed?: Witnessed | undefined;
  /** Where a drag was dropped. */
  readonly end?: ScreenPoint | undefined;
  /** Whether the field was seen to show what was entered; undefined when nothing was. Text that does not show is a secret. */
  readonly showsText?: boolean | undefined;
  /** The path of the command that was run. */
  readonly command?: string | undefined;
  /** What the field took, if part of the text is missing. */
  readonly arrived?: string | undefined;
}
