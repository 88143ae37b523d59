import type { ToolError } from "../base/errors.ts";
import type { UiNode } from "../base/node.ts";
import { calm } from "../surface/effect.ts";
import { liveElement } from "../surface/find-element.ts";
import { runAction } from "./action.ts";
import { focusField } from "./keyboard.ts";
import type { ToolContext } from "./tool.ts";
import { subjectOf } from "./where.ts";

/** What takes a value from the keyboard: everything selected and typed over, or an item chosen by typing its name. */
const typedInto: ReadonlySet<string> = new Set(["textbox", "spinbutton", "combobox"]);

export const takesTyping = ({ role, states }: UiNode): boolean =>
  typedInto.has(role) && states.includes("enabled") && !states.includes("readonly");

/** Enters a value as a person does, where the app has no native way. */
export async function enterValue(
  context: ToolContext,
  { uid, value, settleMs, reason }: Entry,
): Promise<Awaited<ReturnType<typeof runAction>>> {
  const surface = await context.surface();
  const { signal, session } = context;
  const node = await liveElement(surface, uid, signal);
  await focusField(surface, node, signal);
  const subject = await subjectOf(surface, { node }, signal);
  const settle = settleMs ?? session.limits.settleMs;
  if (settle > 0) await calm(surface, subject, signal);
  const isList = node.role === "combobox" && !node.states.includes("editable");
  const action = {
    surface,
    context,
    node,
    subject,
    expect: { focusCounts: false, pixelsCount: true, movingCounts: false },
    signature: `enter ${value.length} ${node.runtimeId}`,
    settleMs: settle,
  };
  return runAction(action, async () => {
    if (!isList) await surface.hands.press(["ctrl", "a"], 0, signal);
    if (value === "") await surface.hands.press(["delete"], 0, signal);
    else await surface.need("keyboard").text(value, { signal });
    await surface.inputTaken(signal);
    return {
      method: "input",
      via: "keyboard",
      warning: `Typed, because natively it could not be set: ${reason.message}`,
    };
  });
}

interface Entry {
  readonly uid: string;
  readonly value: string;
  readonly settleMs: number | undefined;
  readonly reason: ToolError;
}
