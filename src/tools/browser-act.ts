import { z } from "zod";
import { needReadable } from "../base/named-file.ts";
import { needFile } from "../policy/files.ts";
import { parseChord } from "../base/keys.ts";
import type { PageEffect } from "../platform/browser.ts";
import {
  needPage,
  pageOfUid,
  pageResult,
  pageSettle,
  pageSurface,
  pageUid,
  settleOf,
  toPageResult,
} from "./browser-schema.ts";
import { enteredText } from "./schema.ts";
import { defineTool } from "./tool.ts";

const said = (verb: string, uid: string, { before, at }: PageEffect<unknown>): string => {
  const name = before?.name ? ` '${before.name.slice(0, 80)}'` : "";
  const role = before ? ` (${before.nativeRole})` : "";
  const place = at ? ` at (${Math.round(at.x)}, ${Math.round(at.y)})` : "";
  return `${verb} uid=${uid}${name}${role}${place}`;
};

export const cdpClick = defineTool({
  name: "cdp_click",
  title: "Click in the page",
  summary:
    "Click an element by uid with real mouse events; it is scrolled into view first. What covers it is named instead of clicked. Says " +
    "what changed: elements, URL, dialogs, new pages, downloads.",
  set: "browser",
  access: "act",
  needs: [],
  input: z.strictObject({ uid: pageUid, dbl_click: z.boolean().default(false), settle_ms: pageSettle }),
  output: pageResult,
  positional: ["uid"],
  async run({ uid, dbl_click, settle_ms }, context) {
    const page = await pageOfUid(context, uid);
    const options = { settleMs: settleOf(context, settle_ms), signal: context.signal, double: dbl_click };
    const seen = await page.click(uid, options);
    return { data: toPageResult(page, context, seen, said(dbl_click ? "Double-clicked" : "Clicked", uid, seen)) };
  },
});

export const cdpHover = defineTool({
  name: "cdp_hover",
  title: "Hover in the page",
  summary: "Move the mouse over an element by uid, to open what shows on hovering.",
  set: "browser",
  access: "act",
  idempotent: true,
  needs: [],
  input: z.strictObject({ uid: pageUid, settle_ms: pageSettle }),
  output: pageResult,
  positional: ["uid"],
  async run({ uid, settle_ms }, context) {
    const page = await pageOfUid(context, uid);
    // Most elements do nothing when hovered; waiting long for it would only be waiting.
    const settleMs = Math.min(settleOf(context, settle_ms), settle_ms ?? 300);
    const seen = await page.hover(uid, { settleMs, signal: context.signal });
    return { data: toPageResult(page, context, seen, said("Hovered", uid, seen)) };
  },
});

export const cdpFill = defineTool({
  name: "cdp_fill",
  title: "Fill a field of the page",
  summary:
    "Put a value into a field by uid, replacing what is there: text, a select's option (label or value), date 2026-01-31, number, colour " +
    "#3366ff, true/false for a check box, a path for a file field. Several options or files: one per line.",
  set: "browser",
  access: "act",
  idempotent: true,
  needs: [],
  input: z.strictObject({ uid: pageUid, value: z.string().max(1_000_000), settle_ms: pageSettle }),
  output: pageResult,
  positional: ["uid", "value"],
  secret: [...enteredText, "node_before", "node_after"],
  async run({ uid, value, settle_ms }, context) {
    const page = await pageOfUid(context, uid);
    const { read } = context.session.gate.rules.files;
    const seen = await page.fill(uid, value, {
      settleMs: settleOf(context, settle_ms),
      signal: context.signal,
      needFile: async (path) => {
        const file = await needFile(path, "read", read);
        await needReadable(file, context.signal);
        return file;
      },
    });
    return { data: toPageResult(page, context, seen, said("Filled", uid, seen)) };
  },
});

