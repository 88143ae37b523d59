import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { Rect } from "../../../base/geometry.ts";
import type { Display, WindowInfo, WindowKind } from "../../backend.ts";
import { findDisplay } from "../capture/monitors.ts";
import { getBounds } from "./bounds.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { isGone, XError } from "../x11/errors.ts";
import { findClientPid } from "../x11/extensions.ts";
import { getProperty, getWindowAttributes, predefined, toNumbers, type Property } from "../x11/requests.ts";

export interface WindowDetails {
  readonly info: WindowInfo;
  /** The app's own part of the window. */
  readonly client: Rect;
  /** False for menus, tooltips and the like, which bypass the window manager. */
  readonly isManaged: boolean;
  readonly isAbove: boolean;
  readonly transientFor: number | undefined;
  /** Put on the screen by its app alone, as menus, tips and drag icons are. */
  readonly isFree: boolean;
  /** What an app names to say that its windows belong together: a client leader, a window group. */
  readonly leaders: readonly number[];
}

const kindsByType: Readonly<Record<string, WindowKind>> = {
  _NET_WM_WINDOW_TYPE_NORMAL: "normal",
  _NET_WM_WINDOW_TYPE_DIALOG: "dialog",
  _NET_WM_WINDOW_TYPE_UTILITY: "utility",
  _NET_WM_WINDOW_TYPE_TOOLBAR: "utility",
  _NET_WM_WINDOW_TYPE_MENU: "menu",
  _NET_WM_WINDOW_TYPE_DROPDOWN_MENU: "menu",
  _NET_WM_WINDOW_TYPE_POPUP_MENU: "menu",
  _NET_WM_WINDOW_TYPE_COMBO: "menu",
  _NET_WM_WINDOW_TYPE_TOOLTIP: "tooltip",
  // What is dragged; it flies back when nothing takes it.
  _NET_WM_WINDOW_TYPE_DND: "tooltip",
  _NET_WM_WINDOW_TYPE_NOTIFICATION: "notification",
  _NET_WM_WINDOW_TYPE_SPLASH: "splash",
  _NET_WM_WINDOW_TYPE_DOCK: "dock",
  _NET_WM_WINDOW_TYPE_DESKTOP: "desktop",
};
const typeNames = Object.keys(kindsByType);

const propertyNames = [
  "_NET_WM_NAME",
  "WM_NAME",
  "WM_CLASS",
  "_NET_WM_PID",
  "WM_CLIENT_MACHINE",
  "_NET_WM_WINDOW_TYPE",
  "_NET_WM_STATE",
  "WM_STATE",
  "WM_TRANSIENT_FOR",
  "WM_CLIENT_LEADER",
  "WM_HINTS",
  "_NET_WM_ALLOWED_ACTIONS",
] as const;

const valueNames = [
  "_NET_WM_STATE_HIDDEN",
  "_NET_WM_STATE_MAXIMIZED_HORZ",
  "_NET_WM_STATE_MAXIMIZED_VERT",
  "_NET_WM_STATE_FULLSCREEN",
  "_NET_WM_STATE_ABOVE",
  "_NET_WM_STATE_MODAL",
  "_NET_WM_ACTION_MINIMIZE",
  "_NET_WM_ACTION_MAXIMIZE_HORZ",
  "_NET_WM_ACTION_MAXIMIZE_VERT",
] as const;

const iconicState = 3;
/** Longer titles are cut: a page may set one of several megabytes. */
const longestText = 4096;

export interface Surroundings {
  readonly active: number | undefined;
  readonly displays: readonly Display[];
}

/**
 * Everything about one window in one round trip. Undefined when it is gone, or withdrawn: the app keeps it for later
 * but shows it nowhere.
 */
