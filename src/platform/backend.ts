import type { EncodedPixels, Pixels } from "../base/frame.ts";
import type { Rect, ScreenPoint } from "../base/geometry.ts";
import type { Key } from "../base/keys.ts";
import type { NodeAction, UiNode } from "../base/node.ts";
import type { PageActs } from "./page-acts.ts";

export type { Facts, PageActs, PageDeed, PageDialog, PageTrouble, Witnessed } from "./page-acts.ts";

/**
 * THE contract. A backend turns one native API into these few raw operations; everything a person would call
 * an action (a double click, a drag, a chord, waiting) is written once above it, in `surface/`.
 *
 * - A missing member means the backend cannot do it. Nothing else announces support.
 * - Every coordinate is in the surface's one screen space.
 * - Every method is async, takes and gives plain data, and fails with a `ToolError`.
 * - A backend reconnects by itself: after a lost display the call that notices fails with `not_connected`,
 *   and the next call works once the display is back.
 */
export interface Backend extends AsyncDisposable {
  /** "linux-x11", "fake", … */
  readonly id: string;
  readonly screen?: Screen;
  readonly pointer?: Pointer;
  readonly keyboard?: Keyboard;
  readonly touch?: Touch;
  readonly windows?: Windows;
  readonly apps?: Apps;
  readonly clipboard?: Clipboard;
  readonly elements?: Elements;
  readonly events?: Events;
  readonly page?: PageActs;
  /** What works here, what does not, and how to fix it. Never throws: a failure is a finding. */
  diagnose(): Promise<readonly Finding[]>;
}

/** The members of a backend that a tool can need. */
export type Ability = Exclude<keyof Backend, "id" | "diagnose" | typeof Symbol.asyncDispose>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Finding {
  readonly ability: Ability | "connection" | "image" | "ocr" | "android";
  readonly status: "ok" | "limited" | "missing";
  /** One sentence: what was probed and what came out. */
  readonly detail: string;
  /** The command or setting that mends it. */
  readonly fix?: string;
}

// --- eyes ---------------------------------------------------------------------------------------------------

export interface Display {
  /** Stable while the set of displays stays the same. */
  readonly id: number;
  readonly name: string;
  readonly bounds: Rect;
  readonly isPrimary: boolean;
  /** Device pixels per logical unit as the platform advertises it (Xft.dpi / 96 on X11). */
  readonly scale: number;
}

export type CaptureArea =
  | { readonly kind: "screen" }
  | { readonly kind: "display"; readonly displayId: number }
  | { readonly kind: "window"; readonly windowId: number }
  | { readonly kind: "region"; readonly rect: Rect };

export interface CaptureOptions extends CallOptions {
  readonly includeCursor?: boolean;
  /** Also say where these windows were in the very moment of the picture. */
  readonly locate?: readonly number[];
  /** The pixels are only compared with others and shown to nobody. */
  readonly isEvidence?: boolean;
}

/**
 * Captured pixels, lent: `pixels.data` may be shared memory that the next capture overwrites. Copy or encode
 * before disposing; never keep it, and never write to it: the next capture may build on what is there.
 */
export interface Capture extends Disposable {
  readonly pixels: Pixels;
  /** The rectangle of screen space the pixels show; a window's bounds for a window. */
  readonly bounds: Rect;
  /** Where the windows to `locate` were; missing where the platform cannot tell. */
  readonly located?: readonly Rect[];
}

/** A picture as the platform itself has encoded it. */
export interface EncodedCapture extends EncodedPixels {
  /** The rectangle of screen space it shows. */
  readonly bounds: Rect;
}

export interface Screen {
  /**
   * A picture costs more than all other readings together, because megabytes of it come over a cable: as evidence for an
   * action it is only looked at where nothing else tells.
   */
  readonly isSlow?: boolean;
  displays(options?: CallOptions): Promise<readonly Display[]>;
  /** The whole virtual screen: the union of all displays. */
  bounds(options?: CallOptions): Promise<Rect>;
  /** A covered window is captured whole; a minimised one is refused with `not_supported`. */
  capture(area: CaptureArea, options?: CaptureOptions): Promise<Capture>;
  /**
   * A picture to be shown, encoded where the platform does that itself and it is the faster way. Undefined: it cannot of
   * this area.
   */
  encoded?(area: CaptureArea, options?: CaptureOptions): Promise<EncodedCapture | Capture | undefined>;
}

