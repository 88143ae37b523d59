import { setTimeout as sleep } from "node:timers/promises";
import type { App, Area, DeviceEvent, Field, Host, OpenApp } from "./app.ts";
import { allApps, clipboardHelper, helperKeyboard, launcher, stockKeyboard } from "./apps.ts";
import { keyName } from "./keys.ts";
import { lockScreen, statusBar, softKeyboard } from "./system-windows.ts";
import { deleteBack, deleteForward, insert, moveCaret } from "./typing.ts";
import { findAt, textsOf, type Rect, type View } from "./view.ts";

export interface PhoneOptions {
  readonly size: { readonly width: number; readonly height: number };
  readonly density: number;
  /** Fraction of Android's own waiting times to really wait. */
  readonly timeScale: number;
}

/** One window of the display, as `uiautomator dump --windows` lists them; the active one comes first. */
export interface Window {
  readonly package: string;
  readonly title: string;
  readonly type: string;
  readonly bounds: Rect;
  readonly views: readonly View[];
}

/** Android's number for the first work profile. */
export const workProfile = 10;

/** A phone in memory: apps, a touch screen, keys, a keyboard, a lock screen. What happens to it is in `events`. */
export class Phone implements Host {
  readonly options: PhoneOptions;
  readonly events: DeviceEvent[] = [];
  readonly settings = new Map<string, string>();
  overrideSize: { readonly width: number; readonly height: number } | undefined;
  overrideDensity: number | undefined;
  rotation: 0 | 1 | 2 | 3 = 0;
  isAwake = true;
  isLocked = false;
  /** As if the window in front had requested to stay out of screenshots. */
  isSecure = false;
  isKeyboardShown = false;
  hasHelperKeyboard = false;
  /** An app that lets others put text on the clipboard. */
  hasClipboardHelper = false;
  clipboard = "";
  inputMethod = stockKeyboard.method;
  /** Whether `screencap` prints the warning of devices with several displays. */
  warnsAboutDisplays = false;
  focused: Field | undefined;
  front: App = launcher;
  /** The user whose app is in front: 0, or the work profile. */
  frontUser = 0;
  /** Apps with a second icon: Android would ask which one to use. */
  withTwoIcons: readonly string[] = [];
  /** Packages of the work profile; if empty, there is none. */
  workPackages: readonly string[] = [];
  #lastEventAt = 0;
  readonly #opened = new Map<string, OpenApp>();

  constructor(options: PhoneOptions) {
    this.options = options;
  }

  get size(): { readonly width: number; readonly height: number } {
    const { width, height } = this.overrideSize ?? this.options.size;
    return this.rotation % 2 === 0 ? { width, height } : { width: height, height: width };
  }

  get density(): number {
    return this.overrideDensity ?? this.options.density;
  }

  get isPictureHidden(): boolean {
    return !this.isAwake || (!this.isLocked && (this.isSecure || this.front.isSecure === true));
  }

  windows(): Window[] {
    if (!this.isAwake) return [];
    const { width, height } = this.size;
    const dp = (count: number): number => Math.round((count * this.density) / 160);
    const bar = { x: 0, y: 0, width, height: dp(24), dp };
    const whole: Area = { x: 0, y: 0, width, height, dp };
    const status = {
      package: "com.android.systemui",
      title: "StatusBar",
      type: "SYSTEM",
      bounds: bar,
      views: statusBar(bar),
    };
    if (this.isLocked) {
      const keyguard = { package: "com.android.systemui", title: "NotificationShade", type: "SYSTEM", bounds: whole };
      return [{ ...keyguard, views: lockScreen(whole) }, status];
    }
    const keys = { x: 0, y: height - dp(240), width, height: dp(240), dp };
    const area = {
      x: 0,
      y: bar.height,
      width,
      height: height - bar.height - (this.isKeyboardShown ? keys.height : 0),
      dp,
    };
    const app = {
      package: this.front.package,
      title: this.front.label,
      type: "APPLICATION",
      bounds: area,
      views: this.#open().views(area),
    };
    const method = {
      package: stockKeyboard.package,
      title: "InputMethod",
      type: "INPUT_METHOD",
      bounds: keys,
      views: softKeyboard(keys),
    };
    return [app, status, ...(this.isKeyboardShown ? [method] : [])];
  }

  texts(): string[] {
    const [active] = this.windows();
    return active ? textsOf(active.views, active.bounds) : [];
  }

  touch(x: number, y: number, kind: "tap" | "long_press"): void {
    const handler = kind === "tap" ? "onTap" : "onLongPress";
    const hit = this.windows()
      .toReversed()
      .map(({ views }) => findAt(views, x, y, (view) => view[handler] !== undefined && view.isEnabled !== false))
      .find((view) => view !== undefined);
    this.say({ kind, x, y, on: hit && (hit.id ?? hit.text ?? hit.description ?? hit.type) });
    hit?.[handler]?.();
  }

