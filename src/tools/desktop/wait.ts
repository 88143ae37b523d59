import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { isEmptyQuery, type WindowQuery } from "../../surface/choose-window.ts";
import { parseSelector } from "../../surface/selector.ts";
import type { Surface } from "../../surface/surface.ts";
import { elementRecord } from "../elements/elements.ts";
import { textMatch } from "../elements/find-text.ts";
import { expectedWords, looksIn, readExpectation } from "../expect/expectation.ts";
import { expectField, readExpect } from "../expect/field.ts";
import { isPolled, lookFor, lookForElement } from "../expect/look-for.ts";
import { lookAtPixels, lookForText, lookForWindow, type Met } from "../expect/looks.ts";
import { waitUntil, type Asking, type Look } from "../expect/wait-until.ts";
import { elementFields, partFields, readPart, readWindowQuery, timeoutMs, windowFields } from "../schema.ts";
import { defineTool, surfaceField } from "../tool.ts";
import { windowRecord } from "./windows.ts";

const conditions = [
  "window",
  "window_closed",
  "window_active",
  "element",
  "element_gone",
  "text",
  "text_gone",
  "stable",
  "change",
] as const;

const waitInput = z.strictObject({
  condition: z.enum(conditions).optional().describe("Default: element with selector or text, else window"),
  ...windowFields,
  selector: elementFields.selector.describe("For element: e.g. Button:Save[enabled], TextBox:Name[value~=ann]"),
  text: elementFields.text.describe("Part of a name, value or description"),
  region: partFields.region.describe("For stable and change: part of the screen, or a marked number"),
  region_id: partFields.region_id,
  expect: expectField,
  quiet_ms: z.int().min(50).max(10_000).default(300).describe("For stable: how long nothing may change"),
  timeout_ms: timeoutMs.default(10_000),
  surface: surfaceField,
});

export const waitFor = defineTool({
  name: "wait_for",
  title: "Wait",
  summary:
    "Wait until a window appears, closes or is active, an element appears, goes or has a state or value (selector or text), a text is " +
    "shown or gone, or the screen (a window, a region) is stable or changes.",
  set: "desktop",
  access: "observe",
  needs: ["windows"],
  input: waitInput,
  output: z.object({
    met: z.literal(true),
    waited_ms: z.number(),
    window: windowRecord.nullable(),
    element: elementRecord.optional(),
    match: textMatch.optional(),
    candidates: z.array(z.string()).optional().describe("All elements that fit, when there are several"),
  }),
  positional: ["condition"],
  check: checkWait,
  looksAt: (input) => {
    const given = readExpect(input.expect);
    if (given === undefined) return {};
    const { uid, within, window } = looksIn(given);
    const isElsewhere = window !== undefined || uid !== undefined || isOfActive.has(readExpectation(given).is);
    // The windows that the call names are not looked at then.
    const instead = { window_id: undefined, app_name: undefined, pid: undefined, window_title: window };
    return { uid, within, ...(isElsewhere ? instead : {}) };
  },
  async run(input, { surface: open, session, signal, progress }) {
    const surface = await open();
    const query = readWindowQuery(input);
    const onLook = (done: number) => progress({ done, total: input.timeout_ms });
    const common = { surface, timeoutMs: input.timeout_ms, signal, onLook };
    const given = readExpect(input.expect);
    if (given !== undefined) {
      const expected = readExpectation(given);
      const where = { surface, query, readable: session.gate.rules.files.read };
      const { met, waitedMs } = await waitUntil<Met>({
        ...common,
        timeoutMs: (typeof given === "string" ? undefined : given.timeout_ms) ?? input.timeout_ms,
        what: expectedWords(given),
        isPolled: isPolled(expected),
        look: (asking) => lookFor(expected, where, asking),
      });
      return { data: { met: true as const, waited_ms: waitedMs, ...met } };
    }
    const condition = chooseCondition(input);
    const { met, waitedMs } = await waitUntil<Met>({
      ...common,
      what: condition,
      isPolled: ofPixels.has(condition),
      look: (asking) => toLook(surface, { ...input, condition }, query, asking),
    });
    return { data: { met: true as const, waited_ms: waitedMs, ...met } };
  },
});

