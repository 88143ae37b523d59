import type { WindowInfo } from "../../platform/backend.ts";
import { contains, type ScreenPoint } from "../../base/geometry.ts";
import { chooseWindow, isEmptyQuery, type WindowQuery } from "../choose-window.ts";
import { between } from "../hands.ts";
import type { Surface } from "../surface.ts";
import type { Target } from "../target.ts";
import type { Acted, Action, Located, PerformOptions } from "./action.ts";
import { click } from "./click.ts";
import { locateCommand, runCommand, type FoundCommand } from "./command.ts";
import { press, type } from "./keyboard.ts";
import { native, setValue } from "./native.ts";
import { actInPage } from "./page.ts";
import { findNode, findPlace, needAim, windowOf, type Place } from "./place.ts";
import { drag, hover, pointerAim, scroll } from "./pointer.ts";
import { pressDeviceKeys, swipe, tap } from "./touch.ts";

/** Which element, points and windows an action will touch. Touches nothing itself. */
export async function locate<A extends Action>(surface: Surface, action: A, signal: AbortSignal): Promise<Located<A>> {
  return { action, ...(await placesOf(surface, action, signal)) };
}

async function placesOf(
  surface: Surface,
  action: Action,
  signal: AbortSignal,
): Promise<{ readonly place: Place | undefined; readonly end?: Place; readonly command?: FoundCommand }> {
  switch (action.do) {
    case "native":
    case "set value":
      return { place: { node: await findNode(surface, action.at, signal) } };
    case "tap":
      return { place: await findTouched(surface, action.at, signal) };
    case "command":
      return locateCommand(surface, action, signal);
    case "page":
    case "device keys":
      return { place: undefined };
    case "swipe":
    case "drag": {
      const place = await findPlace(surface, action.from, signal);
      return { place, end: await findPlace(surface, action.to, signal) };
    }
    case "type":
      if (action.into) return { place: await findPlace(surface, action.into, signal) };
      return { place: await findWindow(surface, action.window, signal) };
    case "press":
      return { place: await findWindow(surface, action.window, signal) };
    default:
      return { place: action.at && (await findPlace(surface, action.at, signal)) };
  }
}

/** A tap needs only the point, and listing the windows of a device is slow. */
async function findTouched(surface: Surface, target: Target, signal: AbortSignal): Promise<Place> {
  return target.form === "element"
    ? { node: await findNode(surface, target, signal) }
    : findPlace(surface, target, signal);
}

async function findWindow(surface: Surface, query: WindowQuery, signal: AbortSignal): Promise<Place | undefined> {
  if (isEmptyQuery(query)) return undefined;
  return { window: chooseWindow(await surface.need("windows").list({ signal }), query) };
}

/** Every window that the input of a located action reaches, in order. */
export async function touchedBy(
  surface: Surface,
  { action, place, end }: Located,
  signal: AbortSignal,
): Promise<readonly WindowInfo[]> {
  const all = (await surface.backend.windows?.list({ signal })) ?? [];
  // A page has one window, and sometimes a dialog over it.
  if (action.do === "page") return all;
  const at = (point: ScreenPoint): WindowInfo | undefined =>
    all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
  const ofPlace = async ({ node, window, aim }: Place): Promise<WindowInfo | undefined> =>
    window ?? (node ? await windowOf(surface, node, signal) : aim && at(aim.point));
  const isKeyboard = action.do === "press" || action.do === "type" || action.do === "device keys";
  const first = place
    ? await ofPlace(place)
    : isKeyboard
      ? all.find((window) =>
          action.do === "device keys" && action.displayId !== undefined
            ? window.displayId === action.displayId
            : window.isForeground,
        )
      : at((await pointerAim(surface, signal)).point);
  const onWay = action.do === "drag" && place && end ? await wayOf(surface, action.steps, place, end, signal) : [];
  const found = [first, end && (await ofPlace(end)), ...onWay.map(at)];
  return [...new Map(found.flatMap((window) => (window ? [[window.id, window] as const] : []))).values()];
}

async function wayOf(surface: Surface, steps: number, place: Place, end: Place, signal: AbortSignal) {
  const [from, to] = [await needAim(surface, place, signal), await needAim(surface, end, signal)];
  return between(from.point, to.point, steps);
}

/** Performs the action, unless what was located is gone, and reports the effect. */
export async function perform(
  surface: Surface,
  { action, ...places }: Located,
  options: PerformOptions,
): Promise<Acted> {
  switch (action.do) {
    case "click":
      return click(surface, { action, ...places }, options);
    case "hover":
      return hover(surface, { action, ...places }, options);
    case "scroll":
      return scroll(surface, { action, ...places }, options);
    case "drag":
      return drag(surface, { action, ...places }, options);
    case "type":
      return type(surface, { action, ...places }, options);
    case "press":
      return press(surface, { action, ...places }, options);
    case "native":
      return native(surface, { action, ...places }, options);
    case "set value":
      return setValue(surface, { action, ...places }, options);
    case "command":
      return runCommand(surface, { action, ...places }, options);
    case "page":
      return actInPage(surface, { action, ...places }, options);
    case "tap":
      return tap(surface, { action, ...places }, options);
    case "swipe":
      return swipe(surface, { action, ...places }, options);
    case "device keys":
      return pressDeviceKeys(surface, { action, ...places }, options);
  }
}
