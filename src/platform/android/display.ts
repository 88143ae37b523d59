import { ToolError } from "../../base/errors.ts";
import { contains, union, type Rect, type ScreenPoint, type Size } from "../../base/geometry.ts";
import type { CallOptions } from "../backend.ts";
import type { ForegroundApp, ScreenState } from "../devices.ts";
import type { Connection } from "./connection.ts";
import {
  readCurrentSize,
  readDensity,
  readForeground,
  readLitDisplays,
  readRotation,
  readScreenState,
  readSize,
  readViewports,
  splitDisplays,
  turned,
  type PhysicalDisplay,
} from "./facts.ts";
import { isFresh, type Timed } from "./timed.ts";
import { quote } from "./quote.ts";

// One action asks for the same things several times.
const glanceAgeMs = 250;
/**
 * `dumpsys window displays` (since Android 10) reports less than `dumpsys window`, and much faster. It is short
 * enough to be sent whole: starting grep for it takes a phone longer.
 */
const firstWithDisplays = 29;
const told = "Display: mDisplayId=|mCurrentFocus=|mFocusedApp=|mRotation=|mCurrentRotation=|cur=";
const isTold = new RegExp(told);

/** One display that is on, with the app in front on it. The id is Android's: 0 is the main display. */
export interface Panel {
  readonly id: number;
  /** Its name for `screencap`; undefined when there is only one. */
  readonly physical: string | undefined;
  readonly name: string;
  /** In the device's one coordinate space: the other displays are to the right of the first. */
  readonly bounds: Rect;
  readonly rotation: number;
  readonly front: ForegroundApp | undefined;
}

export interface Glance {
  readonly main: Panel;
  readonly panels: readonly Panel[];
  /** The lines from which this was read. */
  readonly lines: readonly string[];
}

/** Size, rotation and the app in front, for every display. */
export class DisplayReader {
  readonly physical: readonly PhysicalDisplay[];
  readonly #connection: Connection;
  readonly #command: string;
  readonly #isShort: boolean;
  #seen: Timed<Glance> | undefined;
  #last: Glance | undefined;
  #reading: { readonly signal: AbortSignal | undefined; readonly done: Promise<Glance> } | undefined;

  constructor(connection: Connection, physical: readonly PhysicalDisplay[], sdk: number | undefined) {
    this.#connection = connection;
    this.physical = physical;
    this.#isShort = (sdk ?? 0) >= firstWithDisplays;
    this.#command = this.#isShort ? "dumpsys window displays" : "dumpsys window";
  }

