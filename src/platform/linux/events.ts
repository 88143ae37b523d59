import { sleep } from "../../base/async.ts";
import type { Rect } from "../../base/geometry.ts";
import type { CallOptions, ElementEvent, ElementEventKind, Events, WatchOptions } from "../backend.ts";
import type { AccessibilityBus } from "./atspi/bus.ts";
import type { Apps } from "./atspi/apps.ts";
import { holdEvent, registerEvent } from "./atspi/registrations.ts";
import { subscriptions, toHappening } from "./atspi/signals.ts";
import { watchDamage } from "./capture/damage.ts";
import type { Signal } from "./dbus/signals.ts";
import type { XDisplay } from "./display.ts";
import { watchWindows } from "./windows/watch-list.ts";

/** Events that wait for the process id of a new program; a flood of them must not fill the memory. */
const mostWaiting = 1000;
const reconnectMs = 500;

/** Accessibility events and painting, as they happen. */
export class AtspiEvents implements Events {
  readonly #bus: AccessibilityBus;
  readonly #display: XDisplay;
  readonly #watches = new Set<Watch>();

  constructor(bus: AccessibilityBus, display: XDisplay) {
    this.#bus = bus;
    this.#display = display;
  }

  async watch(
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    options: WatchOptions = {},
  ): Promise<AsyncDisposable> {
    const watch = new Watch(this.#bus, kinds, listener, options);
    await watch.start(options.signal);
    this.#watches.add(watch);
    return {
      [Symbol.asyncDispose]: () => {
        this.#watches.delete(watch);
        return watch[Symbol.asyncDispose]();
      },
    };
  }

  async told({ signal }: CallOptions = {}): Promise<number> {
    const { bus, reusedIds } = await this.#bus.apps({ signal });
    // The daemon answers after it has delivered everything sent before.
    await bus.callDaemon("GetId", "", [], { signal });
    await Promise.all([...this.#watches].map((watch) => watch.told()));
    return reusedIds.connection;
  }

  windows(listener: () => void, options: CallOptions = {}): Promise<AsyncDisposable> {
    return watchWindows(this.#display, listener, options);
  }

  damage(
    windowId: number | undefined,
    listener: (part: Rect) => void,
    options: CallOptions = {},
  ): Promise<AsyncDisposable> {
    return watchDamage(this.#display, windowId, listener, options);
  }
}

class Watch implements AsyncDisposable {
  readonly #accessibility: AccessibilityBus;
  readonly #kinds: ReadonlySet<ElementEventKind>;
  readonly #listener: (event: ElementEvent) => void;
  readonly #options: WatchOptions;
  readonly #ended = new AbortController();
  #stops: (() => void)[] = [];
  #releases: (() => Promise<void>)[] = [];
  #waiting = 0;
  #order: Promise<void> = Promise.resolve();

  constructor(
    accessibility: AccessibilityBus,
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    options: WatchOptions,
  ) {
    this.#options = options;
    this.#accessibility = accessibility;
    this.#kinds = new Set(kinds);
    this.#listener = listener;
  }

  async start(signal: AbortSignal | undefined): Promise<void> {
    const options = { signal };
    const apps = await this.#accessibility.apps(options);
    const { bus } = apps;
    const wanted = [...this.#kinds].map((kind) => subscriptions[kind]);
    // Two kinds may need the same signal, which must be heard only once.
    const rules = new Map(wanted.flatMap(({ rules }) => rules).map((rule) => [JSON.stringify(rule), rule]));
    const listening = [...rules.values()].map((rule) => bus.on(rule, (each) => this.#hear(apps, each), options));
    const names = [...new Set(wanted.flatMap(({ events }) => events))];
    const registering = this.#options.leavesNothing
      ? names.map(async (name) => void this.#releases.push(await holdEvent(bus, name)))
      : names.map((name) => registerEvent(bus, name));
    this.#stops = await Promise.all(listening);
    await Promise.all(registering);
    this.#stops.push(bus.onClose(() => void this.#restart().catch(() => {})));
  }

  /** Includes events that waited for the process id of their program. */
  told(): Promise<void> {
    return this.#order;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.#stop();
    await Promise.allSettled(this.#releases.splice(0).map((release) => release()));
  }

  #stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  /** The bus is gone; starts listening again as soon as there is one. */
  async #restart(): Promise<void> {
    this.#stop();
    // They went with the connection.
    this.#releases = [];
    while (!this.#ended.signal.aborted) {
      await sleep(reconnectMs, this.#ended.signal);
      try {
        await this.start(this.#ended.signal);
        this.#options.onGap?.();
        return;
      } catch {
        this.#stop();
      }
    }
  }

  #hear(apps: Apps, signal: Signal): void {
    const happening = toHappening(signal, this.#kinds);
    if (!happening || this.#ended.signal.aborted) return;
    const event = { ...happening, runtimeId: apps.reusedIds.mark(signal.sender + signal.path), at: Date.now() };
    const pid = apps.knownPid(signal.sender);
    if (pid !== undefined && this.#waiting === 0) return this.#listener({ ...event, pid });
    if (this.#waiting >= mostWaiting) return this.#options.onGap?.();
    this.#waiting += 1;
    this.#order = this.#order.then(async () => {
      const found = await apps.pidOf(signal.sender, {}).catch(() => 0);
      this.#waiting -= 1;
      if (!this.#ended.signal.aborted) this.#listener({ ...event, pid: found === 0 ? undefined : found });
    });
  }
}
