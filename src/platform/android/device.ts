import { withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import type { Rect, ScreenPoint, Size } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { Backend, CallOptions } from "../backend.ts";
import type { Device, DeviceDisplay, DeviceFacts, ForegroundApp, Forward, ScreenState } from "../devices.ts";
import { launchApp, listApps } from "./apps.ts";
import { deviceBackend } from "./backend.ts";
import type { Connection } from "./connection.ts";
import { dumpScreen } from "./dump.ts";
import {
  readCurrentSize,
  readDensity,
  readDisplays,
  readForeground,
  readLitDisplays,
  readRotation,
  readScreenState,
  readSize,
  turned,
  whole,
} from "./facts.ts";
import { forwardBrowser } from "./forward.ts";
import { Identities } from "./identity.ts";
import { readKeyCode } from "./keys.ts";
import { findPng, PictureWay, readRaw, toBgrx, type DecodePicture } from "./screen.ts";
import { pressChord, pressKeys, swipe, tap } from "./touch.ts";
import { typeText } from "./type.ts";

// Around one action the same things are asked for several times.
const glanceAgeMs = 250;
// A dump is taken of a screen that has been still for a second; until something is done, it is good for another.
const treeAgeMs = 1_000;
const captureMs = 15_000;
/** Elements that take longer are only read when somebody asks for them. */
const quickMs = 900;
const hastyMs = 2_000;

interface Glance {
  readonly size: Size;
  readonly rotation: number;
  readonly front: ForegroundApp | undefined;
}

interface Kept<T> {
  readonly at: number;
  readonly value: T;
}

const isFresh = <T>(kept: Kept<T> | undefined, ageMs: number): kept is Kept<T> =>
  kept !== undefined && performance.now() - kept.at < ageMs;

export class AndroidDevice implements Device, AsyncDisposable {
  readonly serial: string;
  readonly id: string;
  readonly facts: DeviceFacts;
  readonly backend: Backend;
  readonly #connection: Connection;
  readonly #decode: DecodePicture;
  readonly #way = new PictureWay();
  readonly #identities = new Identities();
  readonly #displays: readonly { readonly id: string; readonly name: string }[];
  readonly #forwards = new Set<Forward>();
  #seen: Kept<Glance> | undefined;
  #tree: Kept<readonly UiNode[]> | undefined;
  #dumpMs = 0;

  private constructor(
    connection: Connection,
    decode: DecodePicture,
    facts: DeviceFacts,
    displays: AndroidDevice["displays"],
  ) {
    this.#connection = connection;
    this.#decode = decode;
    this.#displays = displays;
    this.serial = connection.serial;
    this.id = `android:${connection.serial}`;
    this.facts = facts;
    this.backend = deviceBackend(this);
  }

  static async open(connection: Connection, decode: DecodePicture, { signal }: CallOptions): Promise<AndroidDevice> {
    const properties = ["ro.product.model", "ro.build.version.release", "ro.build.version.sdk"];
    const command = [...properties.map((name) => `getprop ${name}`), "dumpsys SurfaceFlinger --display-id"].join("; ");
    const [model = "", android = "", sdk = "", ...rest] = (await connection.read(command, { signal })).split("\n");
    const facts = { model: model.trim(), android: android.trim(), sdk: Number.parseInt(sdk, 10) || undefined };
    return new AndroidDevice(connection, decode, facts, readDisplays(rest.join("\n")));
  }

  get displays(): readonly { readonly id: string; readonly name: string }[] {
    return this.#displays;
  }

  get readsElementsQuickly(): boolean {
    return this.#dumpMs < quickMs;
  }

  async display(options: CallOptions): Promise<DeviceDisplay> {
    this.#seen = undefined;
    const { size, rotation } = await this.glance(options);
    return { ...size, density: await this.#readDensity(options), rotation, displays: this.#displays.length || 1 };
  }

  async bounds(options: CallOptions): Promise<Rect> {
    return whole((await this.glance(options)).size);
  }

  async foreground(options: CallOptions & { readonly isRecent?: boolean }): Promise<ForegroundApp | undefined> {
    if (!options.isRecent) this.#seen = undefined;
    return (await this.glance(options)).front;
  }

  /** Size, rotation and what is in front, in one reading, which is good for a moment. */
  async glance({ signal }: CallOptions): Promise<Glance> {
    if (isFresh(this.#seen, glanceAgeMs)) return this.#seen.value;
    const at = performance.now();
    const what = "Reading the display";
    const words = "mCurrentFocus=|mFocusedApp=|mRotation=|mCurrentRotation=|cur=";
    const text = await this.#connection.read(`dumpsys window | grep -E '${words}'`, { signal, what });
    const size = readCurrentSize(text) ?? (await this.#readSize({ signal }));
    const front = readForeground(text) ?? (await this.#readActivity({ signal }));
    const value = { size, rotation: readRotation(text) ?? 0, front };
    this.#seen = { at, value };
    return value;
  }

  /** Where the window manager does not tell. */
  async #readSize({ signal }: CallOptions): Promise<Size> {
    const command = "wm size; dumpsys input | grep -iE 'SurfaceOrientation|orientation=Rotation' | head -n 1";
    const text = await this.#connection.read(command, { signal, what: "Reading the display" });
    const size = readSize(text);
    if (size) return turned(size, readRotation(text) ?? 0);
    throw new ToolError("ax_error", `The device does not tell its size: ${text.trim().slice(0, 200)}`);
  }

  async #readActivity({ signal }: CallOptions): Promise<ForegroundApp | undefined> {
    const command = "dumpsys activity activities | grep -E 'ResumedActivity|mFocusedActivity'";
    return readForeground(await this.#connection.read(command, { signal, what: "Reading the foreground" }));
  }

  async #readDensity({ signal }: CallOptions): Promise<number> {
    const text = await this.#connection.read("wm density", { signal, what: "Reading the display" });
    return readDensity(text) ?? 160;
  }

  async screenState({ signal }: CallOptions): Promise<ScreenState> {
    const keyguard = "mDreamingLockscreen|isKeyguardShowing|mShowingLockscreen|KeyguardShowing";
    const command = `dumpsys power | grep mWakefulness=; dumpsys window | grep -E '${keyguard}'`;
    return readScreenState(await this.#connection.read(command, { signal, what: "Reading the screen's state" }));
  }

  /** What the screen shows. The size of the picture is the truth about the size of the screen. */
  async capture(display: string | undefined, { signal }: CallOptions): Promise<Pixels> {
    const shown = display ?? (await this.#litDisplay({ signal }));
    const on = shown === undefined ? "" : ` -d ${shown}`;
    const options = { signal, timeoutMs: captureMs, what: "The screenshot" };
    const way = this.#way.next();
    const started = performance.now();
    try {
      const { stdout } = await this.#connection.fetch(way === "raw" ? `screencap${on}` : `screencap -p${on}`, options);
      const pixels = way === "raw" ? readRaw(stdout) : toBgrx(await this.#decode(findPng(stdout)));
      this.#way.note(way, performance.now() - started);
      if (display === undefined) this.#noteSize(pixels);
      return pixels;
    } catch (error) {
      if (way === "png" || !(error instanceof ToolError) || error.code !== "ax_error") throw error;
      this.#way.refuse("raw");
      const { stdout, stderr } = await this.#connection.fetch(`screencap -p${on}`, options);
      if (stdout.length === 0) throw refusedPicture(stderr);
      const pixels = toBgrx(await this.#decode(findPng(stdout)));
      if (display === undefined) this.#noteSize(pixels);
      return pixels;
    }
  }

  /** Of several displays (a folding device) the one that is on. */
  async #litDisplay({ signal }: CallOptions): Promise<string | undefined> {
    if (this.#displays.length < 2) return undefined;
    const lit = readLitDisplays(await this.#connection.read("dumpsys display | grep uniqueId=", { signal }));
    return this.#displays.find(({ id }) => lit.includes(id))?.id;
  }

  #noteSize({ width, height }: Size): void {
    const known = this.#seen?.value.size;
    if (known && (known.width !== width || known.height !== height)) this.#seen = undefined;
  }

  /** The elements of the screen now, whatever it takes. */
  async nodes({ signal }: CallOptions): Promise<readonly UiNode[]> {
    this.#tree = undefined;
    const started = performance.now();
    const dump = await dumpScreen(this.#connection, { signal });
    this.#dumpMs = performance.now() - started;
    const value = this.#identities.follow(dump);
    this.#tree = { at: performance.now(), value };
    return value;
  }

  /** The elements as they were a moment ago, if nothing was done since; else as they are now. */
  async recentNodes(options: CallOptions): Promise<readonly UiNode[]> {
    return isFresh(this.#tree, treeAgeMs) ? this.#tree.value : this.nodes(options);
  }

  /** As evidence: `timeout` where reading them would take longer than whatever they are evidence for. */
  async quickNodes({ signal }: CallOptions): Promise<readonly UiNode[]> {
    if (isFresh(this.#tree, treeAgeMs)) return this.#tree.value;
    const what = "Reading the elements";
    if (!this.readsElementsQuickly) throw new ToolError("timeout", `${what} of ${this.serial} takes too long.`);
    try {
      return await withDeadline({ ms: hastyMs, what, signal }, (inner) => this.nodes({ signal: inner }));
    } catch (error) {
      if (signal?.aborted || !(error instanceof ToolError)) throw error;
      this.#dumpMs = Infinity;
      throw error;
    }
  }

  async tap(at: ScreenPoint, options: CallOptions): Promise<string> {
    return this.#acting(() => tap(this.#connection, at, options));
  }

  async swipe(
    from: ScreenPoint,
    to: ScreenPoint,
    options: CallOptions & { readonly durationMs: number },
  ): Promise<string> {
    return this.#acting(() => swipe(this.#connection, from, to, options));
  }

  keyCode(name: string): string {
    return readKeyCode(name);
  }

  async press(keyCode: string, options: CallOptions): Promise<string> {
    return this.#acting(() => pressKeys(this.#connection, [keyCode], options));
  }

  async pressMany(keyCodes: readonly string[], options: CallOptions): Promise<string> {
    return this.#acting(() => pressKeys(this.#connection, keyCodes, options));
  }

  async chord(keyCodes: readonly string[], options: CallOptions): Promise<string> {
    return this.#acting(() => pressChord(this.#connection, keyCodes, options));
  }

  async type(text: string, options: CallOptions): Promise<string> {
    return this.#acting(() => typeText(this.#connection, text, options));
  }

  apps(options: CallOptions & { readonly all: boolean }): Promise<readonly string[]> {
    return listApps(this.#connection, options);
  }

  async launch(name: string, options: CallOptions): Promise<string> {
    return this.#acting(() => launchApp(this.#connection, name, options));
  }

  async forwardBrowser(socket: string | undefined, options: CallOptions): Promise<Forward> {
    const forward = await forwardBrowser(this.#connection, socket, options);
    const kept = {
      port: forward.port,
      release: async () => {
        if (this.#forwards.delete(kept)) await forward.release();
      },
    };
    this.#forwards.add(kept);
    return kept;
  }

  /** After an action nothing read before it counts. */
  async #acting<T>(act: () => Promise<T>): Promise<T> {
    const forget = () => {
      this.#tree = undefined;
      this.#seen = undefined;
    };
    forget();
    try {
      return await act();
    } finally {
      forget();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const forward of this.#forwards) await forward.release().catch(() => {});
    this.#connection[Symbol.dispose]();
  }
}

function refusedPicture(said: string): ToolError {
  return new ToolError("not_supported", `The device gives no picture: ${said.trim().slice(0, 200) || "it is empty"}.`, {
    hint: "A protected window may be open (a password manager, a video): go to another screen.",
  });
}
