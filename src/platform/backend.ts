import type { EncodedPixels, Pixels } from "../base/frame.ts";
import type { Rect, ScreenPoint, Size } from "../base/geometry.ts";
import type { Chord, Key } from "../base/keys.ts";
import type { NodeAction, UiNode } from "../base/node.ts";
import type { PageActs } from "./page-acts.ts";

export type { Facts, PageActs, PageDeed, PageDialog, PageTrouble, Witnessed } from "./page-acts.ts";
export { filesWanted } from "./page-acts.ts";

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
  readonly input?: Input;
  readonly windows?: Windows;
  readonly apps?: Apps;
  readonly clipboard?: Clipboard;
  readonly elements?: Elements;
  readonly events?: Events;
  readonly commands?: Commands;
  readonly overlay?: Overlay;
  readonly page?: PageActs;
  /** What the app of a window has done beyond what its windows show. */
  traces?(windowId: number, options?: CallOptions): Promise<Traces>;
  /** What works here, what does not, and how to fix it. Never throws: a failure is a finding. */
  diagnose(): Promise<readonly Finding[]>;
}

/** The members of a backend that a tool can need. */
export type Ability = Exclude<keyof Backend, "id" | "traces" | "diagnose" | typeof Symbol.asyncDispose>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Finding {
  readonly ability: Ability | "connection" | "image" | "ocr" | "android";
  readonly status: "ok" | "limited" | "missing";
  /** One sentence: what was probed and what came out. */
  readonly detail: string;
  /** The command or setting that fixes it. */
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
  /** Also return the bounds of these windows at the moment of capture. */
  readonly locate?: readonly number[];
  /** The pixels are only compared with others; nobody sees them. */
  readonly isEvidence?: boolean;
}

/**
 * Borrowed pixels: `pixels.data` may be shared memory that the next capture overwrites. Copy or encode it before
 * disposing. Never keep it and never write to it: the next capture may update it in place.
 */
export interface Capture extends Disposable {
  readonly pixels: Pixels;
  /** The rectangle of screen space the pixels show; a window's bounds for a window. */
  readonly bounds: Rect;
  /** Bounds of the windows in `locate`; missing when the platform cannot tell. */
  readonly located?: readonly Rect[];
}

/** A picture that the platform encoded itself. */
export interface EncodedCapture extends EncodedPixels {
  /** The rectangle of screen space it shows. */
  readonly bounds: Rect;
}

/** What one unit of a surface's one coordinate space is. */
export const screenUnits = ["screen pixels", "page pixels", "points"] as const;
export type ScreenUnits = (typeof screenUnits)[number];

export interface Screen {
  /** Every place this backend takes or tells is in these. */
  readonly units: ScreenUnits;
  /**
   * A capture costs more than all other readings together (megabytes over a cable). As evidence of an effect it is used
   * only when nothing else proves it.
   */
  readonly isSlow?: boolean;
  displays(options?: CallOptions): Promise<readonly Display[]>;
  /** Why only windows can be seen and used, not the screen as a whole; undefined when all of it can. */
  partial?(options?: CallOptions): Promise<string | undefined>;
  /** The whole virtual screen: the union of all displays. */
  bounds(options?: CallOptions): Promise<Rect>;
  /** A covered window is captured whole; a minimised one is refused with `not_supported`. */
  capture(area: CaptureArea, options?: CaptureOptions): Promise<Capture>;
  /**
   * A picture to show, encoded by the platform where that is faster. Undefined when it cannot encode this area.
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
  /** Down and up as one request: nothing can come between them. */
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
  /** Types any Unicode text into whatever has the focus. Resolves when the focused app has processed it. */
  text(text: string, options?: TypeOptions): Promise<void>;
}

/** How input was sent, and the command or call that sent it. */
export interface Sent {
  readonly method: "adb";
  readonly via: string;
}

export interface TouchOptions extends CallOptions {
  /** With several displays: the one whose focus gets the keys and text. */
  readonly displayId?: number | undefined;
}

