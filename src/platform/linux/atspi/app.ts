import type { Bus } from "../dbus/bus.ts";
import { DBusError } from "../dbus/errors.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { unwrap, Variant, type Value } from "../dbus/value.ts";
import type { ReusedIds } from "./reused-ids.ts";
import { BoundedMap } from "./bounded.ts";
import { quirksOf } from "./quirks.ts";
import type { KnownBounds } from "./known-bounds.ts";

/** How a program's accessibility behaves; `quirks.ts` has the consequences. */
export type Toolkit = "gtk3" | "gtk4" | "qt5" | "qt6" | "gecko" | "chromium" | "other";

/** A reference in AT-SPI: the program's name on the bus, and the object's path. */
export type Ref = readonly [name: string, path: string];

const prefix = "org.a11y.atspi.";
const properties = "org.freedesktop.DBus.Properties";
export const rootPath = "/org/a11y/atspi/accessible/root";
const nullPath = "/org/a11y/atspi/null";
export const isNull = ([name, path]: Ref): boolean => name === "" || path === nullPath || path === "";

// An idle program answers within a millisecond; one that is merely busy gets another connection.
const pingMs = 60;

/** One program on the accessibility bus, reached through the daemon or directly. */
export class App {
  /** Its unique name on the accessibility bus. */
  readonly name: string;
  readonly pid: number;
  readonly toolkit: Toolkit;
  /** What never changes about an object, by path. */
  readonly interfaces = new BoundedMap<number>();
  readonly roles = new BoundedMap<number>();
  readonly automationIds = new BoundedMap<string>();
  readonly topLevels = new BoundedMap<string>();
  /** From the last read; must be verified. */
  readonly parents = new BoundedMap<string>();
  readonly childCounts = new BoundedMap<number>();
  /** The popovers that were last seen open, by path, and their windows. */
  readonly popups = new Map<string, number>();
  /** See `pageScaleOf`. */
  readonly inPage = new BoundedMap<boolean>();
  pageScale = 1;
  /** The last known places of its elements; only if the toolkit reports layout changes. */
  knownBounds: KnownBounds | undefined;
  /** False once the program has shown that it does not support accessible ids. */
  hasAutomationIds = true;
  readonly #shared: Bus;
  readonly #direct: Bus | undefined;
  readonly #openDirect: () => Promise<Bus | undefined>;
  /** The connection of the last action that was answered. */
  #idle: Bus | undefined;
  readonly #reusedIds: ReusedIds;
  /** The known path of the most recently created object. */
  #last: string | undefined;

  constructor(
    { name, pid, toolkit }: { readonly name: string; readonly pid: number; readonly toolkit: Toolkit },
    reusedIds: ReusedIds,
    shared: Bus,
    direct?: Bus,
    openDirect: () => Promise<Bus | undefined> = async () => undefined,
  ) {
    this.name = name;
    this.pid = pid;
    this.toolkit = toolkit;
    this.#reusedIds = reusedIds;
    this.#shared = shared;
    this.#direct = direct;
    this.#openDirect = openDirect;
  }

  get isDirect(): boolean {
    return this.#direct?.isClosed === false;
  }

  toId(path: string): string {
    if (quirksOf(this.toolkit).reusesPaths) this.#last = later(this.#last, path);
    return this.#reusedIds.mark(this.name + path);
  }

  /** Undefined when the path now belongs to another object. */
  toPath(id: string): string | undefined {
    return this.#reusedIds.unmark(id)?.slice(this.name.length);
  }

  /** This path belongs to another object from now on. */
  reborn(path: string): void {
    this.#reusedIds.note(this.name + path);
    for (const known of [this.interfaces, this.roles, this.automationIds, this.topLevels, this.parents]) {
      known.delete(path);
    }
  }

  /**
   * Call this before anything that may make the program create objects, such as the rows of a list, whose removal is
   * not reported. Only the path of the most recently created object can be reused.
   */
  async noteLost(options: BusCallOptions): Promise<void> {
    const last = this.#last;
    if (last === undefined) return;
    const role = await optional(this.call(last, "Accessible.GetRole", "", [], options));
    if (!role) this.reborn(last);
  }

