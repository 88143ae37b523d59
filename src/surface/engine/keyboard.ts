import { ToolError } from "../../base/errors.ts";
import { writtenBy } from "../../base/keys.ts";
import type { UiNode } from "../../base/node.ts";
import { calm } from "../verify.ts";
import { evidenceMs } from "../silence.ts";
import type { Surface } from "../surface.ts";
import type { Acted, Located, PerformOptions, Press, TypeText } from "./action.ts";
import { openEntry, withEntered } from "./entered.ts";
import { observe } from "./observe.ts";
import { needAim, subjectOf, type Place } from "./place.ts";
import { focusAim, needDecided } from "./reach.ts";

export async function type(
  surface: Surface,
  { action, place }: Located<TypeText>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal, settleMs } = options;
  const { text, delayMs, into } = action;
  if (place && into) await focusPlace(surface, place, signal);
  else if (place?.window) await surface.ensureFocus(place.window, signal);
  const node = place?.node;
  const window = place?.window;
  const focused = node ?? (await focusedElement(surface, signal));
  const subject = await subjectOf(surface, { node: focused, window }, signal);
  if (into && settleMs > 0) await calm(surface, subject, signal);
  const observed = {
    node,
    window,
    subject,
    expect: { focusCounts: false, pixelsCount: true, movingCounts: false, selectionCounts: true },
    signature: `type ${text.length} ${focused?.runtimeId ?? subject.windowId}`,
  };
  const entry = await openEntry(surface, focused, signal);
  const acted = await observe(surface, observed, options, async () => {
    await needDecided(surface, options, [undefined]);
    await surface.need("keyboard").text(text, { delayMs, signal });
    return { method: "input", via: "keyboard" };
  });
  return withEntered(acted, await entry.look(text, acted.after));
}

export async function press(
  surface: Surface,
  { action: { chord, repeat, holdMs }, place }: Located<Press>,
  options: PerformOptions,
): Promise<Acted> {
  const { signal } = options;
  const window = place?.window;
  if (window) await surface.ensureFocus(window, signal);
  const observed = {
    window,
    subject: await subjectOf(surface, window ? { window } : undefined, signal),
    // A shortcut may save.
    expect: {
      focusCounts: true,
      pixelsCount: true,
      movingCounts: false,
      selectionCounts: true,
      mayWrite: chord.length > 1,
    },
    signature: `press ${chord.join("+")} ${repeat}`,
  };
  const written = writtenBy(chord);
  const entry =
    written === undefined ? undefined : await openEntry(surface, await focusedElement(surface, signal), signal);
  const acted = await observe(surface, observed, options, async () => {
    await needDecided(surface, options, [undefined]);
    for (let count = 0; count < repeat; count++) await surface.hands.press(chord, holdMs, signal);
    await surface.inputTaken(signal);
    return { method: "input", via: "keyboard" };
  });
  return entry ? { ...acted, showsText: (await entry.look((written ?? "").repeat(repeat))).showsText } : acted;
}

/** Focuses a field: natively if possible, otherwise by clicking into it. */
export async function focusPlace(surface: Surface, place: Place, signal: AbortSignal): Promise<void> {
  if (place.window) await surface.ensureFocus(place.window, signal);
  if (place.node && (await focusNatively(surface, place.node, signal))) return;
  const where = await needAim(surface, place, signal);
  await focusAim(surface, where, signal);
  await surface.hands.click(where.point, { button: "left", clicks: 1, delayMs: 0, hold: [], signal });
  await surface.inputTaken(signal);
}

export async function focusNatively(surface: Surface, node: UiNode, signal: AbortSignal): Promise<boolean> {
  const elements = surface.need("elements");
  const isFocused = async () =>
    (await elements.read([node.runtimeId], { signal }))[0]?.states.includes("focused") === true;
  if (await isFocused()) return true;
  if (!node.actions.includes("focus")) return false;
  try {
    await elements.perform(node.runtimeId, { name: "focus" }, { signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
  }
  return isFocused();
}

export async function focusedElement(surface: Surface, signal: AbortSignal): Promise<UiNode | undefined> {
  try {
    return await surface.backend.elements?.focused({ timeoutMs: evidenceMs(surface), signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}
