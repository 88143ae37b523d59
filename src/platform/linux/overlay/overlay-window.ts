import type { Rect } from "../../../base/geometry.ts";
import type { OverlayShape } from "../../backend.ts";
import { redirectAll } from "../capture/off-screen.ts";
import { getRootBounds } from "../capture/monitors.ts";
import { needBgrx } from "../capture/pixel-layout.ts";
import type { Connection } from "../x11/connection.ts";
import { clearWindow, createColormap, createContext, freeColormap, freeContext } from "../x11/drawing.ts";
import { needExtension, selectSelectionOwnerChanges } from "../x11/extensions.ts";
import { openRenderer } from "../x11/render.ts";
import {
  changeProperty,
  changeWindowAttributes,
  configureWindow,
  createPixmap,
  createWindow,
  destroyWindow,
  freePixmap,
  getSelectionOwner,
  mapWindow,
  predefined,
  setSelectionOwner,
} from "../x11/requests.ts";
import { windowShaper } from "../x11/shape.ts";
import { serverTime } from "../x11/watch.ts";
import { findBackdrop } from "./backdrop.ts";
import { paintShapes, type Canvas } from "./canvas.ts";
import { knownOverlays, overlaySelection } from "./known-overlays.ts";
import { beginOwnPaint } from "./own-paint.ts";

type Shaper = Awaited<ReturnType<typeof windowShaper>>;

const above = 0;
/** Another program that raises itself whenever it is covered must not start an endless race. */
const mostRaises = 20;
const raisePeriodMs = 1000;

/**
 * One window over the whole screen, cut to what is drawn. It takes no input and no window manager touches it. It is
 * replaced when the screen changes its size or a compositor comes or goes.
 */
export class OverlayWindow {
  readonly connection: Connection;
  readonly window: number;
  readonly #canvas: Canvas;
  readonly #colormap: number | undefined;
  readonly #shape: Shaper;
  readonly #stop: () => void;
  #isMapped = false;
  #isClosed = false;
  #closing: Promise<void> = Promise.resolve();
  #isRaising = false;
  #raises: number[] = [];
  #covered: readonly Rect[] = [];

