import { ToolError } from "../../../base/errors.ts";
import type { Bus } from "../dbus/bus.ts";
import { DBusError } from "../dbus/errors.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { unwrap, Variant, type Value } from "../dbus/value.ts";
import type { Connection } from "../x11/connection.ts";
import { getProperty } from "../x11/requests.ts";
import { toLabel } from "./labels.ts";

/** Where a GTK window says that its app exports actions and menus. */
export interface GtkPlaces {
  readonly bus: string;
  /** Object paths by the prefix of their actions. */
  readonly groups: Readonly<Record<"app" | "win", string | undefined>>;
  readonly menus: readonly string[];
}

/** A command's action: which object to ask, and with which parameter. */
export interface GtkAction {
  readonly bus: string;
  readonly object: string;
  readonly name: string;
  /** With its prefix: `win.save-as`. */
  readonly id: string;
  readonly target: Variant | undefined;
}

export interface GtkActionState {
  readonly isEnabled: boolean;
  readonly parameter: string;
  readonly state: Variant | undefined;
}

export interface GtkEntry {
  readonly path: readonly string[];
  readonly action: GtkAction;
  readonly accelerator: string | undefined;
}

const longest = 1_024;

const uniqueName = /^:[\w-]+(?:\.[\w-]+)+$/;
const objectPath = /^\/(?:\w+(?:\/\w+)*)?$/;

/** Any program can write these properties, so what they say counts only with `isOwnedBy`. */
export async function readPlaces(c: Connection, windowId: number): Promise<GtkPlaces | undefined> {
  const read = async (name: string): Promise<string | undefined> => {
    const property = await getProperty(c, windowId, await c.atom(name), { maxBytes: longest });
    return property?.value.toString("utf8").replace(/\0+$/, "") || undefined;
  };
  const bus = await read("_GTK_UNIQUE_BUS_NAME");
  if (bus === undefined) return undefined;
  const paths = [
    "_GTK_APPLICATION_OBJECT_PATH",
    "_GTK_WINDOW_OBJECT_PATH",
    "_GTK_MENUBAR_OBJECT_PATH",
    "_GTK_APP_MENU_OBJECT_PATH",
  ];
  return toPlaces(bus, await Promise.all(paths.map(read)));
}

/** Undefined unless all of it can be asked: a well-known name may belong to another program the next time. */
export function toPlaces(bus: string, paths: readonly (string | undefined)[]): GtkPlaces | undefined {
  const isSound = uniqueName.test(bus) && paths.every((path) => path === undefined || objectPath.test(path));
  const [app, win, ...menus] = paths;
  return isSound ? { bus, groups: { app, win }, menus: menus.filter((path) => path !== undefined) } : undefined;
}

/** A window may name the bus connection of another program, whose actions are not its own. */
export async function isOwnedBy(
  bus: Bus,
  { bus: name }: GtkPlaces,
  pid: number,
  options: BusCallOptions,
): Promise<boolean> {
  const reply = await orNone(bus.callDaemon<[number]>("GetConnectionUnixProcessID", "s", [name], options));
  return reply?.[0] === pid;
}

type Described = readonly [isEnabled: boolean, parameter: string, state: readonly Variant[]];

const toState = ([isEnabled, parameter, [state]]: Described): GtkActionState => ({ isEnabled, parameter, state });

/** Every action of an object; none when it exports none. */
export async function describeAll(
  bus: Bus,
  destination: string,
  object: string,
  options: BusCallOptions,
): Promise<ReadonlyMap<string, GtkActionState>> {
  const method = { destination, path: object, interface: "org.gtk.Actions", member: "DescribeAll" };
  const reply = await orNone(bus.call<[ReadonlyMap<string, Described>]>(method, "", [], options));
  return new Map([...(reply?.[0] ?? [])].map(([name, described]) => [name, toState(described)]));
}

export async function describe(
  bus: Bus,
  { bus: destination, object, name }: GtkAction,
  options: BusCallOptions,
): Promise<GtkActionState | undefined> {
  const method = { destination, path: object, interface: "org.gtk.Actions", member: "Describe" };
  const reply = await orNone(bus.call<[Described]>(method, "s", [name], options));
  return reply && toState(reply[0]);
}

/** Undefined for a command whose action has no state. */
export function valueOf({ target }: GtkAction, { state }: GtkActionState): string | undefined {
  if (!state) return undefined;
  const isOn = target ? isSame(state, target) : unwrap(state);
  if (typeof isOn === "boolean") return isOn ? "checked" : "unchecked";
  return typeof isOn === "string" ? isOn : undefined;
}