export async function getDetails(
  c: Connection,
  id: number,
  { active, displays }: Surroundings,
  options?: RequestOptions,
): Promise<WindowDetails | undefined> {
  try {
    const atoms = await c.atoms(...propertyNames, ...valueNames);
    const [attributes, { client, bounds }, maker, ...values] = await Promise.all([
      getWindowAttributes(c, id, options),
      getBounds(c, id, options),
      findMaker(c, id, options),
      ...propertyNames.map((name) => getProperty(c, id, atoms[name], { ...options, maxBytes: longestText })),
    ]);
    const properties = Object.fromEntries(propertyNames.map((name, index) => [name, values[index]])) as Record<
      (typeof propertyNames)[number],
      Property | undefined
    >;
    const isViewable = attributes.mapState === "viewable";
    const [wmState = 0] = toNumbers(properties.WM_STATE);
    if (attributes.mapState === "unmapped" && wmState === 0) return undefined;
    const states = new Set(toNumbers(properties._NET_WM_STATE));
    const isFree = attributes.isOverrideRedirect;
    const allowed = properties._NET_WM_ALLOWED_ACTIONS && new Set(toNumbers(properties._NET_WM_ALLOWED_ACTIONS));
    const allows = (action: number) => allowed?.has(action) ?? (!isFree && wmState !== 0);
    const pid = isOwnMachine(c, properties.WM_CLIENT_MACHINE)
      ? (toNumbers(properties._NET_WM_PID)[0] ?? (await findHere(maker)))
      : undefined;
    const processName = pid === undefined ? "" : await readProcessName(pid);
    const className = toText(properties.WM_CLASS).split("\0")[1] ?? "";
    const [transientFor] = toNumbers(properties.WM_TRANSIENT_FOR);
    return {
      client,
      isManaged: wmState !== 0,
      isAbove: states.has(atoms._NET_WM_STATE_ABOVE),
      transientFor: transientFor === 0 ? undefined : transientFor,
      isFree,
      leaders: [...toNumbers(properties.WM_CLIENT_LEADER).slice(0, 1), ...groupOf(properties.WM_HINTS)].filter(
        (leader) => leader !== 0,
      ),
      info: {
        id,
        title: toText(properties._NET_WM_NAME) || toText(properties.WM_NAME),
        appName: className || processName,
        className,
        pid,
        processName,
        kind: await findKind(c, properties._NET_WM_WINDOW_TYPE, isFree, transientFor),
        bounds,
        isVisible: isViewable,
        isMinimized: !isViewable && (wmState === iconicState || states.has(atoms._NET_WM_STATE_HIDDEN)),
        isMaximized: states.has(atoms._NET_WM_STATE_MAXIMIZED_HORZ) && states.has(atoms._NET_WM_STATE_MAXIMIZED_VERT),
        isFullscreen: states.has(atoms._NET_WM_STATE_FULLSCREEN),
        isForeground: id === active,
        isModal: states.has(atoms._NET_WM_STATE_MODAL),
        canMinimize: allows(atoms._NET_WM_ACTION_MINIMIZE),
        canMaximize: allows(atoms._NET_WM_ACTION_MAXIMIZE_HORZ) && allows(atoms._NET_WM_ACTION_MAXIMIZE_VERT),
        displayId: findDisplay(displays, bounds)?.id,
      },
    };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Tk and the programs of plain X11 do not put their process number on their windows; the server knows it. */
async function findMaker(c: Connection, id: number, options?: RequestOptions): Promise<number | undefined> {
  try {
    return await findClientPid(c, id, options);
  } catch (error) {
    // A server older than X-Resource 1.2.
    if (error instanceof XError && error.codeName === "BadRequest") return undefined;
    throw error;
  }
}

/** A server in a container counts processes in its own way. */
const findHere = async (pid: number | undefined): Promise<number | undefined> =>
  pid !== undefined && (await readProcessName(pid)) !== "" ? pid : undefined;

async function findKind(
  c: Connection,
  types: Property | undefined,
  isFree: boolean,
  transientFor: number | undefined,
): Promise<WindowKind> {
  const atoms = await c.atoms(...typeNames);
  for (const type of toNumbers(types)) {
    const name = typeNames.find((candidate) => atoms[candidate] === type);
    const kind = name === undefined ? undefined : kindsByType[name];
    if (kind) return kind;
  }
  if (isFree) return "unknown";
  return transientFor === undefined || transientFor === 0 ? "normal" : "dialog";
}

const hasGroup = 1 << 6;

/** ICCCM 4.1.2.4: nine numbers, the first of which says what the others hold. */
function groupOf(hints: Property | undefined): readonly number[] {
  const numbers = toNumbers(hints);
  return ((numbers[0] ?? 0) & hasGroup) === 0 ? [] : numbers.slice(8, 9);
}

/** STRING is Latin-1 by definition; everything newer is UTF-8. */
function toText(property: Property | undefined): string {
  if (!property || property.format !== 8) return "";
  return property.value.toString(property.type === predefined.string ? "latin1" : "utf8").replace(/\0$/, "");
}

/** The process id of another machine, or of a container with its own ids, means nothing here. */
function isOwnMachine(c: Connection, machine: Property | undefined): boolean {
  const name = toText(machine).toLowerCase();
  const own = hostname().toLowerCase();
  return name === "" ? c.isLocal : name === own || name.split(".")[0] === own.split(".")[0];
}

async function readProcessName(pid: number): Promise<string> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return name.trimEnd();
}