// --- hands --------------------------------------------------------------------------------------------------

export type Button = "left" | "middle" | "right" | "back" | "forward";

export interface Pointer {
  position(options?: CallOptions): Promise<ScreenPoint>;
  move(to: ScreenPoint, options?: CallOptions): Promise<void>;
  down(button: Button, options?: CallOptions): Promise<void>;
  up(button: Button, options?: CallOptions): Promise<void>;
  /** Down and up as one, where the platform can: nothing gets between them, and neither waits for the other. */
  tap?(button: Button, options?: CallOptions): Promise<void>;
  /** Wheel notches; positive is right and down. */
  wheel(notches: { readonly x: number; readonly y: number }, options?: CallOptions): Promise<void>;
}

export interface TypeOptions extends CallOptions {
  /** Pause after each character. 0 sends as fast as the receiving app keeps up. */
  readonly delayMs?: number;
}

export interface Keyboard {
  down(key: Key, options?: CallOptions): Promise<void>;
  up(key: Key, options?: CallOptions): Promise<void>;
  /** Types any Unicode text into whatever has the focus. Resolves when the focused app has taken it in. */
  text(text: string, options?: TypeOptions): Promise<void>;
}

/** How input was sent: the kind of way, and the command or call that did it. */
export interface Sent {
  readonly method: "adb";
  readonly via: string;
}

export interface TouchOptions extends CallOptions {
  /** Which display's focus keys and text go to, where there are several. */
  readonly displayId?: number | undefined;
}

/** A touch screen with the keys of its device: whole gestures, each checked by the device itself when it happens. */
export interface Touch {
  /** What is in front on a display, or on the one everybody means: its window, and the app that it is of. */
  shown(displayId?: number): { readonly windowId: number; readonly pid: number };
  /** A point that is not on the display is refused by the device: it may have been turned since the point was named. */
  tap(at: ScreenPoint, options?: CallOptions): Promise<Sent>;
  /** A swipe that goes nowhere is a long press. */
  swipe(from: ScreenPoint, to: ScreenPoint, options: CallOptions & { readonly durationMs: number }): Promise<Sent>;
  /** A key of the device, by the name the platform gives it. */
  press(key: string, options?: TouchOptions): Promise<Sent>;
  /** All of the text, or nothing where a character cannot be typed here. */
  type(text: string, options?: TouchOptions): Promise<Sent>;
}

// --- windows and apps ---------------------------------------------------------------------------------------

export type WindowKind =
  | "normal"
  | "dialog"
  | "utility"
  | "menu"
  | "tooltip"
  | "notification"
  | "splash"
  | "dock"
  | "desktop"
  | "unknown";

export interface WindowInfo {
  readonly id: number;
  readonly title: string;
  /** The owning application as a person names it; empty when nobody owns up to it. */
  readonly appName: string;
  readonly className: string;
  readonly pid: number | undefined;
  readonly processName: string;
  readonly kind: WindowKind;
  /** What a person sees as the window: with its title bar, without a drawn shadow. */
  readonly bounds: Rect;
  readonly isVisible: boolean;
  readonly isMinimized: boolean;
  readonly isMaximized: boolean;
  readonly isFullscreen: boolean;
  readonly isForeground: boolean;
  readonly canMinimize: boolean;
  readonly canMaximize: boolean;
  readonly displayId: number | undefined;
  /** Of what it shows, where that has one: a page has. */
  readonly address?: string | undefined;
}

