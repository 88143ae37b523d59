import { withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { screenPoint, type Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { CallOptions, HastyOptions, SecretField } from "../backend.ts";
import type { Connection } from "./connection.ts";
import type { Panel } from "./display.ts";
import { DumpReader, dumpScreen, forgetDump } from "./dump.ts";
import { isPasswordFocused } from "./facts.ts";
import { Identities } from "./identity.ts";
import { isFresh, type Timed } from "./timed.ts";

// One action asks for the same elements several times; between two calls the screen may have changed.
const treeAgeMs = 250;
/** Elements that take longer are read only on explicit request. */
const quickMs = 900;
/** A dump alone takes half a second or more. */
export const evidenceMs = 2_000;

interface Displays {
  /** The displays that are on; undefined when there is only one. */
  panels(options: CallOptions): Promise<readonly Panel[] | undefined>;
  /** Called with the app that the elements of the first display belong to. */
  noteApp(name: string): void;
}

/** The elements of the app in front on each display. */
export class ScreenTree {
  readonly #connection: Connection;
  readonly #displays: Displays;
  readonly #reader = new DumpReader();
  readonly #identities = new Map<number, Identities>();
  readonly #packages = new Map<number, string>();
  #tree: Timed<readonly UiNode[]> | undefined;
  #dumpMs = 0;
  #hasDumped = false;
  #reading: { readonly signal: AbortSignal | undefined; readonly done: Promise<readonly UiNode[]> } | undefined;

  constructor(connection: Connection, displays: Displays) {
    this.#connection = connection;
    this.#displays = displays;
  }

  get isQuick(): boolean {
    return this.#dumpMs < quickMs;
  }

  /** The app whose elements were read last. */
  packageOn(display: number): string {
    return this.#packages.get(display) ?? "";
  }

  /** After an action, nothing read before it is valid. */
  forget(): void {
    this.#tree = undefined;
    this.#reading = undefined;
  }

  /** Reads now, however long it takes. Two simultaneous calls share one reading. */
  async now({ signal }: CallOptions): Promise<readonly UiNode[]> {
    if (this.#reading && this.#reading.signal === signal) return this.#reading.done;
    this.#tree = undefined;
    const reading = { signal, done: this.#read({ signal }) };
    this.#reading = reading;
    try {
      const value = await reading.done;
      if (this.#reading === reading) this.#tree = { at: performance.now(), value };
      return value;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** The last reading, if it is recent and nothing was done since; otherwise a new one. */
  async recent(options: CallOptions): Promise<readonly UiNode[]> {
    return isFresh(this.#tree, treeAgeMs) ? this.#tree.value : this.now(options);
  }

  /** For evidence: throws `timeout` if reading would take longer than the evidence is worth. */
  async hasty({ signal, timeoutMs = evidenceMs }: HastyOptions): Promise<readonly UiNode[]> {
    if (isFresh(this.#tree, treeAgeMs)) return this.#tree.value;
    const what = "Reading the elements";
    if (!this.isQuick) throw new ToolError("timeout", `${what} of ${this.#connection.serial} takes too long.`);
    try {
      return await withDeadline({ ms: timeoutMs, what, signal }, (inner) => this.now({ signal: inner }));
    } catch (error) {
      if (signal?.aborted || !(error instanceof ToolError)) throw error;
      this.#dumpMs = Infinity;
      throw error;
    }
  }

  /**
   * Where passwords are entered. If reading the elements takes long, they are read only while the focused field is a
   * password field: there Android shows the last typed letter for a moment, and dots otherwise.
   */
  async secretFields({ signal }: CallOptions): Promise<readonly SecretField[]> {
    try {
      if (!this.isQuick && !(await this.#isPasswordFocused({ signal }))) return [];
      const nodes = await (this.isQuick ? this.hasty({ signal }) : this.recent({ signal }));
      return nodes.flatMap(({ states, bounds, windowId }) =>
        states.includes("password") && bounds ? [{ bounds, windowId }] : [],
      );
    } catch (error) {
      if (signal?.aborted || !(error instanceof ToolError)) throw error;
      // A screen without elements has no fields that could be found.
      return [];
    }
  }

  async #isPasswordFocused({ signal }: CallOptions): Promise<boolean> {
    const command = "dumpsys input_method | grep inputType=";
    return isPasswordFocused(await this.#connection.read(command, { signal, what: "Reading the focused field" }));
  }

  async #read({ signal }: CallOptions): Promise<readonly UiNode[]> {
    const started = performance.now();
    this.#hasDumped = true;
    const panels = await this.#displays.panels({ signal });
    const dumps = await dumpScreen(this.#connection, this.#reader, { signal, allDisplays: panels !== undefined });
    this.#dumpMs = performance.now() - started;
    this.#displays.noteApp(dumps.get(0)?.package ?? "");
    const read = [...dumps].map(([display, dump]) => {
      this.#packages.set(display, dump.package);
      const identities = this.#identities.get(display) ?? new Identities(display);
      this.#identities.set(display, identities);
      const corner = panels?.find(({ id }) => id === display)?.bounds;
      const nodes = identities.follow(dump);
      return corner && (corner.x !== 0 || corner.y !== 0) ? nodes.map((node) => moved(node, corner)) : nodes;
    });
    return read.length === 1 && read[0] ? read[0] : read.flat();
  }

  /** Leaves nothing of ours on the device. */
  async close(): Promise<void> {
    if (this.#hasDumped) await forgetDump(this.#connection).catch(() => {});
  }
}

/** Each display counts from its own corner. */
function moved(node: UiNode, { x, y }: Pick<Rect, "x" | "y">): UiNode {
  const { bounds, clickPoint } = node;
  return {
    ...node,
    ...(bounds ? { bounds: { ...bounds, x: bounds.x + x, y: bounds.y + y } } : {}),
    ...(clickPoint ? { clickPoint: screenPoint(clickPoint.x + x, clickPoint.y + y) } : {}),
  };
}
