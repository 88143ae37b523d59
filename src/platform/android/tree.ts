import { withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import { dumpScreen, forgetDump } from "./dump.ts";
import { isPasswordFocused } from "./facts.ts";
import { Identities } from "./identity.ts";
import { isFresh, type Kept } from "./kept.ts";

// A dump is taken of a screen that has been still for a second; until something is done, it is good for another.
const treeAgeMs = 1_000;
/** Elements that take longer are only read when somebody asks for them. */
const quickMs = 900;
const hastyMs = 2_000;

/** The elements of the screen. */
export class ScreenTree {
  readonly #connection: Connection;
  readonly #identities = new Identities();
  #tree: Kept<readonly UiNode[]> | undefined;
  #dumpMs = 0;
  #hasDumped = false;
  #reading: { readonly signal: AbortSignal | undefined; readonly done: Promise<readonly UiNode[]> } | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get isQuick(): boolean {
    return this.#dumpMs < quickMs;
  }

  /** After an action nothing read before it counts. */
  forget(): void {
    this.#tree = undefined;
    this.#reading = undefined;
  }

  /** As they are now, whatever it takes. Asked for twice at the same time, they are read once. */
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

  /** As they were a moment ago, if nothing was done since; else as they are now. */
  async recent(options: CallOptions): Promise<readonly UiNode[]> {
    return isFresh(this.#tree, treeAgeMs) ? this.#tree.value : this.now(options);
  }

  /** As evidence: `timeout` where reading them would take longer than whatever they are evidence for. */
  async hasty({ signal }: CallOptions): Promise<readonly UiNode[]> {
    if (isFresh(this.#tree, treeAgeMs)) return this.#tree.value;
    const what = "Reading the elements";
    if (!this.isQuick) throw new ToolError("timeout", `${what} of ${this.#connection.serial} takes too long.`);
    try {
      return await withDeadline({ ms: hastyMs, what, signal }, (inner) => this.now({ signal: inner }));
    } catch (error) {
      if (signal?.aborted || !(error instanceof ToolError)) throw error;
      this.#dumpMs = Infinity;
      throw error;
    }
  }

  /**
   * Where passwords are entered. Where reading the elements takes long, they are only read while the focused field is one
   * for passwords: Android shows the letter typed last there for a moment, and dots otherwise.
   */
  async secretFields({ signal }: CallOptions): Promise<readonly Rect[]> {
    try {
      if (!this.isQuick && !(await this.#isPasswordFocused({ signal }))) return [];
      const nodes = await (this.isQuick ? this.hasty({ signal }) : this.recent({ signal }));
      return nodes.flatMap(({ states, bounds }) => (states.includes("password") && bounds ? [bounds] : []));
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
    const dump = await dumpScreen(this.#connection, { signal });
    this.#dumpMs = performance.now() - started;
    return this.#identities.follow(dump);
  }

  /** Nothing of ours stays on the device. */
  async close(): Promise<void> {
    if (this.#hasDumped) await forgetDump(this.#connection).catch(() => {});
  }
}