export type WindowChange =
  /** Raise and give keyboard focus. */
  | { readonly to: "focus" }
  | { readonly to: "front" }
  | { readonly to: "back" }
  | { readonly to: "minimize" }
  | { readonly to: "restore" }
  | { readonly to: "maximize" }
  /** Asks the app to close it; the app may show a dialog instead. */
  | { readonly to: "close" }
  | { readonly to: "move"; readonly x: number; readonly y: number }
  | { readonly to: "resize"; readonly width: number; readonly height: number };

export interface ListOptions extends CallOptions {
  /** Not as they were a moment ago either, where asking takes so long that this would do. */
  readonly isFresh?: boolean;
}

export interface Windows {
  /** Every top-level window, hidden ones included, topmost first. */
  list(options?: ListOptions): Promise<readonly WindowInfo[]>;
  /** One window, or undefined when it is gone. */
  get(id: number, options?: CallOptions): Promise<WindowInfo | undefined>;
  active(options?: CallOptions): Promise<number | undefined>;
  /** Resolves when the window manager has done it; `timeout` when it did not. */
  change(id: number, change: WindowChange, options?: CallOptions): Promise<void>;
  /** True once the window's app has handled all input sent so far; false when it cannot tell. */
  drained?(id: number, options?: CallOptions): Promise<boolean>;
  /**
   * A number that is another one after any window came, went, moved or changed its title. The same number after a capture
   * as before the windows were listed means that the list is how they were in the picture.
   */
  changes?(options?: CallOptions): Promise<number>;
}

export interface RunningApp {
  readonly name: string;
  readonly pid: number;
  readonly executable: string;
  readonly windowIds: readonly number[];
}

export interface InstalledApp {
  /** What `launch` takes. */
  readonly id: string;
  readonly name: string;
  readonly executable: string;
}

/** What `launch` would start. */
export interface ResolvedApp {
  /** One that the system's menu offers, and nothing but it. */
  readonly isInstalled: boolean;
  /** A terminal or something like it: whoever uses it can run any command. */
  readonly runsCommands: boolean;
  readonly executable: string;
}

export interface Apps {
  /** Undefined when there is no such app or command. Starts nothing. */
  resolve?(app: string, options?: CallOptions): Promise<ResolvedApp | undefined>;
  running(options?: CallOptions): Promise<readonly RunningApp[]>;
  installed(options?: CallOptions): Promise<readonly InstalledApp[]>;
  /** Starts it detached from us. `not_found` lists the nearest names. */
  launch(app: string, args: readonly string[], options?: CallOptions): Promise<{ readonly pid: number }>;
  /** Graceful asks every window to close (then SIGTERM); force kills. Resolves when the process has ended. */
  quit(pid: number, options?: CallOptions & { readonly force?: boolean; readonly timeoutMs?: number }): Promise<void>;
}

export interface Clipboard {
  /** The text on the clipboard; undefined when there is none or it is not text. */
  read(options?: CallOptions): Promise<string | undefined>;
  write(text: string, options?: CallOptions): Promise<void>;
}

// --- elements -----------------------------------------------------------------------------------------------

/** One app, or one window of it. */
export interface ElementOwner {
  readonly pid: number;
  readonly windowId?: number | undefined;
}

declare const scope: unique symbol;

/** Which elements. Made by `Elements.scope`, and whatever that backend needs it to be: hand it back, look at nothing in it. */
export interface ElementScope {
  readonly [scope]: true;
}

export interface HastyOptions extends CallOptions {
  /** How long the app may be silent. A frozen one costs this much and no more; the call ends with `timeout`. */
  readonly timeoutMs?: number | undefined;
}

export interface TreeOptions extends HastyOptions {
  readonly maxNodes: number;
  /** Only what is below this element. */
  readonly root?: string | undefined;
}

export interface Tree {
  /** Parents before their children, siblings in order; elements nobody can see are left out. */
  readonly nodes: readonly UiNode[];
  /** Children left out for the budget, per parent. */
  readonly omitted: readonly { readonly parent: string; readonly count: number }[];
}

export interface Pressing {
  /** A row is opened, as by a double click. */
  readonly opensRows?: boolean;
  /** An open menu stays open, or its app stops answering: its entries want a real click. */
  readonly breaksMenus?: boolean;
}

