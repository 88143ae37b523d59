import type { Rect, View } from "./view.ts";

export type DeviceEvent =
  | { readonly kind: "tap" | "long_press"; readonly x: number; readonly y: number; readonly on: string | undefined }
  | { readonly kind: "swipe"; readonly from: readonly [number, number]; readonly to: readonly [number, number] }
  | { readonly kind: "text"; readonly text: string; readonly into: string | undefined }
  | { readonly kind: "key"; readonly key: string; readonly code: number }
  | { readonly kind: "launch"; readonly package: string }
  | { readonly kind: "toggle"; readonly name: string; readonly on: boolean }
  | { readonly kind: "submit"; readonly data: Readonly<Record<string, string>> };

/** A text field: its content, and where the next letter goes. */
export interface Field {
  readonly name: string;
  readonly isMultiline: boolean;
  text: string;
  caret: number;
  isAllSelected: boolean;
  /** What the Enter key does in a single-line field. */
  readonly onEnter?: () => void;
  /** Where the Tab key goes. */
  readonly next?: () => Field;
}

/** What an app may ask of the device. */
export interface Host {
  readonly focused: Field | undefined;
  focus(field: Field | undefined): void;
  launch(packageName: string): void;
  say(event: DeviceEvent): void;
  /** Runs later, while the app is open. */
  after(ms: number, work: () => void): void;
}

/** The part of the display an app may use, in pixels. */
export interface Area extends Rect {
  /** Converts density-independent pixels to pixels. */
  dp(count: number): number;
}

export interface OpenApp {
  views(area: Area): View[];
  /** Whether the app handled the Back key. */
  back?(): boolean;
}

export interface App {
  readonly package: string;
  readonly activity: string;
  readonly label: string;
  readonly isSystem?: boolean;
  /** Its pixels do not appear in screenshots. */
  readonly isSecure?: boolean;
  /** Sends accessibility events endlessly: only from decoration, or from important views, too. */
  readonly restless?: "decoration" | "everything" | undefined;
  readonly color: string;
  open(host: Host): OpenApp;
}

export function makeField(name: string, rest: Partial<Field> = {}): Field {
  return { name, isMultiline: false, text: "", caret: 0, isAllSelected: false, ...rest };
}
