import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { quote } from "../../base/quote.ts";
import type { Expectation } from "../judge.ts";
import { pointOf } from "../find-element.ts";
import type { Surface } from "../surface.ts";
import type { Acted, Click, Dispatch, Located, PerformOptions } from "./action.ts";
import type { Aim } from "./aim.ts";
import { isCellOutOfSight, orElse, pressNatively } from "./delivery.ts";
import { observe } from "./observe.ts";
import { needAim, pointAt, subjectOf, type Place } from "./place.ts";
import { focusAim, needDecided, needNoDialog, needOnTop } from "./reach.ts";

export async function click(
  surface: Surface,
  { action, place = {} }: Located<Click>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal, settleMs } = options;
  const { button, clicks, delayMs, hold, delivery } = action;
  const subject = await subjectOf(surface, place, signal);
  const observed = {
    ...place,
    subject,
    expect: { ...clickExpectation(subject.node), focusPaints: surface.backend.elements?.isDocument === true },
    signature: `click ${button} ${clicks} ${place.node?.runtimeId ?? JSON.stringify(place.aim?.point)}`,
  };
  const withPointer = async (where: Aim): Promise<Dispatch> => {
    await needDecided(surface, options, [where.point], place.node);
    await needOnTop(surface, where, signal);
    await surface.hands.click(where.point, { button, clicks, delayMs, hold, signal });
    await surface.inputTaken(signal);
    return { method: "input", via: "pointer" };
  };
  const reach = async (to: Place = place): Promise<Aim> => {
    if (to.window) await surface.ensureShown(to.window, signal);
    const where = await needAim(surface, to, signal);
    await focusAim(surface, where, signal);
    return to.node || settleMs > 0 ? pointAt(surface, to, signal) : where;
  };
  const isPlain = clicks === 1 && button === "left" && hold.length === 0;
  const native = isPlain ? await pressNatively(surface, delivery, place, subject.node, signal) : undefined;
  if (native) {
    if (delivery === "auto") await needNoDialog(surface, subject.windowId, signal);
    const orPointer = async (reason: ToolError): Promise<Dispatch> => ({
      ...(await withPointer(await reach())),
      warning: `The native action was refused (${reason.message}), so the pointer was used.`,
    });
    const mayPoint = delivery === "auto" && !surface.backend.elements?.pressing?.isClick;
    const dispatch = mayPoint ? () => orElse(native, orPointer) : native;
    // Otherwise the look of an element under the pointer would pass for an effect.
    const point = subject.node && pointOf(subject.node);
    if (surface.backend.elements?.pressing?.isClick && settleMs > 0 && point)
      await surface.backend.pointer?.move(point, { signal });
    return observe(surface, { ...observed, node: subject.node }, options, dispatch);
  }
  if (delivery === "background") throw notInBackground(subject.node, place);
  const hidden = place.node && isCellOutOfSight(place.node) ? place.node : undefined;
  if (hidden)
    return observe(surface, observed, options, async () => {
      await needDecided(surface, options, [undefined], hidden);
      return withPointer(await reach({ ...place, node: await revealCell(surface, hidden, place.window, signal) }));
    });
  const where = await reach();
  return observe(surface, { ...observed, aim: where }, options, () => withPointer(where));
}

/**
 * Scrolls to the cell of a sheet. Making it the current cell natively does not always scroll to it; a step aside and
 * back with the keys does.
 */
async function revealCell(
  surface: Surface,
  cell: UiNode,
  window: Place["window"],
  signal: AbortSignal,
): Promise<UiNode> {
  const elements = surface.need("elements");
  if (window) await surface.ensureFocus(window, signal);
  const inSight = async (): Promise<UiNode | undefined> => {
    const [now] = await elements.read([cell.runtimeId], { signal });
    return now && !isCellOutOfSight(now) ? now : undefined;
  };
  // A busy app takes the focus later than it is waited for, and scrolls a moment after it.
  for (let time = 0; time < mostTries; time++) {
    await orElse(
      () => elements.perform(cell.runtimeId, { name: "focus" }, { signal }),
      async () => undefined,
    );
    const shown = await inSight();
    if (shown) return shown;
    // From the last column, one key leads nowhere and the other away; the next try leads back.
    for (const key of ["right", "left"]) await surface.hands.press([key], 0, signal);
    await surface.inputTaken(signal);
    const scrolled = await poll(inSight, { timeoutMs: scrolledMs, everyMs: 50, signal });
    if (scrolled) return scrolled;
  }
  return cell;
}

const mostTries = 3;
const scrolledMs = 700;

const pixelRoles: ReadonlySet<string> = new Set([
  "canvas",
  "document",
  "image",
  "unknown",
  "application",
  "window",
  "group",
  "scrollarea",
]);

const textRoles: ReadonlySet<string> = new Set(["text", "paragraph", "heading", "cell"]);

/** A click into a field is meant to move the focus; a click on a drawing shows only in pixels. */
export function clickExpectation(node: UiNode | undefined): Expectation {
  const takesText =
    node?.states.includes("editable") === true || node?.role === "textbox" || node?.role === "spinbutton";
  const isDrawn = !node || pixelRoles.has(node.role) || node.nativeRole === "terminal";
  return {
    focusCounts: takesText && "gained",
    pixelsCount: isDrawn,
    movingCounts: false,
    mayWrite: node?.role === "menuitem",
    // A menu entry may select everything; a button that loses a selection elsewhere has not selected anything.
    selectionCounts: isDrawn || takesText || textRoles.has(node.role) || node.role === "menuitem",
  };
}

function notInBackground(node: UiNode | undefined, { aim }: Place): ToolError {
  const fallback = aim?.point ?? node?.clickPoint;
  return new ToolError(
    "not_dispatchable",
    `${node ? `${node.role} ${quote(node.name)}` : "What is there"} has no native action for this click.`,
    {
      hint: 'Use delivery "foreground" (moves the pointer) or "auto".',
      ...(fallback ? { fallback: { x: fallback.x, y: fallback.y } } : {}),
    },
  );
}