/**
 * Raw and live: nothing is remembered between calls but the identity of elements. An element that is gone is
 * undefined or `uid_not_found`; an app that does not answer costs its deadline (`timeout`) and no other app's.
 */
export interface Elements {
  /** Told by the document of a page; otherwise by the accessibility interface. */
  readonly isDocument?: boolean;
  /** Reading the tree as evidence waits until the app has come to rest, so that nobody need wait before. */
  readonly waitsForRest?: boolean;
  /** Reading elements takes so long that nobody wants to wait for it around every action. */
  readonly isSlow?: boolean;
  /** How long the app may be silent where its elements are read as evidence, if this platform needs longer than others. */
  readonly evidenceMs?: number;
  /** The elements of an app or window, which may be gone by now: asks nobody. */
  scope(owner: ElementOwner): ElementScope;
  /** What pressing an element natively does here besides what a click does. */
  readonly pressing?: Pressing;
  tree(scope: ElementScope, options: TreeOptions): Promise<Tree>;
  /** The smallest element at the point with its ancestors, innermost first; empty when there is none. */
  at(point: ScreenPoint, options?: HastyOptions & { readonly pid?: number | undefined }): Promise<readonly UiNode[]>;
  focused(options?: HastyOptions): Promise<UiNode | undefined>;
  /** The elements as they are now, in the order asked for. */
  read(runtimeIds: readonly string[], options?: HastyOptions): Promise<readonly (UiNode | undefined)[]>;
  /** Acts through the accessibility interface; pointer and focus stay where they are. Says which call did it. */
  perform(runtimeId: string, action: NodeAction, options?: CallOptions): Promise<{ readonly via: string }>;
  /** The text of a field, label or document. */
  text(
    runtimeId: string,
    options: CallOptions & { readonly maxChars: number },
  ): Promise<{ readonly text: string; readonly length: number } | undefined>;
  /**
   * All fields of an app that hide what is typed into them, shown or not, or those below some elements; undefined where
   * only the tree tells.
   */
  secretFields?(
    pid: number,
    options?: HastyOptions & { readonly below?: readonly string[] | undefined },
  ): Promise<SecretElements | undefined>;
  /** Follows the fields that hide what is typed into them, where that takes no reading of the tree. */
  followSecretFields?(options?: CallOptions): Promise<FollowedFields>;
}

export interface SecretElements {
  readonly ids: readonly string[];
  /** Where they are is told later than shown. */
  readonly isLate: boolean;
}

export interface SecretField {
  readonly bounds: Rect;
  readonly windowId: number | undefined;
}

export interface FollowedFields {
  /** To be asked once, after the picture. */
  end(): Promise<SecretPlaces>;
}

export interface SecretPlaces {
  /** Every place where a field was seen. */
  readonly fields: readonly SecretField[];
  readonly count: number;
  /** No field moved, came or went, so that a picture taken meanwhile shows them nowhere else. */
  readonly isStill: boolean;
  /** Something that other elements may be in was scrolled. */
  readonly hasScrolled: boolean;
}

export type ElementEventKind = "focus" | "children" | "state" | "property" | "text" | "window";

export interface ElementEvent {
  readonly kind: ElementEventKind;
  /** What exactly: "selected", "name", "insert", … */
  readonly detail: string;
  readonly runtimeId: string;
  readonly pid?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Events {
  /**
   * Resolves when all that happened before has been told to those who watch. Another number than last time means that
   * something may have been missed in between.
   */
  told?(options?: CallOptions): Promise<number>;
  /** Calls back until disposed of. A listener that falls behind loses the oldest events and is told how many. */
  watch(
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    options?: CallOptions,
  ): Promise<AsyncDisposable>;
  /** Calls back whenever pixels of the window (or screen) change, with the part that did. */
  damage?(
    windowId: number | undefined,
    listener: (part: Rect) => void,
    options?: CallOptions,
  ): Promise<AsyncDisposable>;
}