const isSame = (a: Variant, b: Variant): boolean => a.signature === b.signature && unwrap(a) === unwrap(b);

export async function activate(bus: Bus, action: GtkAction, options: BusCallOptions): Promise<string> {
  const { bus: destination, object, name, id, target } = action;
  const method = { destination, path: object, interface: "org.gtk.Actions", member: "Activate" };
  const via = `org.gtk.Actions.Activate(${id})`;
  try {
    await bus.call(method, "sava{sv}", [name, target ? [target] : [], new Map()], { ...options, timeoutMs: answerMs });
    return via;
  } catch (error) {
    // It was accepted: an app that runs a dialog for it answers when the dialog is closed.
    if (error instanceof ToolError && error.code === "timeout") return `${via}, not answered yet`;
    throw error;
  }
}

/** Whatever the action does is seen in the app, so its answer is not worth waiting for. */
const answerMs = 300;

type Item = ReadonlyMap<string, Variant>;
type Section = readonly [group: number, menu: number, items: readonly Item[]];

// Menus may contain each other, and the same one many times.
const mostGroups = 400;
const mostVisits = 4_000;
const deepest = 8;

/** The entries of an exported menu, in the order shown. */
export async function readMenu(
  bus: Bus,
  places: GtkPlaces,
  object: string,
  options: BusCallOptions,
): Promise<readonly GtkEntry[]> {
  const sections = new Map<string, readonly Item[]>();
  const known = new Set<number>();
  const method = { destination: places.bus, path: object, interface: "org.gtk.Menus" };
  let wanted: readonly number[] = [0];
  try {
    while (wanted.length > 0) {
      for (const group of wanted) known.add(group);
      const reply = await orNone(
        bus.call<[readonly Section[]]>({ ...method, member: "Start" }, "au", [[...wanted]], options),
      );
      for (const [group, menu, items] of reply?.[0] ?? []) sections.set(`${group},${menu}`, items);
      const named = (reply?.[0] ?? []).flatMap(([, , items]) => items.flatMap((item) => linksOf(item)));
      const others = [...new Set(named.map(([group]) => group))].filter((group) => !known.has(group));
      wanted = others.slice(0, mostGroups - known.size);
    }
  } finally {
    // The app keeps sending changes of these menus until then.
    if (known.size > 0) await orNone(bus.call({ ...method, member: "End" }, "au", [[...known]], options));
  }
  const entries: GtkEntry[] = [];
  let visits = 0;
  const walk = (key: string, path: readonly string[], above: readonly string[]): void => {
    if (above.includes(key)) return;
    const inside = [...above, key];
    for (const item of sections.get(key) ?? []) {
      if (++visits > mostVisits) return;
      const label = toLabel(textOf(item, "label") ?? "", "_");
      const section = linkOf(item, ":section");
      const submenu = linkOf(item, ":submenu");
      const action = toAction(places, item);
      if (inside.length <= deepest && section) walk(section.join(","), path, inside);
      else if (inside.length <= deepest && submenu) walk(submenu.join(","), [...path, label], inside);
      else if (action && label !== "") {
        entries.push({ path: [...path, label], action, accelerator: textOf(item, "accel") });
      }
    }
  };
  walk("0,0", [], []);
  return entries;
}

const linksOf = (item: Item) =>
  [linkOf(item, ":section"), linkOf(item, ":submenu")].filter((link) => link !== undefined);

function linkOf(item: Item, name: string): readonly [number, number] | undefined {
  const link = unwrap(item.get(name));
  return Array.isArray(link) && link.every((each) => typeof each === "number")
    ? [link[0] ?? 0, link[1] ?? 0]
    : undefined;
}

function textOf(item: Item, name: string): string | undefined {
  const text = unwrap(item.get(name));
  return typeof text === "string" ? text : undefined;
}

function toAction({ bus, groups }: GtkPlaces, item: Item): GtkAction | undefined {
  const id = textOf(item, "action") ?? "";
  const prefix = id.slice(0, id.indexOf("."));
  const object = prefix === "app" || prefix === "win" ? groups[prefix] : undefined;
  if (object === undefined) return undefined;
  const target = item.get("target");
  return { bus, object, name: id.slice(prefix.length + 1), id, target: target && variant(target) };
}

const variant = (value: Value): Variant | undefined => (value instanceof Variant ? value : undefined);

/** An app that exports no such object, or has just ended, has nothing to tell. */
async function orNone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DBusError) return undefined;
    throw error;
  }
}
