import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import type { ElementEvent, ElementEventKind, Elements, Events } from "../../platform/backend.ts";

export interface AppSecrets {
  readonly at: number;
  readonly ids: readonly string[];
  /** Includes the fields that are not visible now. */
  readonly isComplete: boolean;
  /** The app reports positions later than it shows them. */
  readonly isLate: boolean;
  /** The app exposes no elements at all. */
  readonly isMute?: boolean;
}

// Far more than a form has; a screenshot must not wait long for an unresponsive app.
const maxNodes = 2_000;
const timeoutMs = 400;
// Longer, because the app itself searches the whole of a long page.
const searchMs = 1_500;
// In case an app changes without reporting it.
const trustMs = 20_000;
// An app that has just started may begin to expose elements at any time.
const muteMs = 1_000;
// A browser reports a new page before its fields are there, and then says nothing more about them.
const loadingMs = 2_000;
const lookAgainMs = 200;
// Beyond this many places, search the whole app.
const mostGrown = 8;

/**
 * Finds the elements of apps that are password fields or show a secret. Each app is searched once, and again where it
 * changed.
 */
export class SecretSearch implements AsyncDisposable {
  readonly #elements: Elements;
  readonly #events: Events | undefined;
  readonly #holdsSecret: ((text: string) => boolean) | undefined;
  readonly #known = new Map<number, AppSecrets>();
  readonly #changes = new Map<number, number>();
  /** When each app last reported a change. */
  readonly #changedAt = new Map<number, number>();
  /** Elements that gained children since the last search. */
  readonly #grown = new Map<number, Set<string>>();
  #watch: Promise<AsyncDisposable | undefined> | undefined;
  #told: number | undefined;

  constructor(elements: Elements, events: Events | undefined, holdsSecret: ((text: string) => boolean) | undefined) {
    this.#elements = elements;
    this.#events = events;
    this.#holdsSecret = holdsSecret;
  }

  /** The known result, if no new search is needed. */
  known(pid: number): AppSecrets | undefined {
    const known = this.#known.get(pid);
    const isFresh = known && performance.now() - known.at < this.#trustOf(pid, known);
    return isFresh && !this.#grown.has(pid) ? known : undefined;
  }

  #trustOf(pid: number, { at, isMute = false, isLate }: AppSecrets): number {
    if (isMute) return muteMs;
    const mayLoad = isLate && at - (this.#changedAt.get(pid) ?? Number.NEGATIVE_INFINITY) < loadingMs;
    return mayLoad ? lookAgainMs : trustMs;
  }

  forget(pid: number): void {
    this.#known.delete(pid);
    this.#grown.delete(pid);
    this.#changes.set(pid, (this.#changes.get(pid) ?? 0) + 1);
  }

  /** The secrets of an app; searches if they are not known. */
  async of(pid: number, signal: AbortSignal | undefined): Promise<AppSecrets & { readonly nodes?: readonly UiNode[] }> {
    const isLive = (await (this.#watch ??= this.#open())) !== undefined;
    const known = isLive ? this.known(pid) : undefined;
    if (known) return known;
    const changes = this.#changes.get(pid);
    try {
      const found = await this.#search(pid, isLive, signal);
      const { nodes, ...secrets } = found ? { ...found, nodes: undefined } : await this.#searchTree(pid, signal);
      // If the app changed while it was read, search again next time.
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

  /** Whether all events up to now have been received. If some may have been missed, forgets the results. */
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
      // Text does not turn a field into a password field, and some apps write all the time.
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
    this.#changedAt.set(pid, performance.now());
    const known = this.#known.get(pid);
    if (known?.isComplete !== true || known.isMute) return this.forget(pid);
    // Existing elements stay what they are.
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
