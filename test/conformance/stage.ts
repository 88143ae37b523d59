import type { Rect, ScreenPoint, Size } from "../../src/base/geometry.ts";
import type { Key } from "../../src/base/keys.ts";
import type { Backend, Button, ElementScope } from "../../src/platform/backend.ts";

/**
 * What a backend is tested on: a known app, and a way to see from outside what really happened. A stage answers from
 * the app's own log, the page's own script or the device's own memory, never through the tested backend.
 */
export interface Stage extends AsyncDisposable {
  readonly backend: Backend;
  /** The size of the screen, in its units. */
  readonly screen: Size;
  readonly app: KnownApp;
  /** The same with another number of pixels per unit; closed with this one. */
  atScale?(scale: number): Promise<ScaledStage>;
  /** A second connection to the same screen, to be closed while it holds something. */
  reopen?(): Promise<Backend>;
  /** Another app with its window in front. Whoever opens it closes it. */
  openOther?(): Promise<OtherApp>;
  /** An app with the menu entry File > Save. Whoever opens it closes it. */
  openMenus?(): Promise<MenuApp>;
  /** What a person sees at a point, with whatever is drawn over the apps; 0xRRGGBB. */
  seen?(point: ScreenPoint): Promise<number>;
  readonly clipboard?: OutsideClipboard;
  readonly launchable?: Launchable;
}

export interface ScaledStage extends Pick<Stage, "backend" | "app"> {
  /** Pixels of a picture per screen unit. */
  readonly pixelsPerUnit: number;
}

/** The names of the known app's controls, on every platform. */
export const names = {
  button: "Press me",
  disabled: "Disabled",
  check: "Check me",
  field: "Notes",
  secret: "Secret",
  slider: "Volume",
  list: "Fruits",
  row: "Fruit 2",
  hiddenRow: "Fruit 40",
  expander: "More",
} as const;

/** The colours of the pad's halves, 0xRRGGBB; the app can swap them. */
export const colours = { left: 0xc81e1e, right: 0x1e3cc8 } as const;

export const titles = { window: "Conformance", renamed: "Renamed", dialog: "Question", other: "Other" } as const;

/** What the app itself reports. Points are in screen units, wheels in notches. */
export type AppEvent =
  | { readonly event: "press" | "release"; readonly button: Button; readonly x: number; readonly y: number }
  | { readonly event: "move"; readonly x: number; readonly y: number; readonly isHeld: boolean }
  | { readonly event: "wheel"; readonly x: number; readonly y: number }
  | { readonly event: "key"; readonly key: Key; readonly isDown: boolean }
  | { readonly event: "pressed" | "selected"; readonly name: string }
  | { readonly event: "toggled" | "expanded"; readonly name: string; readonly on: boolean }
  | { readonly event: "value"; readonly name: string; readonly value: number };

/** What the app does when told from outside. */
export type AppCommand = "swap colours" | "focus field" | "remove button" | "retitle" | "open dialog" | "check";

export interface KnownApp {
  /** The title of its window: "Conformance", or what the platform makes of it. */
  readonly title: string;
  readonly pid: number;
  readonly scope: ElementScope;
  /** What it has reported since the last reset, oldest first. */
  readonly events: readonly AppEvent[];
  /** Restores the initial state: the window in front, the field empty, the box unchecked, no events. */
  reset(): Promise<void>;
  /** Resolves when it is done. */
  act(command: AppCommand): Promise<void>;
  /** The painted area that reports pointer events; its width is even. */
  pad(): Promise<Rect>;
  /** Where a control is. */
  place(name: string): Promise<Rect>;
  /** The bounds of its window, including title bar and border. */
  window(): Promise<Rect>;
  /** The full content of the field. */
  text(): Promise<string>;
  /** Unresponsive until disposed. */
  freeze?(): Promise<AsyncDisposable>;
}

export interface OtherApp extends AsyncDisposable {
  readonly pid: number;
  isOpen(): Promise<boolean>;
  freeze?(): Promise<AsyncDisposable>;
}

export interface MenuApp extends AsyncDisposable {
  readonly pid: number;
  /** The entries that were chosen, as the app itself reports them. */
  chosen(): readonly string[];
}

/** The clipboard as another app uses it. */
export interface OutsideClipboard {
  read(): Promise<string>;
  write(text: string): Promise<void>;
  /** Something that is not text. */
  writePicture(): Promise<void>;
}

export interface Launchable {
  /** What `launch` takes. */
  readonly id: string;
  readonly args: readonly string[];
  /** No app has this name. */
  readonly unknown: string;
  /** Whether it is running, according to the platform itself. */
  isRunning(pid: number): Promise<boolean>;
}

/** The platform, or the stage, does not have this: a plain "no". */
export class Cannot extends Error {
  override readonly name = "Cannot";
}

export function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Cannot(`There is no ${what}.`);
  return value;
}