  async swipe(from: readonly [number, number], to: readonly [number, number], ms: number): Promise<void> {
    await sleep(ms * this.options.timeScale);
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    if (Math.hypot(dx, dy) < (8 * this.density) / 160) return this.touch(...from, ms >= 500 ? "long_press" : "tap");
    this.say({ kind: "swipe", from, to });
    if (!this.isAwake) return;
    if (this.isLocked) {
      if (-dy > this.size.height / 5) this.isLocked = false;
      return;
    }
    const [active] = this.windows();
    findAt(active?.views ?? [], ...from, (view) => view.onScroll !== undefined)?.onScroll?.(dx, dy);
  }

  type(text: string): void {
    const into = this.isAwake && !this.isLocked ? this.focused : undefined;
    this.say({ kind: "text", text, into: into?.name });
    for (const letter of text) {
      const field = this.focused;
      if (!into || !field) return;
      if (letter === "\n" && !field.isMultiline) field.onEnter?.();
      else if (letter === "\t" && !field.isMultiline) this.focused = field.next?.() ?? field;
      else insert(field, letter);
    }
  }

  key(code: number): void {
    const key = keyName(code);
    this.say({ kind: "key", key, code });
    if (key === "WAKEUP" || (key === "POWER" && !this.isAwake)) return void (this.isAwake = true);
    if (key === "SLEEP" || key === "POWER") return this.sleepNow();
    if (!this.isAwake || this.isLocked) {
      if (key === "MENU" && this.isAwake) this.isLocked = false;
      return;
    }
    if (key === "HOME") this.launch(launcher.package);
    else if (key === "BACK") this.#back();
    else if (key === "PASTE") this.type(this.clipboard);
    else if (this.focused) this.#edit(this.focused, key);
  }

  /** Keys pressed together; only those that edit text do anything. */
  chord(codes: readonly number[]): void {
    const pressed = codes.map(keyName);
    for (const code of codes) this.say({ kind: "key", key: keyName(code), code });
    if (pressed.includes("CTRL_LEFT") && pressed.includes("A") && this.focused) this.focused.isAllSelected = true;
  }

  sleepNow(): void {
    this.isAwake = false;
    this.isLocked = true;
    this.isKeyboardShown = false;
  }

  launch(packageName: string, user = 0): void {
    const app = allApps.find((one) => one.package === packageName);
    if (!app) return;
    this.front = app;
    this.frontUser = user;
    this.focus(undefined);
    this.say({ kind: "launch", package: packageName });
  }

  stop(packageName: string): void {
    this.#opened.delete(packageName);
    if (this.front.package === packageName) this.launch(launcher.package);
  }

  isRunning(packageName: string): boolean {
    return this.#opened.has(packageName);
  }

  focus(field: Field | undefined): void {
    this.focused = field;
    this.isKeyboardShown = field !== undefined && this.inputMethod === stockKeyboard.method;
    if (field) Object.assign(field, { caret: field.text.length, isAllSelected: false });
  }

  say(event: DeviceEvent): void {
    this.events.push(event);
    this.#lastEventAt = Date.now();
  }

  after(ms: number, work: () => void): void {
    setTimeout(() => {
      work();
      this.#lastEventAt = Date.now();
    }, ms * this.options.timeScale).unref();
  }

  /** UiAutomation.waitForIdle: a second without an accessibility event, ten seconds at most. */
  async waitForIdle(isCompressed: boolean): Promise<boolean> {
    const { restless } = this.front;
    const isRestless = !this.isLocked && (restless === "everything" || (restless === "decoration" && !isCompressed));
    const [quiet, most] = [1000 * this.options.timeScale, 10_000 * this.options.timeScale];
    const started = Date.now();
    for (;;) {
      const left = this.#lastEventAt + quiet - Date.now();
      if (!isRestless && left <= 0) return true;
      if (Date.now() - started >= most) return false;
      await sleep(Math.min(isRestless ? most : left, most - (Date.now() - started)));
    }
  }

  installedPackages(): readonly string[] {
    const keyboards = [stockKeyboard.package, ...(this.hasHelperKeyboard ? [helperKeyboard.package] : [])];
    const helpers = this.hasClipboardHelper ? [clipboardHelper] : [];
    return ["android", "com.android.systemui", ...helpers, ...keyboards, ...allApps.map((app) => app.package)];
  }

  /** The packages of a user; none for a user that does not exist. */
  packagesOf(user: number): readonly string[] {
    return user === 0 ? this.installedPackages() : user === workProfile ? this.workPackages : [];
  }

  #open(): OpenApp {
    const opened = this.#opened.get(this.front.package) ?? this.front.open(this);
    this.#opened.set(this.front.package, opened);
    return opened;
  }

  #back(): void {
    if (this.isKeyboardShown) this.isKeyboardShown = false;
    else if (this.#open().back?.() !== true) this.launch(launcher.package);
  }

  #edit(field: Field, key: string): void {
    if (key === "ENTER" || key === "TAB" || key === "SPACE") {
      const letter = { ENTER: "\n", TAB: "\t", SPACE: " " }[key];
      if (key === "SPACE" || field.isMultiline) insert(field, letter);
      else if (key === "ENTER") field.onEnter?.();
      else this.focused = field.next?.() ?? field;
    } else if (/^[A-Z0-9]$/.test(key)) insert(field, key.toLowerCase());
    else if (key === "DEL") deleteBack(field);
    else if (key === "FORWARD_DEL") deleteForward(field);
    else moveCaret(field, key);
  }
}
