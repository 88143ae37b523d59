import type { Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App, type Ref } from "./app.ts";
import { hasInterface, hasState, roleNumber, stateBit, toInterfaceSet, type StateSet } from "./names.ts";
import { pageScaleOf } from "./page-scale.ts";
import { quirksOf } from "./quirks.ts";

/** An element as the program describes it, before any interpretation. */
export interface Element {
  readonly path: string;
  readonly role: number;
  readonly name: string;
  readonly description: string;
  readonly states: StateSet;
  /** See `hasInterface`. */
  readonly interfaces: number;
  readonly childCount: number;
}

type CacheItem = readonly [
  self: Ref,
  application: Ref,
  parent: Ref,
  index: number,
  childCount: number,
  interfaces: readonly string[],
  name: string,
  role: number,
  description: string,
  states: StateSet,
];

/** Elements of one program, known from a single call. */
export interface Cache {
  readonly elements: ReadonlyMap<string, Element>;
  readonly children: ReadonlyMap<string, readonly string[]>;
}

/** Everything the program returns in one call; undefined when it does not support that. */
export async function readCache(app: App, options: BusCallOptions): Promise<Cache | undefined> {
  if (!quirksOf(app.toolkit).hasCache) return undefined;
  const reply = await optional(
    app.call<[readonly CacheItem[]]>("/org/a11y/atspi/cache", "Cache.GetItems", "", [], options),
  );
  if (!reply) return undefined;
  const elements = new Map<string, Element>();
  const indexed = new Map<string, (readonly [index: number, path: string])[]>();
  for (const item of reply[0]) {
    // The old layout, used by Qt and old versions, has a list of children instead of two numbers.
    if (typeof item[3] !== "number") return undefined;
    const [[, path], , [owner, parent], index, childCount, interfaces, name, role, description, states] = item;
    elements.set(path, { path, role, name, description, states, interfaces: toInterfaceSet(interfaces), childCount });
    // The root's parent is the desktop, which has the same path in another program. Menu items have no index, and so
    // no order; those are read from their menu.
    if (owner !== app.name || index < 0) continue;
    const siblings = indexed.get(parent);
    if (siblings) siblings.push([index, path]);
    else indexed.set(parent, [[index, path]]);
  }
  const children = new Map<string, readonly string[]>();
  for (const [parent, list] of indexed) {
    children.set(
      parent,
      list.sort((a, b) => a[0] - b[0]).map(([, path]) => path),
    );
  }
  return { elements, children };
}

export async function readStates(app: App, path: string, options: BusCallOptions): Promise<StateSet | undefined> {
  return (await optional(app.call<[StateSet]>(path, "Accessible.GetState", "", [], options)))?.[0];
}

/** One element, with all requests sent in one burst. Undefined when it is gone. */
export async function readElement(
  app: App,
  path: string,
  options: BusCallOptions,
  knownStates?: StateSet,
): Promise<Element | undefined> {
  const known = app.interfaces.get(path);
  const [name, role, states, childCount, interfaces] = await Promise.all([
    optional(app.get<string>(path, "Accessible.Name", options)),
    readRole(app, path, options),
    knownStates ?? readStates(app, path, options),
    optional(app.get<number>(path, "Accessible.ChildCount", options)),
    known ?? optional(readInterfaces(app, path, options)),
  ]);
  if (role === undefined || states === undefined || hasState(states, stateBit.defunct)) return undefined;
  return {
    path,
    role,
    name: name ?? "",
    description: "",
    states,
    interfaces: interfaces ?? 0,
    childCount: childCount ?? 0,
  };
}

export async function readRole(app: App, path: string, options: BusCallOptions): Promise<number | undefined> {
  const { keepsRoles } = quirksOf(app.toolkit);
  const known = keepsRoles ? app.roles.get(path) : undefined;
  if (known !== undefined) return known;
  const role = (await optional(app.call<[number]>(path, "Accessible.GetRole", "", [], options)))?.[0];
  if (keepsRoles && role !== undefined) app.roles.set(path, role);
  return role;
}

