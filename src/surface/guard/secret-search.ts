import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import type { ElementEvent, ElementEventKind, Elements, Events } from "../../platform/backend.ts";

export interface AppSecrets {
  readonly at: number;
  readonly ids: readonly string[];
  /** Those that do not show now are among them. */
  readonly isComplete: boolean;
  /** Where they are is told later than shown. */
  readonly isLate: boolean;
  /** The app tells of no elements at all. */
  readonly isMute?: boolean;
}

// A form is far smaller; a screenshot must not wait long for an app that does not answer.
const maxNodes = 2_000;
const timeoutMs = 400;
// The app itself searches all of a long page.
const searchMs = 1_500;
// In case an app changes without saying so.
const trustMs = 20_000;
// An app that has just been started may begin to tell at any time.
const muteMs = 1_000;
// More places than that are not worth telling apart.
const mostGrown = 8;

/** Which elements of apps are password fields, or show a secret. Apps are searched once, and again where they changed. */
export class SecretSearch implements AsyncDisposable {
  readonly #elements: Elements;
  readonly #events: Events | undefined;
  readonly #holdsSecret: ((text: string) => boolean) | undefined;
  readonly #known = new Map<number, AppSecrets>();
  readonly #changes = new Map<number, number>();
  /** Elements that have got children since. */
  readonly #grown = new Map<number, Set<string>>();
  #watch: Promise<AsyncDisposable | undefined> | undefined;
  #told: number | undefined;

  constructor(elements: Elements, events: Events | undefined, holdsSecret: ((text: string) => boolean) | undefined) {
    this.#elements = elements;
    this.#events = events;
    this.#holdsSecret = holdsSecret;
  }

  /** What is known and needs no new search. */
  known(pid: number): AppSecrets | undefined {
    const known = this.#known.get(pid);
    const isFresh = known && performance.now() - known.at < (known.isMute ? muteMs : trustMs);
    return isFresh && !this.#grown.has(pid) ? known : undefined;
  }

  forget(pid: number): void {
    this.#known.delete(pid);
    this.#grown.delete(pid);
    this.#changes.set(pid, (this.#changes.get(pid) ?? 0) + 1);
  }

  /** What the app has, searched for where that is not known. */
  async of(pid: number, signal: AbortSignal | undefined): Promise<AppSecrets & { readonly nodes?: readonly UiNode[] }> {
    const isLive = (await (this.#watch ??= this.#open())) !== undefined;
    const known = isLive ? this.known(pid) : undefined;
    if (known) return known;
    const changes = this.#changes.get(pid);
    try {
      const found = await this.#search(pid, isLive, signal);
      const { nodes, ...secrets } = found ? { ...found, nodes: undefined } : await this.#searchTree(pid, signal);
      // What changed while it was read is searched again next time.
      if (this.#changes.get(pid) === changes) this.#known.set(pid, secrets);
      return nodes ? { ...secrets, nodes } : secrets;
    } catch (error) {
      this.forget(pid);
      if (!(error instanceof ToolError) || error.code !== "not_supported") throw error;
      const mute = { at: performance.now(), ids: [], isComplete: true, isLate: false, isMute: true };
      if (isLive) this.#known.set(pid, mute);
      return mute;
    }
  }

  /** Whether what the apps have said until now has been heard. What may have been missed is forgotten. */
  async isToldAll(signal: AbortSignal | undefined): Promise<boolean> {
    const told = await this.#events?.told?.({ signal }).catch((error: unknown) => {
      if (signal?.aborted || !(error instanceof ToolError)) throw error;
      return undefined;
    });
    if (this.#told !== undefined && told !== this.#told) for (const pid of this.#known.keys()) this.forget(pid);
    this.#told = told;
    return told !== undefined;
  }

  async #search(pid: number, isLive: boolean, signal: AbortSignal | undefined): Promise<AppSecrets | undefined> {
    if (this.#holdsSecret) return undefined;
    const before = isLive ? this.#known.get(pid) : undefined;
    const grown = this.#grown.get(pid);
    this.#grown.delete(pid);
    const isPart = before?.isComplete === true && performance.now() - before.at < trustMs;
    const below = isPart && grown && grown.size <= mostGrown ? [...grown] : undefined;
    const at = below && before ? before.at : performance.now();
    const found = await this.#elements.secretFields?.(pid, { below, timeoutMs: searchMs, signal });
    if (!found) return undefined;
    const ids = below && before ? [...new Set([...before.ids, ...found.ids])] : found.ids;
    return { at, ids, isComplete: true, isLate: found.isLate };
  }

  async #searchTree(pid: number, signal: AbortSignal | undefined) {
    const at = performance.now();
    const { nodes } = await this.#elements.tree(this.#elements.scope({ pid }), { maxNodes, timeoutMs, signal });
    const secret = nodes.filter((node) => this.#isSecret(node));
    const isLate = nodes.some(({ role }) => role === "document");
    return { at, ids: secret.map(({ runtimeId }) => runtimeId), isComplete: false, isLate, nodes: secret };
  }

  #isSecret({ states, name, value }: UiNode): boolean {
    const holds = this.#holdsSecret ?? (() => false);
    return states.includes("password") || holds(name) || (typeof value === "string" && holds(value));
  }

  async #open(): Promise<AsyncDisposable | undefined> {
    try {
      // Text makes no field a password field, and some apps write all the time.
      const kinds: ElementEventKind[] = ["children", "state", "property", "window"];
      return await this.#events?.watch(this.#holdsSecret ? [...kinds, "text"] : kinds, (event) => this.#hear(event));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      this.#watch = undefined;
      return undefined;
    }
  }

  #hear({ pid, kind, detail, runtimeId }: ElementEvent): void {
    if (pid === undefined || detail === "focused") return;
    const known = this.#known.get(pid);
    if (known?.isComplete !== true || known.isMute) return this.forget(pid);
    // Elements that were there before stay what they are.
    if (kind === "window") return this.forget(pid);
    if (kind !== "children" || detail.startsWith("remove")) return;
    const grown = this.#grown.get(pid) ?? new Set();
    this.#grown.set(pid, grown);
    if (grown.size <= mostGrown) grown.add(runtimeId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#watch)?.[Symbol.asyncDispose]();
  }
}
