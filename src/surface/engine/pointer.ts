import type { Surface } from "../surface.ts";
import type { Acted, Drag, Hover, Located, PerformOptions, Scroll } from "./action.ts";
import type { Aim } from "./aim.ts";
import { observe } from "./observe.ts";
import { needAim, subjectOf, type Place } from "./place.ts";
import { focusAim, needDecided, needOnTop, settleAt } from "./reach.ts";

/** The only evidence of a hover is where the pointer ended up. */
export async function hover(surface: Surface, { place = {} }: Located<Hover>, options: PerformOptions): Promise<Acted> {
  const { signal } = options;
  const pointer = surface.need("pointer");
  const where = await needAim(surface, place, signal);
  await needDecided(surface, options, [where.point], place.node);
  await pointer.move(where.point, { signal });
  const now = await pointer.position({ signal });
  const isThere = now.x === where.point.x && now.y === where.point.y;
  return {
    aim: where,
    node: place.node,
    method: "input",
    via: "pointer",
    effect: isThere ? "confirmed" : "no_change",
    changes: {},
    suspectedLoop: false,
  };
}

export async function scroll(
  surface: Surface,
  { action: { notches, hold }, place }: Located<Scroll>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal, settleMs } = options;
  const where = place && (await needAim(surface, place, signal));
  if (where) await focusAim(surface, where, signal);
  const pointed = place ?? { aim: await pointerAim(surface, signal) };
  const subject = await subjectOf(surface, pointed, signal);
  if (where && settleMs > 0) await settleAt(surface, where, subject, signal);
  const observed = {
    ...place,
    aim: where,
    subject,
    expect: { focusCounts: false, pixelsCount: true, movingCounts: true, scrolls: true },
    signature: `scroll ${notches.x},${notches.y} ${JSON.stringify(where?.point)}`,
  };
  return observe(surface, observed, options, async () => {
    await needDecided(surface, options, [where?.point ?? pointed.aim?.point], place?.node);
    if (where) await needOnTop(surface, where, signal);
    await surface.hands.scroll(where?.point, notches, hold, signal);
    await surface.inputTaken(signal);
    return { method: "input", via: "wheel" };
  });
}

export async function drag(
  surface: Surface,
  { action, place = {}, end = {} }: Located<Drag>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal, settleMs } = options;
  const { button, steps, stepMs, hold } = action;
  const to = await needAim(surface, end, signal);
  const from = await needAim(surface, place, signal);
  await focusAim(surface, from, signal);
  // A dragged element looks the same afterwards; the drop target does not.
  const [main, other]: readonly [Place, Place] = end.node ? [end, place] : [place, end];
  const subject = { ...(await subjectOf(surface, main, signal)), others: other.node ? [other.node] : [] };
  if (settleMs > 0) await settleAt(surface, to, subject, signal);
  const observed = {
    ...place,
    aim: from,
    subject,
    expect: { focusCounts: false, pixelsCount: true, movingCounts: true, selectionCounts: true },
    signature: `drag ${JSON.stringify([from.point, to.point])}`,
  };
  const acted = await observe(surface, observed, options, async () => {
    await needDecided(surface, options, [from.point], place.node);
    await needDecided(surface, options, [to.point], end.node);
    await needOnTop(surface, from, signal);
    await surface.hands.drag(from.point, to.point, {
      button,
      steps,
      stepMs,
      hold,
      signal,
      taken: () => surface.inputTaken(signal),
    });
    await surface.inputTaken(signal);
    return { method: "input", via: "pointer" };
  });
  return { ...acted, end: to.point };
}

export async function pointerAim(surface: Surface, signal: AbortSignal): Promise<Aim> {
  return { form: "screen point", point: await surface.need("pointer").position({ signal }) };
}