  private constructor(
    c: Connection,
    parts: Pick<Canvas, "depth" | "size"> & {
      readonly visual: number;
      readonly shape: Shaper;
      readonly onStale: () => void;
      /** The selection that a compositor owns. */
      readonly compositor: number;
    },
  ) {
    const { depth, size, visual } = parts;
    this.connection = c;
    this.#shape = parts.shape;
    this.#colormap = depth === 32 ? createColormap(c, visual) : undefined;
    this.window = createWindow(c, {
      x: 0,
      y: 0,
      ...size,
      depth,
      visual,
      values: {
        backgroundPixel: 0,
        borderPixel: 0,
        overrideRedirect: 1,
        ...(this.#colormap === undefined ? {} : { colormap: this.#colormap }),
      },
    });
    const drawable = createPixmap(c, { depth, ...size });
    this.#canvas = { drawable, context: createContext(c, drawable), size, depth };
    this.#shape(this.window, "bounding", []);
    this.#shape(this.window, "input", []);
    this.#stop = c.on((event) => {
      if (event.type === "ConfigureNotify" && event.window === c.root) {
        if (event.width !== size.width || event.height !== size.height) parts.onStale();
      } else if (event.type === "XfixesSelectionNotify" && event.selection === parts.compositor) {
        parts.onStale();
      } else if (event.type === "SelectionClear" && event.owner === this.window) {
        // Another handsight shows its overlay now; of two, captures could leave out only one.
        void this.close();
      } else if ((event.type === "MapNotify" || event.type === "ConfigureNotify") && event.window !== this.window) {
        this.#raise();
      }
    });
  }

  static async open(c: Connection, onStale: () => void): Promise<OverlayWindow> {
    needBgrx(c, c.setup.rootDepth);
    await needExtension(c, "Composite");
    const [shape, size, atoms, time] = await Promise.all([
      windowShaper(c),
      getRootBounds(c),
      c.atoms(
        overlaySelection,
        `_NET_WM_CM_S${c.setup.screenNumber}`,
        "_NET_WM_WINDOW_TYPE",
        "_NET_WM_WINDOW_TYPE_NOTIFICATION",
        "_COMPTON_SHADOW",
      ),
      serverTime(c),
      knownOverlays(c),
      // Captures need both; and before anything is covered it must have been drawn off-screen.
      openRenderer(c),
      redirectAll(c),
    ]);
    const compositor = atoms[`_NET_WM_CM_S${c.setup.screenNumber}`] ?? 0;
    await selectSelectionOwnerChanges(c, c.root, compositor);
    // Captures would make it anyway, but it counts as painting of the whole screen.
    await findBackdrop(c, size);
    const isBlended = (await getSelectionOwner(c, compositor)) !== 0;
    const translucent = isBlended
      ? c.setup.visuals.find(({ depth, visualClass }) => depth === 32 && visualClass === 4)
      : undefined;
    const overlay = new OverlayWindow(c, {
      depth: translucent ? 32 : 24,
      visual: translucent?.id ?? c.setup.rootVisual,
      size: { width: size.width, height: size.height },
      shape,
      onStale,
      compositor,
    });
    const { window } = overlay;
    changeProperty(c, window, atoms._NET_WM_WINDOW_TYPE, predefined.atom, {
      u32: [atoms._NET_WM_WINDOW_TYPE_NOTIFICATION],
    });
    changeProperty(c, window, atoms._COMPTON_SHADOW, predefined.cardinal, { u32: [0] });
    changeProperty(c, window, predefined.wmClass, predefined.string, Buffer.from("handsight\0handsight-overlay\0"));
    // Announced before it can be seen.
    setSelectionOwner(c, window, atoms[overlaySelection], time);
    await c.sync();
    return overlay;
  }

  get isClosed(): boolean {
    return this.#isClosed || this.connection.isClosed;
  }

  async draw(shapes: readonly OverlayShape[]): Promise<void> {
    const c = this.connection;
    const before = this.#covered;
    this.#covered = paintShapes(c, this.#canvas, shapes);
    const end = beginOwnPaint(c, [...before, ...this.#covered]);
    changeWindowAttributes(c, this.window, { backgroundPixmap: this.#canvas.drawable });
    this.#shape(this.window, "bounding", this.#covered);
    clearWindow(c, this.window);
    if (!this.#isMapped) mapWindow(c, this.window);
    this.#isMapped = true;
    await configureWindow(c, this.window, { stackMode: above }).finally(end);
  }

  /** Resolves when it is gone from the screen. */
  close(): Promise<void> {
    if (!this.#isClosed) this.#destroy();
    return this.#closing;
  }

  #destroy(): void {
    this.#isClosed = true;
    this.#stop();
    const c = this.connection;
    const end = beginOwnPaint(c, this.#covered);
    destroyWindow(c, this.window);
    freePixmap(c, this.#canvas.drawable);
    freeContext(c, this.#canvas.context);
    if (this.#colormap !== undefined) freeColormap(c, this.#colormap);
    this.#closing = c
      .sync()
      .catch(() => {})
      .finally(end);
  }

  /** Once for all events of a turn. */
  #raise(): void {
    if (this.#isRaising || !this.#isMapped) return;
    const now = performance.now();
    this.#raises = this.#raises.filter((at) => now - at < raisePeriodMs);
    if (this.#raises.length >= mostRaises) return;
    this.#raises.push(now);
    this.#isRaising = true;
    setImmediate(() => {
      this.#isRaising = false;
      if (!this.isClosed) configureWindow(this.connection, this.window, { stackMode: above }).catch(() => {});
    });
  }
}
