import { poll } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { Bus } from "../dbus/bus.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { openBus } from "../dbus/open.ts";
import { App, optional, rootPath, type Ref, type Toolkit } from "./app.ts";
import type { ReusedIds } from "./reused-ids.ts";
import { KnownBounds } from "./known-bounds.ts";
import { registerEvent, registry } from "./registrations.ts";
import { quirksOf } from "./quirks.ts";
import { warmUp } from "./warm-up.ts";
import { isStarting, missingTreeHint } from "./missing-tree.ts";

const startMs = 1_500;
const startEveryMs = 50;

/** Programs known on one connection to the accessibility bus; unique names are never reused on it. */
export class Apps {
  readonly bus: Bus;
  readonly reusedIds: ReusedIds;
  readonly #env: NodeJS.ProcessEnv;
  readonly #pids = new Map<string, number>();
  readonly #apps = new Map<string, Promise<App>>();
  readonly #stops = new Map<string, () => void>();

  constructor(bus: Bus, env: NodeJS.ProcessEnv, reusedIds: ReusedIds) {
    this.bus = bus;
    this.reusedIds = reusedIds;
    this.#env = env;
    bus.onClose(() => {
      for (const app of this.#apps.values()) app.then((each) => each.close()).catch(() => {});
    });
  }

  /** The names of all programs on the bus. Asks only the registry, so no frozen program can delay it. */
  async names(options: BusCallOptions): Promise<readonly string[]> {
    await this.#listen();
    const method = {
      destination: registry,
      path: rootPath,
      interface: "org.a11y.atspi.Accessible",
      member: "GetChildren",
    };
    const [children] = await this.bus.call<[readonly Ref[]]>(method, "", [], { ...options, canStart: true });
    const names = [...new Set(children.map(([name]) => name))];
    for (const known of this.#pids.keys()) if (!names.includes(known)) this.#forget(known);
    return names;
  }

  /** Undefined when the process is not on the bus. */
  async find(pid: number, options: BusCallOptions): Promise<App | undefined> {
    const app = await this.#findOpen(pid, options);
    await app?.noteLost(options);
    return app;
  }

  async #findOpen(pid: number, options: BusCallOptions): Promise<App | undefined> {
    const [known] = [...this.#apps.keys()].filter((name) => this.#pids.get(name) === pid);
    // The daemon answers ten times faster than the registry.
    if (known !== undefined && (await this.#hasPid(known, pid, options))) return this.open(known, options);
    const names = await this.names(options);
    const pids = await Promise.all(names.map((name) => this.pidOf(name, options)));
    const name = names[pids.indexOf(pid)];
    return name === undefined ? undefined : this.open(name, options);
  }

  async need(pid: number, options: BusCallOptions): Promise<App> {
    const app = (await this.find(pid, options)) ?? (await this.#findStarting(pid, options));
    if (app) return app;
    if (!isRunning(pid)) throw new ToolError("process_not_running", `Process ${pid} is not running.`);
    if (isStarting(pid))
      throw new ToolError("timeout", `Process ${pid} has just started and does not expose its elements yet.`, {
        hint: "Try again in a moment.",
      });
    throw new ToolError("not_supported", `Process ${pid} does not expose its elements.`, {
      hint: missingTreeHint(pid),
    });
  }

  async #findStarting(pid: number, options: BusCallOptions): Promise<App | undefined> {
    if (!isStarting(pid)) return undefined;
    const { signal, timeoutMs = startMs } = options;
    const find = async (): Promise<App | undefined> => this.find(pid, options);
    return poll(find, { timeoutMs, everyMs: startEveryMs, ...(signal ? { signal } : {}) });
  }

  async #hasPid(name: string, pid: number, options: BusCallOptions): Promise<boolean> {
    const reply = this.bus.callDaemon<[number]>("GetConnectionUnixProcessID", "s", [name], options);
    return (await optional(reply))?.[0] === pid;
  }

  knownPid(name: string): number | undefined {
    return this.#pids.get(name);
  }

  /** 0 when it has left the bus. */
  async pidOf(name: string, options: BusCallOptions): Promise<number> {
    const known = this.#pids.get(name);
    if (known !== undefined) return known;
    const [pid] = (await optional(
      this.bus.callDaemon<[number]>("GetConnectionUnixProcessID", "s", [name], options),
    )) ?? [0];
    if (pid !== 0) this.#pids.set(name, pid);
    return pid;
  }

  /** The program with that name on the bus; `uid_not_found` when it has ended. */
  async open(name: string, options: BusCallOptions): Promise<App> {
    await this.#listen();
    const known = this.#apps.get(name);
    if (known) return known;
    const made = this.#connect(name, options);
    this.#apps.set(name, made);
    made.catch(() => this.#apps.delete(name));
    return made;
  }

  async #connect(name: string, options: BusCallOptions): Promise<App> {
    const pid = await this.pidOf(name, options);
    if (pid === 0) {
      throw new ToolError("uid_not_found", "The program that the element belonged to has ended.", {
        hint: "Take a new snapshot.",
      });
    }
    const shared = new App({ name, pid, toolkit: "other" }, this.reusedIds, this.bus);
    const [toolkitName, version, address] = await Promise.all([
      optional(shared.get<string>(rootPath, "Application.ToolkitName", options)),
      optional(shared.get<string>(rootPath, "Application.Version", options)),
      optional(shared.call<[string]>(rootPath, "Application.GetApplicationBusAddress", "", [], options)),
    ]);
    const openDirect = async () => (address?.[0] ? this.#openDirect(address[0], {}) : undefined);
    const direct = address?.[0] ? await this.#openDirect(address[0], options) : undefined;
    const toolkit = toToolkit(toolkitName ?? "", version ?? "");
    const app = new App({ name, pid, toolkit }, this.reusedIds, this.bus, direct, openDirect);
    if (quirksOf(toolkit).reusesPaths) await this.#watchReusedIds(app, options);
    if (quirksOf(toolkit).tellsMoves) await this.#watchMoves(app, options);
    if (quirksOf(toolkit).warmsUp) await warmUp(app, options);
    return app;
  }

  async #watchMoves(app: App, options: BusCallOptions): Promise<void> {
    const knownBounds = new KnownBounds();
    const rule = { sender: app.name, interface: "org.a11y.atspi.Event.Object", member: "BoundsChanged" };
    this.#stops.set(app.name, await this.bus.on(rule, ({ path }) => knownBounds.moved(path), options));
    await registerEvent(this.bus, "object:bounds-changed");
    app.knownBounds = knownBounds;
  }

  /**
   * Calls to this program also go through the daemon, so its report of a new object arrives before any later answer.
   */
  async #watchReusedIds(app: App, options: BusCallOptions): Promise<void> {
    const rule = {
      sender: app.name,
      interface: "org.a11y.atspi.Event.Object",
      member: "StateChanged",
      arg0: "showing",
    };
    this.#stops.set(app.name, await this.bus.on(rule, ({ path }) => app.reborn(path), options));
    await registerEvent(this.bus, "object:state-changed:showing");
  }

  /** A direct connection halves the cost per call; without one everything works through the daemon. */
  #openDirect(address: string, { signal }: BusCallOptions): Promise<Bus | undefined> {
    return openBus(address, { env: this.#env, peer: true, signal, timeoutMs: 500 }).catch(() => undefined);
  }

  #forget(name: string): void {
    this.#pids.delete(name);
    const app = this.#apps.get(name);
    this.#apps.delete(name);
    this.#stops.get(name)?.();
    this.#stops.delete(name);
    app?.then((each) => each.close()).catch(() => {});
  }

  /**
   * The ATK bridge (GTK 3, Firefox, Chromium) answers `Cache.GetItems` only while somebody listens to events. Any
   * event will do, so this picks the rarest.
   */
  #listen(): Promise<void> {
    return registerEvent(this.bus, "object:children-changed");
  }
}

function toToolkit(name: string, version: string): Toolkit {
  const major = Number.parseInt(version, 10);
  switch (name.toLowerCase()) {
    case "gtk":
      return major >= 4 ? "gtk4" : "gtk3";
    case "qt":
      return major >= 6 ? "qt6" : "qt5";
    case "gecko":
      return "gecko";
    case "chromium":
      return "chromium";
    default:
      return "other";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