/** A touch screen and the keys of its device. Whole gestures: the device checks each one when it performs it. */
export interface Touch {
  /** The window and app in front on a display (default: the main display). */
  shown(displayId?: number): { readonly windowId: number; readonly pid: number };
  /** The device refuses a point that is off the display: it may have been rotated since the point was chosen. */
  tap(at: ScreenPoint, options?: CallOptions): Promise<Sent>;
  /** A swipe that goes nowhere is a long press. */
  swipe(from: ScreenPoint, to: ScreenPoint, options: CallOptions & { readonly durationMs: number }): Promise<Sent>;
  /** A key of the device, by its platform name. */
  press(key: string, options?: TouchOptions): Promise<Sent>;
  /** Types all of the text, or nothing when a character cannot be typed here. */
  type(text: string, options?: TouchOptions): Promise<Sent>;
}

// --- overlay ------------------------------------------------------------------------------------------------

/** Something drawn over the real screen. Later shapes cover earlier ones. */
export type OverlayShape =
  | {
      readonly kind: "fill";
      readonly rect: Rect;
      /** 0xRRGGBB. */
      readonly colour: number;
      /** Default 1. Where the platform cannot blend, less than a half is left out and the rest is opaque. */
      readonly opacity?: number;
    }
  | {
      readonly kind: "picture";
      readonly rect: Rect;
      /** Red, green, blue, opacity: four bytes per pixel, `size.width` × `size.height` of them, scaled to `rect`. */
      readonly rgba: Uint8Array;
      readonly size: Size;
    };

/** Whether captures leave the overlay out, as seen by drawing and capturing: no pixel of it was found, or some were. */
export type OverlayExposure = "excluded" | "leaked";

/**
 * Draws on the screen for a person to see. Takes no input, is no window of `Windows`, stays on top, and is in no
 * capture of `Screen`.
 */
export interface Overlay {
  /** Replaces what this layer shows. Layers lie on each other in the order of their first `show`. */
  show(layer: string, shapes: readonly OverlayShape[], options?: CallOptions): Promise<void>;
  /** Removes a layer; without a name, all of them. */
  hide(layer?: string, options?: CallOptions): Promise<void>;
  /**
   * Draws a small pattern for a moment and captures it in every way. Undefined when it did not appear on the screen:
   * then a capture without it proves nothing.
   */
  probe(options?: CallOptions): Promise<OverlayExposure | undefined>;
}

// --- the person's own input ---------------------------------------------------------------------------------

/** What happens while the pointer is taken from all apps. */
export type GrabbedEvent =
  | { readonly kind: "move"; readonly at: ScreenPoint }
  | { readonly kind: "down" | "up"; readonly at: ScreenPoint; readonly button: Button | undefined }
  /** The person has pressed Escape. */
  | { readonly kind: "escape" }
  /** The grab has ended by itself, because the connection has. */
  | { readonly kind: "lost" };

/** Something a person does, in the order in which it happens. `ms` counts on a clock of its own. */
export type HeardEvent =
  | {
      readonly kind: "down" | "up";
      readonly at: ScreenPoint;
      readonly button: Button | undefined;
      /** Modifiers that are held. */
      readonly held: Chord;
      readonly ms: number;
    }
  | {
      readonly kind: "wheel";
      readonly at: ScreenPoint;
      readonly notches: { readonly x: number; readonly y: number };
      readonly ms: number;
    }
  | {
      /** A key goes down, or repeats because it is held. */
      readonly kind: "key";
      /** The modifiers that are held, and the key; empty when it must not be known, as in a password field. */
      readonly chord: Chord;
      /** What it writes, as far as the layout tells. */
      readonly text?: string | undefined;
      readonly ms: number;
    }
  /** Nothing more will be heard, because the connection has ended. */
  | { readonly kind: "lost" };