async function readInterfaces(app: App, path: string, options: BusCallOptions): Promise<number> {
  const [names] = await app.call<[readonly string[]]>(path, "Accessible.GetInterfaces", "", [], options);
  const set = toInterfaceSet(names);
  app.interfaces.set(path, set);
  return set;
}

/** In the program's own coordinates; undefined when it has no place. */
export async function readExtents(app: App, path: string, options: BusCallOptions): Promise<Rect | undefined> {
  const { coordinates } = quirksOf(app.toolkit);
  const reply = await optional(
    app.call<[readonly [number, number, number, number]]>(path, "Component.GetExtents", "u", [coordinates], options),
  );
  if (!reply) return undefined;
  const [x, y, width, height] = reply[0];
  if (!isPlausible(x, y, width, height)) return undefined;
  const scale = app.pageScale === 1 ? 1 : await pageScaleOf(app, path, options);
  return scale === 1 ? { x, y, width, height } : zoom({ x, y, width, height }, 1 / scale);
}

const zoom = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x * by,
  y: y * by,
  width: width * by,
  height: height * by,
});

// X11 coordinates have 16 bits. For hidden elements GTK 3 returns INT_MIN, or whatever was in memory.
const isPlausible = (x: number, y: number, width: number, height: number): boolean =>
  width > 0 && height > 0 && Math.abs(x) <= 100_000 && Math.abs(y) <= 100_000 && width <= 100_000;

/** Paths of all children. */
export async function readChildren(app: App, path: string, options: BusCallOptions): Promise<readonly string[]> {
  const reply = await optional(app.call<[readonly Ref[]]>(path, "Accessible.GetChildren", "", [], options));
  // Children of an embedded program (a plug) have another bus name; they belong to that program's tree.
  return reply ? reply[0].filter(([name, child]) => name === app.name && child !== path).map(([, child]) => child) : [];
}

export async function readParent(app: App, path: string, options: BusCallOptions): Promise<string | undefined> {
  if (path === rootPath) return undefined;
  const parent = await optional(app.get<Ref>(path, "Accessible.Parent", options));
  return parent && parent[0] === app.name && parent[1] !== path ? parent[1] : undefined;
}

/** The path of the window that contains an element. */
export async function topLevelOf(app: App, path: string, options: BusCallOptions): Promise<string | undefined> {
  const known = app.topLevels.get(path);
  if (known !== undefined) return known;
  let current = path;
  for (let depth = 0; depth < 100; depth++) {
    const parent = await readParent(app, current, options);
    if (parent === undefined) return undefined;
    if (parent === rootPath) {
      app.topLevels.set(path, current);
      return current;
    }
    current = parent;
  }
  return undefined;
}

type Relation = readonly [kind: number, targets: readonly Ref[]];

// AtspiRelationType in atspi-constants.h.
const controllerFor = 3;

/** Paths of what the element controls, such as the page of a tab. */
export async function readControlled(app: App, path: string, options: BusCallOptions): Promise<readonly string[]> {
  const reply = await optional(app.call<[readonly Relation[]]>(path, "Accessible.GetRelationSet", "", [], options));
  const controlled = reply?.[0].filter(([kind]) => kind === controllerFor) ?? [];
  return controlled.flatMap(([, targets]) => targets.map(([, target]) => target));
}

export const isShowing = ({ states }: Element): boolean => hasState(states, stateBit.showing);

/**
 * Whether part of the element may be visible where its parent is. In GTK 3 the reported place of a viewport scrolls
 * away with its content: once that has moved by its own height the viewport has no place and is not showing, but its
 * content is.
 */
export const mayShow = (element: Element): boolean =>
  isShowing(element) || (element.role === roleNumber.viewport && hasState(element.states, stateBit.visible));
export const hasPlace = ({ interfaces }: Element): boolean => hasInterface(interfaces, "Component");
