import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import type { ElementEventKind, Elements, Events, SecretField, WindowInfo } from "../../platform/backend.ts";

interface Known {
  readonly at: number;
  readonly ids: readonly string[];
}

// A form is far smaller; a screenshot must not wait long for an app that does not answer.
const maxNodes = 2_000;
const timeoutMs = 400;
// In case an app changes without saying so.
const trustMs = 20_000;

/** Where on the screen password fields are. Apps are searched once and again after they changed. */
export class SecretFields implements AsyncDisposable {
  readonly #elements: Elements;
  readonly #events: Events | undefined;
  readonly #isSecret: (node: UiNode) => boolean;
  readonly #readsTexts: boolean;
  readonly #known = new Map<number, Known>();
  #watch: Promise<AsyncDisposable | undefined> | undefined;

  /** Without `holdsSecret` only password fields are looked for. */
  constructor(elements: Elements, events: Events | undefined, holdsSecret: ((text: string) => boolean) | undefined) {
    this.#elements = elements;
    this.#events = events;
    const holds = holdsSecret ?? (() => false);
    this.#isSecret = ({ states, name, value }) =>
      states.includes("password") || holds(name) || (typeof value === "string" && holds(value));
    this.#readsTexts = holdsSecret !== undefined;
  }

  async find(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<readonly SecretField[]> {
    const telling = this.#elements.secretFields?.({ signal });
    if (!telling) return this.#findInTrees(windows, signal);
    const [told, named] = await Promise.all([telling, this.#readsTexts ? this.#findInTrees(windows, signal) : []]);
    return [...told, ...named];
  }

  async #findInTrees(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<readonly SecretField[]> {
    const pids = new Set(windows.map(({ pid }) => pid).filter((pid) => pid !== undefined));
    const isLive = (await (this.#watch ??= this.#open())) !== undefined;
    const found = await Promise.all([...pids].map((pid) => this.#ofApp(pid, isLive, signal)));
    return found.flat();
  }

  async #ofApp(pid: number, isLive: boolean, signal: AbortSignal | undefined): Promise<readonly SecretField[]> {
    try {
      const known = this.#known.get(pid);
      if (isLive && known && performance.now() - known.at < trustMs) {
        if (known.ids.length === 0) return [];
        return (await this.#elements.read(known.ids, { signal })).flatMap(toField);
      }
      const at = performance.now();
      this.#known.set(pid, { at, ids: [] });
      const { nodes } = await this.#elements.tree({ pid }, { maxNodes, timeoutMs, signal });
      const secret = nodes.filter(this.#isSecret);
      // What changed while it was read has been forgotten meanwhile, and is searched again next time.
      if (this.#known.get(pid)?.at === at) this.#known.set(pid, { at, ids: secret.map(({ runtimeId }) => runtimeId) });
      return secret.flatMap(toField);
    } catch (error) {
      this.#known.delete(pid);
      if (signal?.aborted || !(error instanceof ToolError)) throw error;
      // An app without accessibility has no fields that could be found.
      return [];
    }
  }

  async #open(): Promise<AsyncDisposable | undefined> {
    try {
      // Text makes no field a password field, and some apps write all the time.
      const kinds: ElementEventKind[] = ["children", "state", "property", "window"];
      return await this.#events?.watch(this.#readsTexts ? [...kinds, "text"] : kinds, ({ pid, detail }) => {
        if (pid !== undefined && detail !== "focused") this.#known.delete(pid);
      });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      this.#watch = undefined;
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#watch)?.[Symbol.asyncDispose]();
  }
}

function toField(node: UiNode | undefined): readonly SecretField[] {
  return node?.bounds && node.states.includes("showing") ? [{ bounds: node.bounds, windowId: node.windowId }] : [];
}