/** Listening to the pointer, whoever moves it. Keys are read by `listen` alone; a grab hears Escape, and nothing else. */
export interface Input {
  /** Where the pointer is that `watchPointer` reports on. */
  position(options?: CallOptions): Promise<ScreenPoint>;
  /** Calls back when the pointer has moved, until disposed. */
  watchPointer(listener: () => void, options?: CallOptions): Promise<AsyncDisposable>;
  /**
   * Takes the pointer from all apps: until disposed, no movement and no click reaches any of them. Ends with the process,
   * however that ends. Fails with `timeout` while another program has the pointer.
   */
  grabPointer?(listener: (event: GrabbedEvent) => void, options?: CallOptions): Promise<AsyncDisposable>;
  /**
   * Reports buttons, wheel and keys until disposed, without taking them from anybody. For recordings that the person has
   * agreed to, and for nothing else.
   */
  listen?(listener: (event: HeardEvent) => void, options?: CallOptions): Promise<AsyncDisposable>;
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
  /** The application as a person names it; empty when unknown. */
  readonly appName: string;
  readonly className: string;
  readonly pid: number | undefined;
  readonly processName: string;
  readonly kind: WindowKind;
  /** What a person sees as the window: title bar included, shadow excluded. */
  readonly bounds: Rect;
  readonly isVisible: boolean;
  readonly isMinimized: boolean;
  readonly isMaximized: boolean;
  readonly isFullscreen: boolean;
  readonly isForeground: boolean;
  /** While it is open, its owners take no input from a person. */
  readonly isModal?: boolean | undefined;
  readonly canMinimize: boolean;
  readonly canMaximize: boolean;
  readonly displayId: number | undefined;
  /** The address of its content, if it has one (a page does). */
  readonly address?: string | undefined;
  /**
   * The windows this one belongs to, as a menu, tip or dialog does: the one that opened it, or every one that may have.
   * Missing for a window of its own. What the policy says about an owner holds for it too.
   */
  readonly owners?: readonly number[] | undefined;
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
  /** Bypass the cache and ask the platform again. */
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
  /** True when a press at the point would reach this window: it is on top there, except for what lets clicks through. */
  takes?(id: number, point: ScreenPoint, options?: CallOptions): Promise<boolean>;
  /**
   * A counter that changes whenever a window opens, closes, moves or changes its title. If it is the same before listing
   * the windows and after a capture, the list matches the picture.
   */
  changes?(options?: CallOptions): Promise<number>;
}

export interface RunningApp {
  readonly name: string;
  readonly pid: number;
  readonly executable: string;
  readonly windowIds: readonly number[];
  /** Names under which `launch` started it, where they differ from its own: `libreoffice` runs as `soffice.bin`. */
  readonly launchedAs?: readonly string[] | undefined;
  /** Processes that `launch` started and that left the windows to this one. */
  readonly launchedBy?: readonly number[] | undefined;
}

export interface InstalledApp {
  /** What `launch` takes. */
  readonly id: string;
  readonly name: string;
  readonly executable: string;
}

/** What `launch` would start. */
export interface ResolvedApp {
  /** Exactly one entry of the system's application menu. */
  readonly isInstalled: boolean;
  /** It comes from an entry of the person's own, which any program that runs as them can write. */
  readonly isPersonal: boolean;
  /** A terminal or similar: input to it can run any command. */
  readonly runsCommands: boolean;
  /** As it is found. */
  readonly executable: string;
  /** As it is run, links followed. */
  readonly file: string;
  /** What is run, before the arguments of the caller. */
  readonly words: readonly string[];
  /** Every name it goes by: as given, of its files, and of the apps in the menu that start it. */
  readonly names: readonly string[];
}

export interface Apps {
  /** What `launch` would start for each; undefined where there is no such app or command. Starts nothing. */
  resolve?(apps: readonly string[], options?: CallOptions): Promise<readonly (ResolvedApp | undefined)[]>;
  running(options?: CallOptions): Promise<readonly RunningApp[]>;
  installed(options?: CallOptions): Promise<readonly InstalledApp[]>;
  /** Starts it as a detached process. `not_found` lists the nearest names. */
  launch(app: string, args: readonly string[], options?: CallOptions): Promise<{ readonly pid: number }>;
  /** Asks every window to close (then SIGTERM); `force` kills. Resolves when the process has ended. */
  quit(pid: number, options?: CallOptions & { readonly force?: boolean; readonly timeoutMs?: number }): Promise<void>;
  /** How many bytes a process has written to files so far; undefined if that is not known. */
  written?(pid: number): Promise<number | undefined>;
}

export interface Clipboard {
  /** The text on the clipboard; undefined when there is none or it is not text. */
  read(options?: CallOptions): Promise<string | undefined>;
  write(text: string, options?: CallOptions): Promise<void>;
}

export interface Traces {
  /** How often it has copied something since the first call. */
  readonly clipboard: number;
  /** Selected text, which X11 programs offer for the middle button. */
  readonly primary: number;
  /** Pages it has opened and files it has begun to download, in order. */
  readonly opened?: readonly string[] | undefined;
  readonly downloads?: readonly string[] | undefined;
}

