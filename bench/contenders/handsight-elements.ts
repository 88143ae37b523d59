import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSession } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openBackend } from "../../src/platform/open.ts";
import { callTool } from "../../src/tools/call.ts";
import type { Argument, Facts, Tasks } from "./task.ts";

// More than any tree of the bench has: nothing may be left out.
const allNodes = 20_000;
const charsPerToken = 4;
/** A tree of ten thousand may take longer than a program in use may stay silent. */
const timeoutMs = 20_000;

/** Ours, as its users reach it: through `callTool`, with the journal on. */
export async function handsightElements(): Promise<Tasks> {
  const runsDir = mkdtempSync(join(tmpdir(), "handsight-bench-runs-"));
  process.on("exit", () => rmSync(runsDir, { recursive: true, force: true }));
  const settings = { desktop: "real", policy: "allow", runsDir };
  const session = openSession(loadConfig({ flags: settings, env: {} }));
  const { elements } = (await session.surface("desktop")).backend;
  if (!elements) throw new Error("this display has no elements");

  const call = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const outcome = await callTool(session, { tool, arguments: args, canAsk: false });
    if (outcome.kind === "done") return outcome.data;
    throw new Error(outcome.kind === "failed" ? outcome.envelope.error.message : outcome.question.text);
  };

  const uidOf = async ({ title, text }: Argument): Promise<unknown> => {
    const { elements: found } = await call("find_elements", { selector: `*:${text}`, window_title: title });
    const [first] = found as readonly { readonly uid: string }[];
    if (!first) throw new Error(`there is no ${text}`);
    return first.uid;
  };
  const uids = new Map<string, Promise<unknown>>();

  return {
    async snapshot({ pid = 0 }) {
      const { nodes } = await elements.tree(elements.scope({ pid }), { maxNodes: allNodes, timeoutMs });
      return () => ({ nodes: nodes.length, placed: nodes.filter(({ bounds }) => bounds).length });
    },
    /** What a process pays that has never seen the program. */
    async "snapshot, first look"({ pid = 0 }) {
      const backend = await openBackend({ env: process.env });
      const tree = await backend.elements?.tree(backend.elements.scope({ pid }), { maxNodes: allNodes, timeoutMs });
      return async () => {
        await backend[Symbol.asyncDispose]();
        return { nodes: tree?.nodes.length ?? 0, placed: tree?.nodes.filter(({ bounds }) => bounds).length ?? 0 };
      };
    },
    async "snapshot, take_ax_snapshot"({ title }) {
      const data = await call("take_ax_snapshot", { window_title: title, max_nodes: allNodes, max_tokens: 50_000 });
      const { length } = String(data["snapshot"]);
      const lines = String(data["snapshot"]).split("\n").length;
      return () => ({ nodes: Number(data["nodes"]), shown: lines, tokens: length / charsPerToken });
    },
    async find({ title, text = "" }) {
      const { matches } = await call("find_text", { text, window_title: title });
      return need(matches, ({ text: found }) => found === text);
    },
    async at({ x = 0, y = 0, text }) {
      const { element } = await call("element_at_point", { x, y });
      return need([element], ({ name }) => name === text);
    },
    async where({ title, text = "" }) {
      const { matches } = await call("find_text", { text, window_title: title });
      const [first] = matches as readonly { readonly x: number; readonly y: number }[];
      return () => ({ x: first?.x ?? -1, y: first?.y ?? -1 });
    },
    /** The uid is looked up before, outside the clock: that is another call. */
    async prepare(argument) {
      uids.set(`${argument.title} ${argument.text}`, uidOf(argument));
      await uids.get(`${argument.title} ${argument.text}`);
    },
    async ax_click({ title, text }) {
      const done = await call("ax_click", { uid: await uids.get(`${title} ${text}`) });
      return () => {
        if (done["effect"] !== "confirmed") throw new Error(`the effect was ${String(done["effect"])}`);
        return {};
      };
    },
  };
}

function need(found: unknown, fits: (each: Record<string, unknown>) => boolean): () => Facts {
  return () => {
    const all = found as readonly (Record<string, unknown> | null)[];
    if (!all.some((each) => each && fits(each))) throw new Error(`found ${JSON.stringify(found).slice(0, 100)}`);
    return { nodes: all.length };
  };
}