  /** The last reading, if it is recent and nothing was done since; otherwise a new one. */
  async glance({ signal }: CallOptions): Promise<Glance> {
    return isFresh(this.#seen, glanceAgeMs) ? this.#seen.value : this.read({ signal });
  }

  /** The last reading, however old. */
  async last(options: CallOptions): Promise<Glance> {
    return this.#last ?? this.read(options);
  }

  /** Reads now. Two simultaneous calls share one reading. */
  async read({ signal }: CallOptions): Promise<Glance> {
    if (this.#reading?.signal === signal && this.#reading) return this.#reading.done;
    const at = performance.now();
    const reading = { signal, done: this.#read({ signal }) };
    this.#reading = reading;
    try {
      const value = await reading.done;
      // Otherwise something was done meanwhile.
      if (this.#reading === reading) this.#seen = { at, value };
      this.#last = value;
      return value;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** After an action, nothing read before it is valid. */
  forget(): void {
    this.#seen = undefined;
    this.#reading = undefined;
  }

  /** The size of a picture is the true size of the screen. */
  noteSize({ width, height }: Size): void {
    const known = this.#last?.main.bounds;
    if (known?.width === width && known.height === height) return;
    this.forget();
    this.#last = undefined;
  }

  /** The elements reveal which app is in front; if it is another one, nothing else read before is valid either. */
  noteApp(name: string): void {
    if (this.#seen && name !== "" && this.#seen.value.main.front?.package !== name) this.forget();
  }

  /** A command that acts only while the same apps are in front, at the same size, as in this reading. */
  whileSame({ lines }: Glance, command: string): string {
    const tests = lines.map((line) => `case $t in *${quote(line)}*) ;; *) s=;; esac`);
    return `t=$(${this.#command}); s=1; ${tests.join("; ")}; t=; if [ -n "$s" ]; then ${command}; else echo ${moved}; fi`;
  }

  async #read({ signal }: CallOptions): Promise<Glance> {
    const what = "Reading the display";
    const several = this.physical.length > 1 ? "; echo; dumpsys display | grep uniqueId=" : "";
    const command = `${this.#command}${this.#isShort ? "" : ` | grep -E '${told}'`}${several}`;
    const all = await this.#connection.read(command, { signal, what });
    const isOfUse = (line: string): boolean => isTold.test(line) || line.includes("uniqueId=");
    const text = all.split("\n").filter(isOfUse).join("\n");
    const sections = splitDisplays(text);
    const own = sections.get(0) ?? text;
    const size = readCurrentSize(own) ?? (await this.#readSize({ signal }));
    const front = readForeground(own) ?? (await this.#readActivity({ signal }));
    const viewports = several === "" ? [] : readViewports(text);
    const nameOf = (physical: string | undefined): string =>
      this.physical.find(({ id }) => id === physical)?.name ?? this.physical[0]?.name ?? "display";
    const lit = viewports.find(({ id }) => id === 0)?.physical ?? this.#lit(text);
    const rotation = readRotation(own) ?? 0;
    const main = { id: 0, physical: lit, name: nameOf(lit), bounds: { x: 0, y: 0, ...size }, rotation, front };
    const panels: Panel[] = [main];
    for (const each of viewports.filter(({ id }) => id !== 0)) {
      const left = union(panels.map(({ bounds }) => bounds))?.width ?? 0;
      const app = readForeground(sections.get(each.id) ?? "");
      panels.push({ ...each, name: nameOf(each.physical), bounds: { x: left, y: 0, ...each.size }, front: app });
    }
    return { main, panels, lines: text.split("\n").map(trimmed).filter(isTelling) };
  }

  /** Of several displays (a foldable), the one that is on. */
  #lit(text: string): string | undefined {
    const lit = this.physical.length > 1 ? readLitDisplays(text) : [];
    return this.physical.find(({ id }) => lit.includes(id))?.id;
  }

  /** For when the window manager does not report it. */
  async #readSize({ signal }: CallOptions): Promise<Size> {
    const command = "wm size; dumpsys input | grep -iE 'SurfaceOrientation|orientation=Rotation' | head -n 1";
    const text = await this.#connection.read(command, { signal, what: "Reading the display" });
    const size = readSize(text);
    if (size) return turned(size, readRotation(text) ?? 0);
    throw new ToolError("ax_error", `The device does not report its size: ${text.trim().slice(0, 200)}`);
  }

  async #readActivity({ signal }: CallOptions): Promise<ForegroundApp | undefined> {
    const command = "dumpsys activity activities | grep -E 'ResumedActivity|mFocusedActivity'";
    return readForeground(await this.#connection.read(command, { signal, what: "Reading the foreground" }));
  }

  async density({ signal }: CallOptions): Promise<number> {
    const text = await this.#connection.read("wm density", { signal, what: "Reading the display" });
    return readDensity(text) ?? 160;
  }

  async state({ signal }: CallOptions): Promise<ScreenState> {
    const keyguard = "mDreamingLockscreen|isKeyguardShowing|mShowingLockscreen|KeyguardShowing";
    const command = `dumpsys power | grep mWakefulness=; dumpsys window | grep -E '${keyguard}'`;
    return readScreenState(await this.#connection.read(command, { signal, what: "Reading the screen's state" }));
  }
}

/** What a `whileSame` command prints when it has done nothing. */
export const moved = "handsight: something else is in front";

const trimmed = (line: string): string => line.trim();
/** Lines from the window manager; the rest is not read again before an action. */
const isTelling = (line: string): boolean =>
  /\b(mCurrentFocus|mFocusedApp|m(Current)?Rotation)=|\bcur=\d+x\d+/.test(line);

/** The whole space: all displays. */
export const spaceOf = ({ panels, main }: Glance): Rect => union(panels.map(({ bounds }) => bounds)) ?? main.bounds;

/** The display with this number; throws `not_found` if there is none. */
export function needDisplay({ panels }: Glance, wanted: number): Panel {
  const panel = panels.find(({ id }) => id === wanted);
  if (panel) return panel;
  throw new ToolError("not_found", `The device has no display ${wanted} that is on.`, {
    hint: `There is ${panels.map(({ id, name }) => `${id} (${name})`).join(" and ")}.`,
  });
}

/** The display that contains a point; throws `out_of_bounds` if there is none. */
export function needPanel(glance: Glance, { x, y }: ScreenPoint): Panel {
  const panel = glance.panels.find(({ bounds }) => contains(bounds, { x, y }));
  if (panel) return panel;
  const ranges = glance.panels.map(({ bounds: { x: left, y: top, width, height } }) => {
    return `${left},${top} to ${left + width - 1},${top + height - 1}`;
  });
  throw new ToolError("out_of_bounds", `Point ${x},${y} is off the screen (valid: ${ranges.join(" and ")}).`, {
    hint: "Coordinates are display pixels in the current orientation (android_get_display_info).",
  });
}
