import { nothingToDo } from "../../../base/node.ts";
import { ToolError } from "../../../base/errors.ts";
import { toggle } from "./act.ts";
import { optional } from "./app.ts";
import { chooseItem } from "./combo.ts";
import { isPassword } from "./describe.ts";
import { hasInterface, hasState, roleNumber, stateBit } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { becomes, needEnabled, notDispatchable, showTarget, type Target } from "./target.ts";
import { readContent } from "./text.ts";

/** Sets the value of an element and verifies it. */
export async function setValue(target: Target, value: string | number | boolean): Promise<string> {
  needEnabled(target);
  const { role, interfaces } = target.element;
  if (typeof value === "boolean") return toggle(target, value);
  if (role === roleNumber.comboBox && typeof value === "string" && !hasInterface(interfaces, "EditableText")) {
    return chooseItem(target, value);
  }
  if (role === roleNumber.spinButton && !quirksOf(target.app.toolkit).tellsPage) {
    throw notDispatchable(target, "would accept the number without notifying its page", "Click it and type instead.");
  }
  const number = typeof value === "number" ? value : toNumber(value);
  if (hasInterface(interfaces, "Value") && number !== undefined) return setNumber(target, number);
  if (hasInterface(interfaces, "EditableText") && quirksOf(target.app.toolkit).writesText)
    return setText(target, String(value));
  if (hasInterface(interfaces, "Value")) {
    throw new ToolError("invalid_argument", `${showTarget(target)} takes a number, not "${String(value)}".`);
  }
  throw new ToolError("pattern_unsupported", `${showTarget(target)} has no value that can be written.`, {
    hint: "Click it and type instead.",
  });
}

const toNumber = (text: string): number | undefined =>
  text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;

async function setNumber(target: Target, value: number): Promise<string> {
  const { app, element, options } = target;
  const { path } = element;
  const [now, min, max] = await Promise.all([
    optional(app.get<number>(path, "Value.CurrentValue", options)),
    optional(app.get<number>(path, "Value.MinimumValue", options)),
    optional(app.get<number>(path, "Value.MaximumValue", options)),
  ]);
  if (typeof min === "number" && typeof max === "number" && max > min && (value < min || value > max)) {
    throw new ToolError("invalid_argument", `${showTarget(target)} takes ${min} to ${max}, not ${value}.`);
  }
  // Firefox would notify its page of a change that is none.
  if (now === value) return nothingToDo;
  const via = "Value.CurrentValue";
  await app.set(path, via, "d", value, options);
  let last: number | undefined;
  const isSet = await becomes(target, async () => {
    last = await optional(app.get<number>(path, "Value.CurrentValue", options));
    // A control with whole numbers rounds; half a step is as close as it can get.
    return typeof last === "number" && Math.abs(last - value) <= 0.5;
  });
  if (isSet) return via;
  throw notDispatchable(target, `was set to ${value} but is at ${last ?? "nothing"}`, "Drag it, or use the keys.");
}

async function setText(target: Target, text: string): Promise<string> {
  const { app, element, options } = target;
  if (hasState(element.states, stateBit.readOnly))
    throw notDispatchable(target, "is read-only", "Nothing can be written there.");
  const { path } = element;
  const via = "EditableText.SetTextContents";
  const reply = await optional(app.call<[boolean]>(path, via, "s", [text], options));
  if (reply && (await hasText(target, text))) return via;
  const inserted = await replaceText(target, text);
  if (inserted && (await hasText(target, text))) return inserted;
  throw notDispatchable(target, "did not accept the text", "Click it and type instead.");
}

/** For programs that only have `InsertText`. */
async function replaceText({ app, element: { path }, options }: Target, text: string): Promise<string | undefined> {
  const count = await optional(app.get<number>(path, "Text.CharacterCount", options));
  if (typeof count !== "number") return undefined;
  if (count > 0) await optional(app.call(path, "EditableText.DeleteText", "ii", [0, count], options));
  const length = quirksOf(app.toolkit).insertLength === "bytes" ? Buffer.byteLength(text) : text.length;
  const reply = await optional(app.call(path, "EditableText.InsertText", "isi", [0, text, length], options));
  return reply && "EditableText.InsertText";
}

/** Never reads the content of a password field, only its length. */
function hasText(target: Target, text: string): Promise<boolean> {
  const { app, element, options } = target;
  const characters = [...text].length;
  return becomes(target, async () => {
    if (isPassword(element)) {
      return (await optional(app.get<number>(element.path, "Text.CharacterCount", options))) === characters;
    }
    const content = await readContent(app, element.path, characters + 1, options);
    return content !== undefined && isSameText(content.text, text);
  });
}

const isSameText = (a: string, b: string): boolean => a.normalize("NFC") === b.normalize("NFC");