  call<Reply extends readonly Value[] = readonly Value[]>(
    path: string,
    method: `${string}.${string}`,
    signature: string,
    values: readonly Value[],
    options: BusCallOptions,
  ): Promise<Reply> {
    const [interfaceName, member] = split(method);
    return this.#send<Reply>(path, interfaceName, member, signature, values, options);
  }

  /**
   * Runs an action. If it opens a dialog with its own loop (`gtk_dialog_run`), a program answers nothing else on that
   * connection until the dialog is closed, so actions have a connection apart from the one that reads. It is used again
   * while it answers: opened anew for each of thousands of actions, connections pile up in the program.
   */
  async act(path: string, index: number, options: BusCallOptions): Promise<boolean> {
    const own = quirksOf(this.toolkit).actionsBlock && this.isDirect ? await this.#acting() : undefined;
    if (!own) return (await this.call<[boolean]>(path, "Action.DoAction", "i", [index], options))[0];
    const [interfaceName, member] = split("Action.DoAction");
    const method = { destination: "", path, interface: interfaceName, member };
    try {
      const [isDone] = await own.call<[boolean]>(method, "i", [index], options);
      if (this.#idle === undefined) this.#idle = own;
      else own.close();
      return isDone;
    } catch (error) {
      own.close();
      throw error;
    }
  }

  async #acting(): Promise<Bus | undefined> {
    const idle = this.#idle;
    this.#idle = undefined;
    if (!idle || idle.isClosed) return this.#openDirect();
    // The program answers an action first and opens its dialog then.
    const peer = { destination: "", path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping" };
    try {
      await idle.call(peer, "", [], { timeoutMs: pingMs });
      return idle;
    } catch {
      idle.close();
      return this.#openDirect();
    }
  }

  /** One property. Never uses `GetAll`: it crashes every Qt 5 program. */
  async get<T extends Value>(path: string, property: `${string}.${string}`, options: BusCallOptions): Promise<T> {
    const names = split(property);
    const [value] = await this.#send<[Value]>(path, properties, "Get", "ss", names, options);
    return unwrap(value) as T;
  }

  /**
   * Checks that the program responds. Goes through the daemon, as events do, so all earlier events have arrived by
   * then.
   */
  async ping(options: BusCallOptions): Promise<void> {
    const method = { destination: this.name, path: rootPath, interface: properties, member: "Get" };
    await this.#shared.call(method, "ss", split("Accessible.ChildCount"), options);
  }

  async set(
    path: string,
    property: `${string}.${string}`,
    signature: string,
    value: Value,
    options: BusCallOptions,
  ): Promise<void> {
    await this.#send(path, properties, "Set", "ssv", [...split(property), new Variant(signature, value)], options);
  }

  close(): void {
    this.#direct?.close();
    this.#idle?.close();
  }

  #send<Reply extends readonly Value[]>(
    path: string,
    interfaceName: string,
    member: string,
    signature: string,
    values: readonly Value[],
    options: BusCallOptions,
  ): Promise<Reply> {
    const direct = this.#direct?.isClosed === false ? this.#direct : undefined;
    const method = { destination: direct ? "" : this.name, path, interface: interfaceName, member };
    return (direct ?? this.#shared).call<Reply>(method, signature, values, options);
  }
}

function later(known: string | undefined, path: string): string {
  const number = (text: string): number => Number(text.slice(text.lastIndexOf("/") + 1));
  return known === undefined || number(path) > number(known) ? path : known;
}

const splits = new Map<string, readonly [string, string]>();

/**
 * Splits "Accessible.GetRole" into the full interface name and the member; there are about forty of them, used
 * thousands of times.
 */
function split(name: string): readonly [interfaceName: string, member: string] {
  const known = splits.get(name);
  if (known) return known;
  const dot = name.indexOf(".");
  const made = [prefix + name.slice(0, dot), name.slice(dot + 1)] as const;
  splits.set(name, made);
  return made;
}

/** The answer, or undefined when the element is gone or does not support this. Anything else is a failure. */
export const optional = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(noAnswer);

function noAnswer(error: unknown): undefined {
  // Every toolkit answers differently for an object that is gone; all of it means "no answer".
  if (error instanceof DBusError) return undefined;
  throw error;
}
