import { Apps } from "./apps.ts";
import { ReusedIds } from "./reused-ids.ts";
import { openAccessibilityBus } from "./connect.ts";
import type { Bus } from "../dbus/bus.ts";
import { LazyBus } from "../dbus/lazy.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import type { XDisplay } from "../display.ts";

/** The accessibility bus of a display, shared by `elements` and `events`. Connects on first use and after a loss. */
export class AccessibilityBus implements AsyncDisposable {
  readonly #lazy: LazyBus;
  readonly #env: NodeJS.ProcessEnv;
  #apps: Apps | undefined;
  #connections = 0;

  constructor(env: NodeJS.ProcessEnv, display: XDisplay) {
    this.#env = env;
    this.#lazy = new LazyBus(() => openAccessibilityBus(env, display));
  }

  connect(options: BusCallOptions = {}): Promise<Bus> {
    return this.#lazy.connect(options);
  }

  /** The programs on the bus; what is known about them is dropped with the connection. */
  async apps(options: BusCallOptions = {}): Promise<Apps> {
    const bus = await this.connect(options);
    if (this.#apps?.bus !== bus) this.#apps = new Apps(bus, this.#env, new ReusedIds(this.#connections++));
    return this.#apps;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lazy[Symbol.asyncDispose]();
  }
}