// --- elements -----------------------------------------------------------------------------------------------

/** One app, or one window of it. */
export interface ElementOwner {
  readonly pid: number;
  readonly windowId?: number | undefined;
  /** Windows of menus, lists and tips that this window has opened; what is in them is part of it. */
  readonly popupIds?: readonly number[] | undefined;
}

declare const scope: unique symbol;

/** Which elements to read. Created by `Elements.scope` and opaque to everyone but that backend. */
export interface ElementScope {
  readonly [scope]: true;
}

export interface HastyOptions extends CallOptions {
  /** How long to wait for an unresponsive app; then the call fails with `timeout`. */
  readonly timeoutMs?: number | undefined;
}

export interface TreeOptions extends HastyOptions {
  readonly maxNodes: number;
  /** Only descendants of this element. */
  readonly root?: string | undefined;
  /** With `root`: as it is in the whole tree, without what is hidden or scrolled away; empty when it is not visible itself. */
  readonly isPart?: boolean | undefined;
  /** Also the cell of this name, wherever its table is scrolled; for sheets that name cells by their place. */
  readonly cell?: string | undefined;
}

export interface Tree {
  /** Parents before children, siblings in order; invisible elements are left out. */
  readonly nodes: readonly UiNode[];
  /** Children left out for the budget, per parent. */
  readonly omitted: readonly { readonly parent: string; readonly count: number }[];
}

export interface Pressing {
  /** Selecting a row natively is not clicking it: it may add to the selection, or not open what a click opens. */
  readonly selectsOnly?: boolean;
  /** Pressing a row opens it, as a double click does. */
  readonly opensRows?: boolean;
  /**
   * Pressing an entry leaves the menu open or blocks the app, and opening a menu chooses its first entry, so menus need a
   * real click.
   */
  readonly breaksMenus?: boolean;
  /** Pressing is a click that was checked to reach the element. If it is refused, the pointer would hit something else. */
  readonly isClick?: boolean;
}

/**
 * Raw and live: only the identity of elements is remembered between calls. An element that is gone is undefined or
 * `uid_not_found`; an unresponsive app fails with `timeout` and does not delay other apps.
 */
export interface Elements {
  /** Elements come from the document of a page, not from an accessibility interface. */
  readonly isDocument?: boolean;
  /** Reading the tree waits until the app is idle, so callers need not wait first. */
  readonly waitsForRest?: boolean;
  /** Reading elements is too slow to do around every action. */
  readonly isSlow?: boolean;
  /** How long to wait for evidence of an effect, if this platform needs longer than the default. */
  readonly evidenceMs?: number;
  /** Names the elements of an app or window without asking the platform; they may be gone. */
  scope(owner: ElementOwner): ElementScope;
  /** How pressing an element natively differs from clicking it. */
  readonly pressing?: Pressing;
  tree(scope: ElementScope, options: TreeOptions): Promise<Tree>;
  /** The smallest element at the point with its ancestors, innermost first; empty when there is none. */
  at(point: ScreenPoint, options?: HastyOptions & { readonly pid?: number | undefined }): Promise<readonly UiNode[]>;
  focused(options?: HastyOptions): Promise<UiNode | undefined>;
  /** The elements as they are now, in the order asked for. */
  read(runtimeIds: readonly string[], options?: HastyOptions): Promise<readonly (UiNode | undefined)[]>;
  /** Acts without moving the pointer or the focus, and returns the call that was used. */
  perform(runtimeId: string, action: NodeAction, options?: CallOptions): Promise<{ readonly via: string }>;
  /** The text of a field, label or document. */
  text(
    runtimeId: string,
    options: CallOptions & { readonly maxChars: number },
  ): Promise<{ readonly text: string; readonly length: number } | undefined>;
  /**
   * All password fields of an app, visible or not, or those below some elements; undefined when only the tree can tell.
   */
  secretFields?(
    pid: number,
    options?: HastyOptions & { readonly below?: readonly string[] | undefined },
  ): Promise<SecretElements | undefined>;
  /**
   * Tracks password fields without reading the tree, and parts of the surface that the rules block; only these with
   * `hasFields: false`.
   */
  followSecretFields?(options?: CallOptions & { readonly hasFields?: boolean | undefined }): Promise<FollowedFields>;
}

export interface SecretElements {
  readonly ids: readonly string[];
  /** Their bounds are reported later than they are drawn. */
  readonly isLate: boolean;
}

