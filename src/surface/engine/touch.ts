import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { describeNode, pointOf } from "../find-element.ts";
import type { Expectation } from "../judge.ts";
import type { Subject } from "../state.ts";
import type { Surface } from "../surface.ts";
import type { Acted, DeviceKeys, Located, PerformOptions, Swipe, Tap } from "./action.ts";
import type { Aim } from "./aim.ts";
import { clickExpectation } from "./click.ts";
import { focusedElement } from "./keyboard.ts";
import { openEntry, withEntered } from "./entered.ts";
import { observe } from "./observe.ts";
import { needUncovered, nodeAt, windowAt, type Place } from "./place.ts";

const drawn: Expectation = { focusCounts: true, pixelsCount: true, movingCounts: false };

export async function tap(
  surface: Surface,
  { action: { holdMs }, place = {} }: Located<Tap>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal } = options;
  const touch = surface.need("touch");
  const aim = fingerAt(place);
  const { point } = aim;
  const subject = await subjectAt(surface, { ...place, aim }, options);
  const observed = {
    aim,
    node: place.node,
    subject,
    expect: clickExpectation(subject.node),
    signature: `${holdMs === undefined ? "tap" : "hold"} ${point.x},${point.y}`,
  };
  return observe(surface, observed, options, () =>
    holdMs === undefined ? touch.tap(point, { signal }) : touch.swipe(point, point, { durationMs: holdMs, signal }),
  );
}

export async function swipe(
  surface: Surface,
  { action: { durationMs }, place = {}, end = {} }: Located<Swipe>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal } = options;
  const [from, to] = [fingerAt(place), fingerAt(end)];
  const observed = {
    aim: from,
    subject: wholeDisplay(surface, from.displayId),
    expect: { ...drawn, movingCounts: true },
    signature: `swipe ${from.point.x},${from.point.y} to ${to.point.x},${to.point.y}`,
  };
  const acted = await observe(surface, observed, options, () =>
    surface.need("touch").swipe(from.point, to.point, { durationMs, signal }),
  );
  return { ...acted, end: to.point };
}

export async function pressDeviceKeys(
  surface: Surface,
  { action: { enter, displayId } }: Located<DeviceKeys>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal } = options;
  const touch = surface.need("touch");
  const screen = wholeDisplay(surface, displayId);
  if ("key" in enter) {
    const observed = { subject: screen, expect: drawn, signature: `key ${enter.key}` };
    const acted = await observe(surface, observed, options, () => touch.press(enter.key, { displayId, signal }));
    // A key of a device does not say what it writes.
    return { ...acted, showsText: false };
  }
  const isRead = readsQuickly(surface) && (displayId ?? 0) === 0 && options.settleMs !== 0;
  const node = isRead ? await focusedElement(surface, signal) : undefined;
  const observed = {
    node,
    subject: { ...screen, node },
    expect: { ...drawn, focusCounts: false },
    signature: `type ${[...enter.text].length}`,
  };
  const entry = await openEntry(surface, node, signal);
  const acted = await observe(surface, observed, options, () => touch.type(enter.text, { displayId, signal }));
  return withEntered(acted, await entry.look(enter.text, acted.after));
}

/** The device checks whether the point is on a display when it is touched. */
function fingerAt({ aim, node }: Place): Aim {
  if (aim) return aim;
  needUncovered(node);
  const point = node && pointOf(node);
  if (point) return { form: "element", point };
  throw new ToolError("not_dispatchable", `${node ? describeNode(node) : "The region"} is not on the screen.`);
}

const readsQuickly = ({ backend: { elements } }: Surface): boolean => elements !== undefined && !elements.isSlow;

/** A display of a device shows one app at a time, full screen. */
const wholeDisplay = (surface: Surface, id: number | undefined): Subject => ({
  ...surface.shownOn(id),
  node: undefined,
});

/** Includes the element at the point if it can be read quickly and the effect is to be verified. */
async function subjectAt(
  surface: Surface,
  { aim, node: own }: Place,
  { settleMs, signal }: PerformOptions,
): Promise<Subject> {
  const whole = wholeDisplay(surface, aim?.displayId);
  if (own) return ofNode(own, whole);
  if (!aim || !readsQuickly(surface) || settleMs === 0) return whole;
  const [window, node] = await Promise.all([
    windowAt(surface, aim.point, signal),
    nodeAt(surface, aim.point, whole.pid, signal),
  ]);
  return { pid: window?.pid, windowId: window?.id, node };
}

const ofNode = (node: UiNode, whole: Subject): Subject => ({
  pid: node.pid ?? whole.pid,
  windowId: node.windowId ?? whole.windowId,
  node,
});
