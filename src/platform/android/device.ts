import type { Pixels } from "../../base/frame.ts";
import type { ScreenPoint } from "../../base/geometry.ts";
import type { Backend, CallOptions, CaptureOptions } from "../backend.ts";
import type {
  Device,
  DeviceDisplay,
  DeviceFacts,
  DeviceUser,
  ForegroundApp,
  Forward,
  Permit,
  UserOptions,
} from "../devices.ts";
import { launchApp, listApps, listUsers } from "./apps.ts";
import { deviceBackend } from "./backend.ts";
import type { Connection } from "./connection.ts";
import { DisplayReader, needDisplay, type Glance, type Panel } from "./display.ts";
import { readDisplays, type PhysicalDisplay } from "./facts.ts";
import { forwardBrowser } from "./forward.ts";
import { readKeyCode } from "./keys.ts";
import { Pictures, type Png } from "./pictures.ts";
import type { DecodePicture } from "./pixels.ts";
import { Sender } from "./sender.ts";
import { pressChord, pressKeys, swipe, tap } from "./touch.ts";
import { ScreenTree } from "./tree.ts";
import { typeText } from "./type.ts";

export interface OpenDeviceOptions {
  readonly decode: DecodePicture;
  /**
   * Called with the app in front; the device itself then makes sure that nothing else has come to the front when it
   * acts.
   */
  readonly permit?: Permit | undefined;
}

interface KeyOptions extends CallOptions {
  /** With several displays: the one whose focus gets keys and text. */
  readonly display?: number | undefined;
}

// Going home is the way out of an app that must not be used.
const leaving: ReadonlySet<string> = new Set(["KEYCODE_HOME", "3"]);

export class AndroidDevice implements Device, AsyncDisposable {
  readonly serial: string;
  readonly id: string;
  readonly facts: DeviceFacts;
  readonly backend: Backend;
  readonly tree: ScreenTree;
  readonly #connection: Connection;
  readonly #display: DisplayReader;
  readonly #pictures: Pictures;
  readonly #sender: Sender;
  readonly #forwards = new Set<Forward>();

  private constructor(
    connection: Connection,
    decode: DecodePicture,
    facts: DeviceFacts,
    { displays, permit }: { readonly displays: readonly PhysicalDisplay[]; readonly permit: Permit | undefined },
  ) {
    this.#connection = connection;
    this.#display = new DisplayReader(connection, displays, facts.sdk);
    this.#pictures = new Pictures(connection, decode);
    this.#sender = new Sender(connection, this.#display, { sdk: facts.sdk, permit });
    this.tree = new ScreenTree(connection, {
      panels: async (options) => (this.hasOneDisplay ? undefined : (await this.glance(options)).panels),
      noteApp: (name) => this.#display.noteApp(name),
    });
    this.serial = connection.serial;
    this.id = `android:${connection.serial}`;
    this.facts = facts;
    this.backend = deviceBackend(this);
  }

  static async open(
    connection: Connection,
    { decode, permit }: OpenDeviceOptions,
    { signal }: CallOptions,
  ): Promise<AndroidDevice> {
    const properties = ["ro.product.model", "ro.build.version.release", "ro.build.version.sdk"];
    const command = [...properties.map((name) => `getprop ${name}`), "dumpsys SurfaceFlinger --display-id"].join("; ");
    const [model = "", android = "", sdk = "", ...rest] = (await connection.read(command, { signal })).split("\n");
    const facts = { model: model.trim(), android: android.trim(), sdk: Number.parseInt(sdk, 10) || undefined };
    return new AndroidDevice(connection, decode, facts, { displays: readDisplays(rest.join("\n")), permit });
  }

  get hasOneDisplay(): boolean {
    return this.#display.physical.length < 2;
  }

  get readsElementsQuickly(): boolean {
    return this.tree.isQuick;
  }

  async display(options: CallOptions & { readonly display?: number | undefined }): Promise<DeviceDisplay> {
    const [glance, density] = await Promise.all([this.#display.read(options), this.density(options)]);
    const { bounds, rotation } = needDisplay(glance, options.display ?? 0);
    return { ...bounds, density, rotation, displays: glance.panels.length };
  }

  density(options: CallOptions): Promise<number> {
    return this.#display.density(options);
  }

  async foreground(
    options: CallOptions & { readonly display?: number | undefined },
  ): Promise<ForegroundApp | undefined> {
    return needDisplay(await this.#display.read(options), options.display ?? 0).front;
  }

  shownPackage(display: number): string {
    return this.tree.packageOn(display);
  }

  /** Size, rotation and the app in front, from one reading that may be a moment old. */
  glance(options: CallOptions): Promise<Glance> {
    return this.#display.glance(options);
  }

  /** The same, read now. */
  look(options: CallOptions): Promise<Glance> {
    return this.#display.read(options);
  }

  lastGlance(options: CallOptions): Promise<Glance> {
    return this.#display.last(options);
  }

  screenState: Device["screenState"] = (options) => this.#display.state(options);

  async pixels(panel: Panel, options: CallOptions): Promise<Pixels> {
    const pixels = await this.#pictures.pixels(panel.physical, options);
    if (panel.id === 0) this.#display.noteSize(pixels);
    return pixels;
  }

  /** For showing, encoded by the device if that is faster. */
  async picture(panel: Panel, options: CaptureOptions): Promise<Png | Pixels> {
    const picture = await this.#pictures.toShow(panel.physical, options);
    if (panel.id === 0) this.#display.noteSize(picture);
    return picture;
  }

  decode(png: Uint8Array): Promise<Pixels> {
    return this.#pictures.decode(png);
  }

  tap(at: ScreenPoint, options: CallOptions): Promise<string> {
    return this.#acting(() => tap(this.#sender, at, options));
  }

  swipe(from: ScreenPoint, to: ScreenPoint, options: CallOptions & { readonly durationMs: number }): Promise<string> {
    return this.#acting(() => swipe(this.#sender, from, to, options));
  }

  keyCode(name: string): string {
    return readKeyCode(name);
  }

  press(keyCode: string, options: KeyOptions): Promise<string> {
    const isLeaving = leaving.has(keyCode);
    return this.#acting(() => pressKeys(this.#sender, [keyCode], { ...options, isLeaving }));
  }

  pressMany(keyCodes: readonly string[], options: KeyOptions): Promise<string> {
    return this.#acting(() => pressKeys(this.#sender, keyCodes, options));
  }

  chord(keyCodes: readonly string[], options: KeyOptions): Promise<string> {
    return this.#acting(() => pressChord(this.#sender, keyCodes, options));
  }

  type(text: string, options: KeyOptions): Promise<string> {
    return this.#acting(() => typeText(this.#connection, this.#sender, text, options));
  }

  apps(options: UserOptions & { readonly all: boolean }): Promise<readonly string[]> {
    return listApps(this.#connection, options);
  }

  users(options: CallOptions): Promise<readonly DeviceUser[]> {
    return listUsers(this.#connection, options);
  }

  launch(name: string, options: UserOptions): Promise<string> {
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

  /** After an action, nothing read before it is valid. */
  async #acting<T>(act: () => Promise<T>): Promise<T> {
    const forget = () => {
      this.tree.forget();
      this.#display.forget();
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
    await this.tree.close();
    this.#connection[Symbol.dispose]();
  }
}