export interface SecretField {
  readonly bounds: Rect;
  readonly windowId: number | undefined;
}

export interface FollowedFields {
  /** Call once, after the capture. */
  end(): Promise<SecretPlaces>;
}

export interface SecretPlaces {
  /** Every place where a field was seen. */
  readonly fields: readonly SecretField[];
  readonly count: number;
  /** No field appeared, moved or disappeared, so a capture taken meanwhile shows them only at these places. */
  readonly isStill: boolean;
  /** Something that may contain other elements was scrolled. */
  readonly hasScrolled: boolean;
}

// --- commands -----------------------------------------------------------------------------------------------

/** Where a command was found: in a menu, in a tool bar, or among the actions that the app exports without a menu. */
export type CommandSource = "menu" | "toolbar" | "action";

/** Something an app offers to do: an entry of a menu, a button of a tool bar, an exported action. */
export interface AppCommand {
  /** Unique in its list, and the same in the next list while the app does not rebuild its menus. */
  readonly id: string;
  /** The texts to follow, outermost menu first, without mnemonics. */
  readonly path: readonly string[];
  /** As `press_key` takes it. */
  readonly shortcut?: string | undefined;
  /** A menu that has not been opened may say no although it would say yes once open. */
  readonly isEnabled: boolean;
  /** Missing for a command that cannot be checked. */
  readonly isChecked?: boolean | undefined;
  readonly source: CommandSource;
  /** `run` does what choosing it does. */
  readonly isNative: boolean;
  /** What to click one after the other to choose it; empty when it is not in the element tree. */
  readonly elements: readonly string[];
}

/** A menu whose entries exist only while it is open. */
export interface ClosedMenu {
  readonly path: readonly string[];
  /** What to click one after the other to open it. */
  readonly elements: readonly string[];
}

export interface AppCommands {
  readonly commands: readonly AppCommand[];
  readonly closed: readonly ClosedMenu[];
  /** The same for every run of the same build of the app. */
  readonly version: string;
  /** A dialog that must be closed first. Its window is missing when it is not known. */
  readonly modal?: { readonly title: string; readonly windowId: number | undefined } | undefined;
}

/** What a command reports about itself. */
export interface CommandState {
  readonly isEnabled: boolean;
  /** "checked", "unchecked", or the choice that is in effect; undefined for a command without a state. */
  readonly value?: string | undefined;
}

export interface Commands {
  /** The commands of a window. Opens nothing and changes nothing. */
  list(owner: ElementOwner, options?: HastyOptions): Promise<AppCommands>;
  /** Runs a listed command without pointer and keyboard, and returns the call that was used. */
  run(owner: ElementOwner, id: string, options?: CallOptions): Promise<{ readonly via: string }>;
  /** A listed command as it is now; undefined when it is gone. */
  state(owner: ElementOwner, id: string, options?: HastyOptions): Promise<CommandState | undefined>;
}

export type ElementEventKind = "focus" | "children" | "state" | "property" | "text" | "window" | "bounds";

export interface ElementEvent {
  readonly kind: ElementEventKind;
  /** What exactly: "selected", "name", "insert", … */
  readonly detail: string;
  readonly runtimeId: string;
  readonly pid?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface WatchOptions extends CallOptions {
  /** Events may have been missed, because the connection was lost or the document replaced. */
  readonly onGap?: (() => void) | undefined;
  /** At the end, also undo what makes apps send events. Costs every app a little, so that an action does without. */
  readonly leavesNothing?: boolean | undefined;
}

export interface Events {
  /**
   * Resolves when all earlier events have been delivered. If the number differs from the last call, events may have been
   * missed in between.
   */
  told?(options?: CallOptions): Promise<number>;
  /** Calls back until disposed. A slow listener loses the oldest events and learns how many. */
  watch(
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    options?: WatchOptions,
  ): Promise<AsyncDisposable>;
  /** Calls back when the list of windows may be another one, or another window is active. */
  windows?(listener: () => void, options?: CallOptions): Promise<AsyncDisposable>;
  /** Calls back with the changed part whenever pixels of the window (or screen) change. */
  damage?(
    windowId: number | undefined,
    listener: (part: Rect) => void,
    options?: CallOptions,
  ): Promise<AsyncDisposable>;
}