/** Expectations of the active window, whichever the call names. */
const isOfActive: ReadonlySet<string> = new Set(["title", "url"]);

type WaitArguments = z.infer<typeof waitInput>;
type Condition = (typeof conditions)[number];
type WaitInput = WaitArguments & { readonly condition: Condition };

const ofElements: ReadonlySet<Condition> = new Set(["element", "element_gone"]);
const ofText: ReadonlySet<Condition> = new Set(["text", "text_gone"]);
const ofPixels: ReadonlySet<Condition> = new Set(["stable", "change"]);

/** What is expected is said in one way. */
function checkWait(input: WaitArguments): void {
  if (input.expect === undefined) return void chooseCondition(input);
  const { condition, selector, text, region, region_id } = input;
  const others = Object.entries({ condition, selector, text, region, region_id }).filter(
    ([, value]) => value !== undefined,
  );
  const [[name] = []] = others;
  if (name !== undefined)
    throw new ToolError("invalid_argument", `expect takes no ${name}.`, { hint: "Use one or the other." });
}

/**
 * Arguments that do not fit the condition must not be ignored: otherwise an open window would count as the element
 * that was asked for.
 */
function chooseCondition({ condition: asked, selector, text, ...rest }: WaitArguments): Condition {
  const part = readPart(rest);
  const isElement = selector !== undefined || text !== undefined;
  const chosen = asked ?? (isElement ? "element" : "window");
  if (ofText.has(chosen) && (text === undefined || selector !== undefined))
    throw new ToolError("invalid_argument", `${chosen} needs text, and no selector.`);
  if (isElement && !ofElements.has(chosen) && !ofText.has(chosen))
    throw new ToolError("invalid_argument", `${chosen} takes no ${selector === undefined ? "text" : "selector"}.`, {
      hint: "To wait for an element, use condition element or element_gone.",
    });
  if (part !== undefined && !ofPixels.has(chosen))
    throw new ToolError("invalid_argument", `${chosen} takes no region.`, {
      hint: "To watch a part of the screen, use condition stable or change.",
    });
  if (part !== undefined && !isEmptyQuery(readWindowQuery(rest)))
    throw new ToolError("invalid_argument", "Give a region of the screen or a window, not both.");
  if (chosen.startsWith("window") && isEmptyQuery(readWindowQuery(rest)))
    throw new ToolError("invalid_argument", `${chosen} needs window_title, app_name, pid or window_id.`);
  if (ofElements.has(chosen) && (selector === undefined) === (text === undefined))
    throw new ToolError("invalid_argument", `${chosen} needs selector or text, one of them.`);
  if (selector !== undefined) parseSelector(selector);
  return chosen;
}

function toLook(surface: Surface, input: WaitInput, query: WindowQuery, asking: Asking): Look<Met> {
  const { condition, selector, text = "", quiet_ms: quietMs } = input;
  switch (condition) {
    case "window":
      return lookForWindow(surface, query, "open", asking);
    case "window_active":
      return lookForWindow(surface, query, "active", asking);
    case "window_closed":
      return lookForWindow(surface, query, "closed", asking);
    case "element":
    case "element_gone": {
      const element =
        selector === undefined ? { form: "text" as const, text } : { form: "selector" as const, selector };
      return lookForElement(element, condition === "element_gone", { surface, query }, asking);
    }
    case "text":
    case "text_gone":
      return lookForText(surface, text, query, condition === "text_gone", asking);
    case "stable":
    case "change":
      return lookAtPixels(
        surface,
        { query, part: readPart(input), quietMs: condition === "stable" ? quietMs : undefined },
        asking.signal,
      );
  }
}
