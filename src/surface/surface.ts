import type { Frame, FrameSource, Photo, Picture, Pixels } from "../base/frame.ts";
import { ToolError } from "../base/errors.ts";
import type { Rect, ScreenPoint, Size } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { Ability, Capture, CaptureArea, Display, Touch, WindowInfo } from "../platform/backend.ts";
import { sizeFor, type EncodedImage, type EncodeOptions, type Encoder } from "../vision/encode.ts";
import type { TextReader } from "../vision/ocr/reader.ts";
import type { Acted, Action, Located, PerformOptions } from "./engine/action.ts";
import { locate, perform, touchedBy } from "./engine/engine.ts";
import { noSuchWindow } from "./choose-window.ts";
import { OpenedMenus } from "./commands/list-commands.ts";
import { FrameStore, pixelsOf } from "./frames.ts";
import type { GuardedBackend, GuardedWindow } from "./guard/guarded.ts";
import { Hands } from "./hands.ts";
import { Indicator } from "./indicator.ts";
import { Loops } from "./loops.ts";
import type { PixelPool } from "./pixel-pool.ts";
import { Painting } from "./painting.ts";
import { Regions } from "./regions.ts";
import { Silence } from "./silence.ts";
import { Snapshots, type RefStyle } from "./snapshot.ts";
import { Unrest } from "./unrest.ts";

export interface Look {
  readonly frame: Frame;
  readonly image: EncodedImage;
  /** How many windows and password fields were painted over. */
  readonly masked: number;
  /** A password field kept moving, so everything around it was painted over. */
  readonly isCovered: boolean;
}

export interface LookOptions {
  readonly encode: EncodeOptions;
  readonly includeCursor: boolean;
  readonly signal: AbortSignal;
}

/** What interprets pixels; shared by all surfaces. */
export interface Senses {
  readonly encoder: Encoder;
  /** Loaded when text is first read. */
  readonly reader?: (() => Promise<TextReader>) | undefined;
  /** Limits the pictures that all surfaces together keep. */
  readonly pool?: PixelPool | undefined;
}

/** Something to look at and act on. The core never asks which kind it is. */
export class Surface implements AsyncDisposable {
  readonly id: string;
  readonly backend: GuardedBackend;
  readonly frames: FrameStore;
  readonly hands: Hands;
  readonly snapshots: Snapshots;
  readonly loops = new Loops();
  readonly unrest = new Unrest();
  readonly painting = new Painting();
  readonly silence = new Silence();
  readonly regions = new Regions();
  readonly openedMenus = new OpenedMenus();
  readonly indicator: Indicator;
  /** The elements before an action that left the surface waiting for an answer, such as a page at a dialog. */
  heldBack: readonly UiNode[] | undefined;
  readonly #encoder: Encoder;
  readonly #reader: Senses["reader"];

  constructor(
    id: string,
    backend: GuardedBackend,
    { encoder, reader, pool }: Senses,
    refs: RefStyle = { prefix: "a" },
  ) {
    this.frames = new FrameStore(pool);
    this.snapshots = new Snapshots(refs);
    this.id = id;
    this.backend = backend;
    this.indicator = new Indicator(backend);
    this.#encoder = encoder;
    this.#reader = reader;
    this.hands = new Hands(
      () => this.need("pointer"),
      () => this.need("keyboard"),
    );
  }

  /** The member of the backend; throws `not_supported` if it has none. */
  need<A extends Ability>(ability: A): NonNullable<GuardedBackend[A]> {
    const member = this.backend[ability];
    if (member !== undefined) return member;
    throw new ToolError("not_supported", `${this.backend.id} has no ${ability}.`, {
      hint: 'Call "capabilities" to see what works here.',
    });
  }

  /** What it runs on: "linux-x11", "cdp page:1", … */
  get platform(): string {
    return this.backend.id;
  }

  /** Whether the backend has this member. */
  can(ability: Ability): boolean {
    return this.backend[ability] !== undefined;
  }

