import { z } from "zod";
import { poll, withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { isEmptyQuery, matchWindows, type WindowQuery } from "../../surface/choose-window.ts";
import type { UiNode } from "../../base/node.ts";
import type { CaptureArea } from "../../platform/backend.ts";
import { readTree } from "../../surface/find-element.ts";
import { matchText } from "../../surface/match-elements.ts";
import { parseSelector, selectNodes } from "../../surface/selector.ts";
import type { Surface } from "../../surface/surface.ts";
import { fingerprint } from "../../vision/fingerprint.ts";
import type { ReaderStatus } from "../../vision/ocr/reader.ts";
import { partArea } from "../vision/capture-area.ts";
import { elementRecord, toElementRecord } from "../elements/elements.ts";
import { findShown, textMatch } from "../elements/find-text.ts";
import { elementFields, partFields, readPart, readWindowQuery, timeoutMs, windowFields } from "../schema.ts";
import { defineTool, surfaceField } from "../tool.ts";
import { toRecord, windowRecord } from "./windows.ts";

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
  }),
  positional: ["condition"],
  check: (input) => void chooseCondition(input),
  async run(args, { surface, signal, progress }) {
    const started = performance.now();
    const input = { ...args, condition: chooseCondition(args) };
    const where = await surface();
    const query = readWindowQuery(input);
    let trouble = "";
    const note = (error: ToolError) => (trouble = `: ${error.message.replace(/\.$/, "")}`);
    const ms = Math.max(input.timeout_ms, slowestLookMs);
    const answer = await withDeadline({ ms, what: "wait_for", signal }, (inner) => {
      const ask = condition(where, input, query, { signal: inner, note });
      const look = async () => {
        progress({ done: Math.round(performance.now() - started), total: input.timeout_ms });
        return ask();
      };
      return poll(look, { timeoutMs: input.timeout_ms, everyMs: 50, signal: inner });
    }).catch((error: unknown) => {
      if (signal.aborted || performance.now() - started < ms) throw error;
    });
    const waited = Math.round(performance.now() - started);
    if (answer) return { data: { met: true as const, waited_ms: waited, ...answer } };
    throw new ToolError("timeout", `${input.condition} was not met within ${input.timeout_ms} ms${trouble}.`, {
      hint: "Take a screenshot to see what is there instead, or raise timeout_ms.",
    });
  },
});

// However short the timeout, one look may take this long: a phone needs up to three seconds to report its elements.
const slowestLookMs = 3_000;

type Met = {
  readonly window: ReturnType<typeof toRecord> | null;
  readonly element?: ReturnType<typeof toElementRecord>;
  readonly match?: z.input<typeof textMatch>;
};
interface Asking {
  readonly signal: AbortSignal;
  /** Called with the reason when the condition cannot be checked. */
  readonly note: (trouble: ToolError) => void;
}
type WaitArguments = z.infer<typeof waitInput>;
type Condition = (typeof conditions)[number];
type WaitInput = WaitArguments & { readonly condition: Condition };

const ofElements: ReadonlySet<Condition> = new Set(["element", "element_gone"]);
const ofText: ReadonlySet<Condition> = new Set(["text", "text_gone"]);
const ofPixels: ReadonlySet<Condition> = new Set(["stable", "change"]);

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

function condition(
  surface: Surface,
  input: WaitInput,
  query: WindowQuery,
  asking: Asking,
): () => Promise<Met | undefined> {
  const { signal } = asking;
  const matching = async () => {
    const shown = (await surface.need("windows").list({ signal })).filter((each) => each.isVisible || each.isMinimized);
    return matchWindows(shown, query);
  };
  switch (input.condition) {
    case "window":
      return async () => {
        const [first] = await matching();
        return first && { window: toRecord(first) };
      };
    case "window_active":
      return async () => {
        const active = (await matching()).find((window) => window.isForeground);
        return active && { window: toRecord(active) };
      };
    case "window_closed":
      return async () => ((await matching()).length === 0 ? { window: null } : undefined);
    case "element":
    case "element_gone":
      return elementCondition(surface, input, query, asking);
    case "text":
    case "text_gone":
      return textCondition(surface, input, query, asking);
    case "stable":
    case "change":
      return pixelCondition(surface, input, query, signal);
  }
}

