import { resolve } from "node:path";
import { z } from "zod";
import { callerFolder } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { parseChord } from "../../base/keys.ts";
import { needReadable } from "../../base/named-file.ts";
import { quote } from "../../base/quote.ts";
import { filesWanted, type PageDeed, type PageDialog } from "../../platform/backend.ts";
import { needFile } from "../../policy/files.ts";
import type { Acted } from "../../surface/engine/action.ts";
import { judgeWitnessed } from "../../surface/engine/page.ts";
import type { Left } from "../../surface/guard/browsers.ts";
import { pageResult, pageSettle, pageSurface, pageUid, toPageResult } from "./schema.ts";
import { defineTool, type Followed, type Tool, type ToolContext } from "../tool.ts";

const said = (verb: string, uid: string, { before, witnessed }: Acted): string => {
  const at = witnessed?.at;
  const name = before?.name ? ` '${before.name.slice(0, 80)}'` : "";
  const role = before ? ` (${before.nativeRole})` : "";
  const place = at ? ` at (${Math.round(at.x)}, ${Math.round(at.y)})` : "";
  return `${verb} uid=${uid}${name}${role}${place}`;
};

type PageInput = z.ZodObject<{ settle_ms: typeof pageSettle }>;
type PageOutput = typeof pageResult;

interface PageTool<Input extends PageInput, Output extends PageOutput, Name extends string> extends Omit<
  Tool<Input, Output, Name>,
  "set" | "access" | "needs" | "check" | "acts" | "run"
> {
  readonly access?: "act" | "execute";
  /** What a call does in the page; throws `invalid_argument` for what the schema cannot rule out. */
  readonly does: (input: z.infer<Input>) => PageDeed;
  /** What to do instead, if the page has done nothing yet and says what it needs. */
  readonly instead?: (deed: PageDeed, acted: Acted, context: ToolContext) => Promise<PageDeed | undefined>;
  /** Leaves a page that nobody may see; undefined if the page may be seen. */
  readonly leaves?: (input: z.infer<Input>, context: ToolContext) => Promise<Left | undefined>;
  /** How long to look for an effect, if not the session's limit. */
  readonly settles?: (input: z.infer<Input>, usual: number) => number;
  /** What was done, in words. */
  readonly says: (input: z.infer<Input>, acted: Acted) => string;
  readonly adds?: (acted: Acted) => Omit<z.input<Output>, keyof z.input<PageOutput>>;
}

/** A tool that acts in a page. It acts like every other tool; only the wording of its answer is its own. */
export function definePageTool<Input extends PageInput, Output extends PageOutput, Name extends string>({
  does,
  instead,
  leaves,
  settles,
  says,
  adds,
  access = "act",
  ...tool
}: PageTool<Input, Output, Name>): Tool<Followed<Input, Output>, Output, Name> {
  return defineTool<Input, Output, Name, "browser">({
    ...tool,
    set: "browser",
    access,
    needs: [],
    check: (input) => void does(input),
    acts: (input) => ({ do: "page", deed: does(input) }),
    async run(input, context) {
      const deed = does(input);
      // An action on a page that nobody may see would be refused.
      const left = await leaves?.(input, context);
      if (left) {
        const acted = judgeWitnessed(left.witnessed);
        return { data: toPageResult(acted, left.id, context.stepId, says(input, acted)) as z.input<Output> };
      }
      const usual = context.session.limits.settleMs;
      const settleMs = settles?.(input, usual) ?? input.settle_ms;
      // Look up the surface first: the action may leave the document that the uid belongs to.
      const surface = await context.surface();
      const options = { settleMs, signal: context.signal, on: surface };
      const first = await context.perform({ do: "page", deed }, options);
      const other = await instead?.(deed, first, context);
      const acted = other ? await context.perform({ do: "page", deed: other }, options) : first;
      const result = toPageResult(acted, surface.id, context.stepId, says(input, acted));
      return { data: { ...result, ...adds?.(acted) } as z.input<Output>, failed: !result.ok };
    },
  });
}

export const cdpClick = definePageTool({
  name: "cdp_click",
  title: "Click in the page",
  summary:
    "Click an element by uid with real mouse events; it is scrolled into view first. If something covers it, that is reported instead. Says " +
    "what changed: elements, URL, dialogs, new pages, downloads.",
  input: z.strictObject({ uid: pageUid, dbl_click: z.boolean().default(false), settle_ms: pageSettle }),
  output: pageResult,
  positional: ["uid"],
  does: ({ uid, dbl_click }) => ({ name: "click", ref: uid, clicks: dbl_click ? 2 : 1 }),
  says: ({ uid, dbl_click }, acted) => said(dbl_click ? "Double-clicked" : "Clicked", uid, acted),
});

export const cdpHover = definePageTool({
  name: "cdp_hover",
  title: "Hover in the page",
  summary: "Move the mouse over an element by uid, to open what appears on hover.",
  idempotent: true,
  input: z.strictObject({ uid: pageUid, settle_ms: pageSettle }),
  output: pageResult,
  positional: ["uid"],
  does: ({ uid }) => ({ name: "hover", ref: uid }),
  // Most elements do nothing when hovered, so waiting long would be pointless.
  settles: ({ settle_ms }, usual) => settle_ms ?? Math.min(usual, 300),
  says: ({ uid }, acted) => said("Hovered", uid, acted),
});