export const cdpPressKey = defineTool({
  name: "cdp_press_key",
  title: "Press a key in the page",
  summary:
    'Press a key or combination in the focused element: "Enter", "Control+A", "Shift+Tab"; Control, Shift, Alt, Meta.',
  set: "browser",
  access: "act",
  needs: [],
  input: z.strictObject({ key: z.string().min(1).max(100), surface: pageSurface, settle_ms: pageSettle }),
  output: pageResult,
  positional: ["key"],
  keys: "key",
  async run({ key, surface, settle_ms }, context) {
    const chord = parseChord({ key });
    const page = await needPage(context, surface);
    const seen = await page.press(chord, { settleMs: settleOf(context, settle_ms), signal: context.signal });
    return { data: toPageResult(page, context, seen, `Pressed ${key}`) };
  },
});

export const cdpTypeText = defineTool({
  name: "cdp_type_text",
  title: "Type in the page",
  summary:
    "Type text character by character into the focused element; submit_key (e.g. Enter) is pressed after it. To replace a field's content use cdp_fill.",
  set: "browser",
  access: "act",
  needs: [],
  input: z.strictObject({
    text: z.string().min(1).max(100_000),
    submit_key: z.string().min(1).max(100).optional(),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult,
  positional: ["text"],
  secret: [...enteredText, "node_before", "node_after"],
  async run({ text, submit_key, surface, settle_ms }, context) {
    const submit = submit_key === undefined ? undefined : parseChord({ key: submit_key });
    const page = await needPage(context, surface);
    const seen = await page.type(text, submit, { settleMs: settleOf(context, settle_ms), signal: context.signal });
    const { length } = [...text];
    const words = `Typed ${Math.min(seen.value, length)} characters${seen.value > length ? ` and pressed ${submit_key}` : ""}`;
    return { data: toPageResult(page, context, seen, words) };
  },
});

export const cdpHandleDialog = defineTool({
  name: "cdp_handle_dialog",
  title: "Answer a dialog of the page",
  summary: "Accept or dismiss the open JavaScript dialog (alert, confirm, prompt, leaving the page).",
  set: "browser",
  access: "act",
  needs: [],
  input: z.strictObject({
    action: z.enum(["accept", "dismiss"]),
    prompt_text: z.string().max(10_000).optional(),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult,
  positional: ["action"],
  async run({ action, prompt_text, surface, settle_ms }, context) {
    const page = await needPage(context, surface);
    const options = { settleMs: settleOf(context, settle_ms), signal: context.signal };
    const seen = await page.handleDialog(action === "accept", prompt_text, options);
    const words = `${action === "accept" ? "Accepted" : "Dismissed"} the ${seen.value.type} "${seen.value.message.slice(0, 200)}"`;
    return { data: toPageResult(page, context, seen, words) };
  },
});

const uidIn = (argument: unknown): string | undefined => z.object({ uid: z.string() }).safeParse(argument).data?.uid;

export const cdpEvaluateScript = defineTool({
  name: "cdp_evaluate_script",
  title: "Run a script in the page",
  summary:
    "Run a JavaScript function in the page and get what it returns as JSON: () => document.title, or (element) => element.href with " +
    "args [{uid}].",
  set: "browser",
  access: "execute",
  needs: [],
  input: z.strictObject({
    function: z.string().min(1).max(100_000),
    args: z.array(z.unknown()).max(20).default([]).describe("[{uid}] for elements; plain values are passed on"),
    timeout: z.int().min(100).max(60_000).default(10_000).describe("Milliseconds"),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult.extend({ result: z.unknown() }),
  positional: ["function"],
  async run(input, context) {
    const uid = input.args.map(uidIn).find((each) => each !== undefined);
    const page = uid === undefined ? await needPage(context, input.surface) : await pageOfUid(context, uid);
    const options = { settleMs: settleOf(context, input.settle_ms), timeoutMs: input.timeout, signal: context.signal };
    const seen = await page.evaluate(input.function, input.args, options);
    return {
      data: {
        ...toPageResult(page, context, seen, seen.dialog ? "The script waits at a dialog" : "Script ran"),
        result: seen.value ?? null,
      },
    };
  },
});