function elementCondition(
  surface: Surface,
  input: WaitInput,
  query: WindowQuery,
  asking: Asking,
): () => Promise<Met | undefined> {
  const { selector, text } = input;
  const steps = selector === undefined ? undefined : parseSelector(selector);
  const gone = input.condition === "element_gone";
  surface.need("elements");
  return async () => {
    const nodes = await nodesNow(surface, query, asking);
    if (!nodes) return undefined;
    const [found] = steps ? selectNodes(nodes, steps) : matchText(nodes, text ?? "").map(({ node }) => node);
    if (gone) return found ? undefined : { window: null };
    return found && { window: null, element: toElementRecord(surface, found) };
  };
}

/** Unlike an element, a text may be in any window of the screen: a menu, a notification. */
function textCondition(
  surface: Surface,
  { text = "", condition: asked }: WaitInput,
  query: WindowQuery,
  { signal, note }: Asking,
): () => Promise<Met | undefined> {
  const look = async (): Promise<z.input<typeof textMatch> | "nowhere" | undefined> => {
    try {
      const { matches } = await findShown(surface, text, { query, isAnywhere: true }, signal);
      // That no element has it proves nothing about the pixels.
      if (matches.length === 0) needReading((await surface.reader()).status());
      return matches[0] ?? "nowhere";
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (absent.has(error.code)) return "nowhere";
      if (!silent.has(error.code)) throw error;
      note(error);
      return undefined;
    }
  };
  return async () => {
    const match = await look();
    if (match === undefined) return undefined;
    if (asked === "text_gone") return match === "nowhere" ? { window: null } : undefined;
    return match === "nowhere" ? undefined : { window: null, match };
  };
}

function needReading({ available, reason = "" }: ReaderStatus): void {
  if (!available) throw new ToolError("not_supported", `Text in pictures cannot be read here: ${reason}.`);
}

const absent: ReadonlySet<string> = new Set(["not_found", "window_gone", "process_not_running"]);
const silent: ReadonlySet<string> = new Set(["timeout", "not_supported", "ax_error"]);

/**
 * Empty while the window is not there. Undefined while it is unknown: a frozen app has not lost its elements, an app
 * that has just opened its window may not have joined the accessibility bus yet, and a phone has no elements between
 * two screens.
 */
async function nodesNow(
  surface: Surface,
  query: WindowQuery,
  { signal, note }: Asking,
): Promise<readonly UiNode[] | undefined> {
  try {
    return (await readTree(surface, { window: query }, 20_000, signal)).nodes;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (absent.has(error.code)) return [];
    if (!silent.has(error.code)) throw error;
    note(error);
    return undefined;
  }
}

function pixelCondition(
  surface: Surface,
  input: WaitInput,
  query: WindowQuery,
  signal: AbortSignal,
): () => Promise<Met | undefined> {
  const part = readPart(input);
  // Keep watching the place found at the start, even if its element disappears or regions are marked again.
  let place: Promise<CaptureArea> | undefined;
  const look = async (): Promise<string> => {
    const windows = surface.need("windows");
    const window = isEmptyQuery(query) ? undefined : matchWindows(await windows.list({ signal }), query)[0];
    if (!window && !isEmptyQuery(query)) throw new ToolError("window_gone", "The window to watch does not exist.");
    const area = window
      ? ({ kind: "window", windowId: window.id } as const)
      : part === undefined
        ? ({ kind: "screen" } as const)
        : await (place ??= partArea(surface, part, signal));
    const capture = await surface.need("screen").capture(area, { signal, isEvidence: true });
    try {
      return fingerprint(capture.pixels);
    } finally {
      capture[Symbol.dispose]();
    }
  };
  let last: string | undefined;
  let since = performance.now();
  return async () => {
    const now = await look();
    const same = last === undefined || now === last;
    const first = last === undefined;
    if (!same || first) since = performance.now();
    last = now;
    if (input.condition === "change") return same ? undefined : { window: null };
    return !first && performance.now() - since >= input.quiet_ms ? { window: null } : undefined;
  };
}