  /** Reads text in pictures. */
  async reader(): Promise<TextReader> {
    if (this.#reader) return this.#reader();
    throw new ToolError("not_supported", "Text in pictures cannot be read here.");
  }

  /** A copy: the backend may overwrite its capture. */
  async picture(area: CaptureArea, options: Omit<LookOptions, "encode">): Promise<Picture> {
    using capture = await this.need("screen").capture(area, options);
    const { bounds, masked = 0, isCovered = false } = capture;
    return { source: sourceOf(area), bounds, pixels: copyPixels(capture), masked, isCovered };
  }

  /** Like `picture`, but keeps the backend's encoding if it has one. */
  async photograph(area: CaptureArea, options: Omit<LookOptions, "encode">): Promise<Photo> {
    const taken = await this.need("screen").encoded?.(area, options);
    if (!taken || !("png" in taken)) {
      using capture = taken ?? (await this.need("screen").capture(area, options));
      return {
        source: sourceOf(area),
        bounds: capture.bounds,
        content: copyPixels(capture),
        masked: capture.masked ?? 0,
        isCovered: capture.isCovered ?? false,
      };
    }
    return { source: sourceOf(area), bounds: taken.bounds, content: taken, masked: 0 };
  }

  /** Remembers the photo and encodes it, unless its encoding already fits. */
  async showPhoto(
    { source, bounds, content, masked = 0, isCovered = false }: Photo,
    encode: EncodeOptions,
  ): Promise<Look> {
    const image = asWanted(content, encode) ?? (await this.#encoder.encode(await pixelsOf(content), encode));
    return {
      frame: this.frames.add({ surface: this.id, source, bounds, image: sizeOf(image) }, content),
      image,
      masked,
      isCovered,
    };
  }

  /** Remembers the picture, and encodes it or another version of it with the same view. */
  async show(picture: Picture, encode: EncodeOptions, shown: Pixels = picture.pixels): Promise<Look> {
    const image = await this.#encoder.encode(shown, encode);
    const { masked = 0, isCovered = false } = picture;
    return { frame: this.remember(picture, sizeOf(image)), image, masked, isCovered };
  }

  /** Encodes a picture whose pixels nobody will refer to. */
  async encode(pixels: Pixels, encode: EncodeOptions): Promise<EncodedImage> {
    return this.#encoder.encode(pixels, encode);
  }

  /** Assigns an id to a picture. `image` is the size in which the caller sees it. */
  remember({ source, bounds, pixels }: Picture, image: Size = { width: pixels.width, height: pixels.height }): Frame {
    return this.frames.add({ surface: this.id, source, bounds, image }, pixels);
  }

  /** Captures, remembers and encodes. What is remembered is what the caller sees. */
  async look(area: CaptureArea, { encode, ...options }: LookOptions): Promise<Look> {
    return this.show(await this.picture(area, options), encode);
  }

  /** The frame at full capture resolution, while its pixels are still kept. */
  async encodeFull(frameId: string): Promise<EncodedImage | undefined> {
    const encoded = this.frames.encoded(frameId);
    if (encoded) return asWanted(encoded, { format: "png", quality: 100 });
    const pixels = await this.frames.pixels(frameId);
    return pixels && this.#encoder.encode(pixels, { format: "png", quality: 100 });
  }

  async screenBounds(signal: AbortSignal): Promise<Rect> {
    return this.need("screen").bounds({ signal });
  }

  async needDisplay(id: number, signal: AbortSignal): Promise<Display> {
    const all = await this.need("screen").displays({ signal });
    const display = all.find((each) => each.id === id);
    if (display) return display;
    throw new ToolError("not_found", `There is no display ${id}.`, {
      hint: `On now: ${all.map((each) => `${each.id} (${each.name})`).join(", ")}.`,
    });
  }

  /** What is in front on a display of a device; on the main one by default. */
  shownOn(displayId: number | undefined): ReturnType<Touch["shown"]> {
    return this.need("touch").shown(displayId);
  }

  async needWindow(id: number, signal: AbortSignal): Promise<GuardedWindow> {
    const window = await this.need("windows").get(id, { signal });
    if (!window || window.blocked) throw noSuchWindow(id);
    return window;
  }

  /** Brings the window to the front and focuses it. Returns whether that was needed. */
  async ensureFocus(window: GuardedWindow, signal: AbortSignal): Promise<boolean> {
    const windows = this.need("windows");
    if ((await windows.active({ signal })) === window.id) return false;
    await windows.change(window.id, { to: "focus" }, { signal });
    return true;
  }

  /** Restores a minimised window, which has nothing to click, and leaves any other as it is. */
  async ensureShown(window: GuardedWindow, signal: AbortSignal): Promise<void> {
    if (window.isMinimized) await this.need("windows").change(window.id, { to: "restore" }, { signal });
  }

  /**
   * Resolves when the active window's app has handled all input sent so far, if it can tell. Otherwise a caller that
   * reads the result right after a key press could be faster than the app.
   */
  async inputTaken(signal: AbortSignal): Promise<void> {
    const { windows } = this.backend;
    const active = await windows?.active({ signal });
    if (active === undefined) return;
    const pid = this.silence.isEmpty ? undefined : (await windows?.get(active, { signal }))?.pid;
    if (!this.silence.has(pid)) await windows?.drained?.(active, { signal });
  }

  /** Which element, points and windows an action will touch. Touches nothing itself. */
  async locate<A extends Action>(action: A, signal: AbortSignal): Promise<Located<A>> {
    return locate(this, action, signal);
  }

  /** Every window that the input of a located action reaches. */
  async touchedBy(located: Located, signal: AbortSignal): Promise<readonly WindowInfo[]> {
    return touchedBy(this, located, signal);
  }

  /** Performs the action and reports its effect. */
  async perform(located: Located, options: PerformOptions): Promise<Acted> {
    return this.painting.during(() => perform(this, located, options));
  }

  async pointerPosition(signal: AbortSignal): Promise<ScreenPoint> {
    return this.need("pointer").position({ signal });
  }

  /** Call when the surface and its backend are gone. */
  async forget(): Promise<void> {
    this.frames.clear();
    await this.unrest[Symbol.asyncDispose]();
    await this.painting[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.hands.releaseAll();
      await this.unrest[Symbol.asyncDispose]();
      await this.painting[Symbol.asyncDispose]();
    } finally {
      await this.backend[Symbol.asyncDispose]();
    }
  }
}

/** Returns the picture as is if it needs no encoding: a PNG that is not too large. */
function asWanted(content: Photo["content"], options: EncodeOptions) {
  const { format, quality, maxBytes = Infinity } = options;
  if (!("png" in content) || format !== "png") return undefined;
  const { png: bytes, width, height } = content;
  if (sizeFor(content, options).width < width || bytes.byteLength > maxBytes) return undefined;
  return { bytes, mimeType: "image/png", format, quality, width, height };
}

const sizeOf = ({ width, height }: EncodedImage) => ({ width, height });

function sourceOf(area: CaptureArea): FrameSource {
  return area.kind === "region" ? { kind: "region" } : area;
}

/** The backend may overwrite its capture; the store needs its own copy. */
function copyPixels({ pixels }: Capture): Pixels {
  return { ...pixels, data: Buffer.from(pixels.data) };
}
