import { z } from "zod";
import { actionDone } from "../action.ts";
import { actionResult } from "../schema.ts";
import { defineTool } from "../tool.ts";

const mostText = 1_000_000;

export const getClipboard = defineTool({
  name: "get_clipboard",
  title: "Read the clipboard",
  summary: "The text on the clipboard; null when there is none. Copy first with press_key ctrl+c.",
  set: "desktop",
  access: "observe",
  needs: ["clipboard"],
  input: z.strictObject({
    max_chars: z.int().min(1).max(mostText).default(8_000).describe("Longer text is cut; the result says so"),
  }),
  output: z.object({ text: z.string().nullable(), length: z.number(), truncated: z.boolean() }),
  positional: [],
  secret: ["text"],
  async run({ max_chars }, { session: { secrets }, surface, signal }) {
    const text = await (await surface()).need("clipboard").read({ signal });
    if (text === undefined) return { data: { text: null, length: 0, truncated: false } };
    const { length } = [...text];
    return { data: { text: secrets.concealStart(text, max_chars), length, truncated: length > max_chars } };
  },
});

export const setClipboard = defineTool({
  name: "set_clipboard",
  title: "Write the clipboard",
  summary: "Put text on the clipboard; paste it with press_key ctrl+v.",
  set: "desktop",
  access: "act",
  idempotent: true,
  needs: ["clipboard"],
  input: z.strictObject({ text: z.string().max(mostText) }),
  output: actionResult,
  positional: ["text"],
  secret: ["text"],
  async run({ text }, context) {
    const surface = await context.surface();
    const clipboard = surface.need("clipboard");
    await clipboard.write(text, { signal: context.signal });
    const seen = (await clipboard.read({ signal: context.signal })) === text;
    return { data: actionDone({ surface, context, via: "clipboard", method: "system", seen }) };
  },
});