export const cdpFill = definePageTool({
  name: "cdp_fill",
  title: "Fill a field on the page",
  summary:
    "Put a value into a field by uid, replacing what is there: text, a select's option (label or value), date 2026-01-31, number, colour " +
    "#3366ff, true/false for a check box, a path for a file field. Several options or files: one per line.",
  idempotent: true,
  input: z.strictObject({ uid: pageUid, value: z.string().max(1_000_000), settle_ms: pageSettle }),
  output: pageResult,
  positional: ["uid", "value"],
  enters: ["value"],
  does: ({ uid, value }) => ({ name: "fill", ref: uid, value }),
  instead: withFiles,
  says: ({ uid }, acted) => said("Filled", uid, acted),
});

// No path is longer, and nobody picks more files at once; longer text is not a list of files.
const longestPath = 4_096;
const mostFiles = 100;

/** The files for a file field; throws if the page must not have them. */
async function withFiles(
  deed: PageDeed,
  { witnessed }: Acted,
  { session, signal }: ToolContext,
): Promise<PageDeed | undefined> {
  if (deed.name !== "fill" || witnessed?.value !== filesWanted) return undefined;
  const lines = deed.value.split("\n").filter((line) => line !== "");
  if (lines.length > mostFiles || lines.some((line) => line.length > longestPath)) {
    throw new ToolError("invalid_argument", "The value is not a list of files.", {
      hint: `The field takes files: give one path per line, at most ${mostFiles}.`,
    });
  }
  const { read } = session.gate.rules.files;
  const files: string[] = [];
  for (const line of lines) {
    const file = await needFile(resolve(callerFolder(), line), "read", read);
    await needReadable(file, signal);
    files.push(file);
  }
  return { ...deed, files };
}

export const cdpPressKey = definePageTool({
  name: "cdp_press_key",
  title: "Press a key in the page",
  summary:
    'Press a key or combination in the focused element: "Enter", "Control+A", "Shift+Tab"; Control, Shift, Alt, Meta.',
  input: z.strictObject({ key: z.string().min(1).max(100), surface: pageSurface, settle_ms: pageSettle }),
  output: pageResult,
  positional: ["key"],
  keys: "key",
  does: ({ key }) => ({ name: "press", chord: parseChord({ key }) }),
  says: ({ key }) => `Pressed ${key}`,
});

export const cdpTypeText = definePageTool({
  name: "cdp_type_text",
  title: "Type in the page",
  summary:
    "Type text character by character into the focused element; submit_key (e.g. Enter) is pressed after it. To replace a field's content use cdp_fill.",
  input: z.strictObject({
    text: z.string().min(1).max(100_000),
    submit_key: z.string().min(1).max(100).optional(),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult,
  positional: ["text"],
  enters: ["text"],
  does: ({ text, submit_key }) => ({
    name: "type",
    text,
    submit: submit_key === undefined ? undefined : parseChord({ key: submit_key }),
  }),
  says({ text, submit_key }, { witnessed }) {
    const { length } = [...text];
    const typed = Number(witnessed?.value);
    return `Typed ${Math.min(typed, length)} characters${typed > length ? ` and pressed ${submit_key}` : ""}`;
  },
});

export const cdpHandleDialog = definePageTool({
  name: "cdp_handle_dialog",
  title: "Answer a page dialog",
  summary: "Accept or dismiss the open JavaScript dialog (alert, confirm, prompt, leaving the page).",
  input: z.strictObject({
    action: z.enum(["accept", "dismiss"]),
    prompt_text: z.string().max(10_000).optional(),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult,
  positional: ["action"],
  enters: ["prompt_text"],
  does: ({ action, prompt_text }) => ({ name: "dialog", accept: action === "accept", text: prompt_text }),
  says({ action }, { witnessed }) {
    const { type, message } = (witnessed?.value ?? {}) as Partial<PageDialog>;
    return `${action === "accept" ? "Accepted" : "Dismissed"} the ${type} ${quote(message ?? "", 200)}`;
  },
});

export const cdpEvaluateScript = definePageTool({
  name: "cdp_evaluate_script",
  title: "Run a script in the page",
  summary:
    "Run a JavaScript function in the page and get what it returns as JSON: () => document.title, or (element) => element.href with " +
    "args [{uid}].",
  access: "execute",
  input: z.strictObject({
    function: z.string().min(1).max(100_000),
    args: z
      .array(z.unknown())
      .max(20)
      .default([])
      .describe("[{uid}] for elements; plain values are passed as they are"),
    timeout: z.int().min(100).max(60_000).default(10_000).describe("Milliseconds"),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult.extend({ result: z.unknown() }),
  positional: ["function"],
  does: ({ function: code, args, timeout: timeoutMs }) => ({ name: "evaluate", code, args, timeoutMs }),
  says: (_input, { witnessed }) => (witnessed?.dialog ? "The script waits at a dialog" : "Script ran"),
  adds: ({ witnessed }) => ({ result: witnessed?.value ?? null }),
});
