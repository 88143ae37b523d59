import { join } from "node:path";
import type { Contender, PageAgent } from "../agent.ts";
import { need, roleAndName } from "../known.ts";
import { pageAgent, Stale, type Aimed, type PageSpeech } from "../page-agent.ts";
import { toSteps } from "../run-steps.ts";
import { openWire, type Wire } from "../wire.ts";
import type { PagePlace } from "./place.ts";

/** handsight; what an action changed is in its answer. One call for each step, or run_steps for those seen together. */
export const handsight = (name: string, build: string, isBatching = false): Contender<PagePlace, PageAgent> => ({
  name,
  isOurs: true,
  isBatching,
  async start({ folder, env }) {
    const quiet = ["--policy", "allow", "--journal", "off", "--browser-dir", join(folder, "browser")];
    const args = [join(build, "dist", "main.js"), "mcp", ...quiet];
    const wire = await openWire({ command: process.execPath, args, env, folder });
    return pageAgent(wire, speak(wire, isBatching));
  },
});

function speak(wire: Wire, isBatching: boolean): PageSpeech {
  let surface = "";
  // Earlier builds list every tool. Now those for pages are reached by call_tool, and the general ones do the same.
  const hasPageTools = wire.tools.includes("cdp_fill");
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const text = await (wire.tools.includes(tool)
      ? wire.call(tool, args)
      : wire.call("call_tool", { name: tool, input: args }));
    // Earlier builds answered in JSON, which a model reads as text, too.
    return text.startsWith("{") || text.includes('\n{"') ? text.replaceAll("\\n", "\n").replaceAll('\\"', '"') : text;
  };
  // What a first look needs is asked for with the opening, where the build has that.
  const observes = wire.takes("cdp_launch", "observe");
  const launching = { headless: true, ...(observes ? { observe: "snapshot" } : {}) };
  let latest: string | undefined;
  const heard = (text: string): string => {
    latest = /\bsnapshot (g\d+)/.exec(text)?.[1] ?? latest;
    return text;
  };
  const snapshot = async (since: string | undefined): Promise<string> => {
    if (hasPageTools) return call("cdp_take_dom_snapshot");
    return heard(await call("take_ax_snapshot", { surface, ...(since === undefined ? {} : { since }) }));
  };
  const open = async (url: string, looks: boolean): Promise<string> => {
    if (surface !== "") return heard(await call("cdp_navigate", { url, ...(looks ? { observe: "snapshot" } : {}) }));
    const text = heard(await call("cdp_launch", { url, ...(looks ? launching : { headless: true }) }));
    surface = need(/\bpage:\d+/.exec(text)?.[0], "the page");
    return text;
  };
  return {
    // "d2 textbox "Name"" or "textbox "Name" d2" in a listing, the latter among changes, too.
    pattern: (target) => new RegExp(`^(?=.*\\b(d\\d+)\\b).*${roleAndName(target)}`, "m"),
    async open(url) {
      const text = await open(url, true);
      return observes ? text : undefined;
    },
    look: () => snapshot(undefined),
    readPage: () => snapshot(observes ? latest : undefined),
    async perform(steps) {
      const isWorth = isBatching && steps.length > 1;
      if (isWorth) return { text: await call("run_steps", { surface, steps: toSteps(steps) }), says: "changes" };
      const texts: string[] = [];
      for (const [index, aimed] of steps.entries()) {
        const [tool, args] = single(aimed, { hasPageTools, looks: !hasPageTools && !isBatching });
        const text = heard(await call(tool, args));
        if (/snapshot_expired|uid_not_found/.test(text)) throw new Stale(index, text, /^There is .*/m.exec(text)?.[0]);
        texts.push(text);
      }
      return { text: texts.toReversed().join("\n"), says: "changes" };
    },
    async confirm(uid) {
      const first = await call(hasPageTools ? "cdp_click" : "click", { uid });
      const text = await call("cdp_handle_dialog", { action: "accept" });
      return { text: `${text}\n${first}`, says: "changes" };
    },
    async find(url, words) {
      if (isBatching) return call("run_steps", { steps: [{ open: url }, { read: words }] });
      await open(url, false);
      return hasPageTools ? call("cdp_find_elements", { query: words }) : call("find_text", { text: words, surface });
    },
  };
}

interface Manner {
  readonly hasPageTools: boolean;
  /** Refs to elements that both pages have end with the first one. */
  readonly looks: boolean;
}

function single(
  { step, ref: uid }: Aimed,
  { hasPageTools, looks }: Manner,
): readonly [string, Record<string, unknown>] {
  const fill = hasPageTools ? "cdp_fill" : "ax_set_value";
  if ("type" in step || "hold" in step) throw new Error("no job on a page types without a field");
  if ("press" in step) return [hasPageTools ? "cdp_press_key" : "press_key", { key: step.press }];
  if ("fill" in step) return [fill, { uid, value: step.text }];
  if ("choose" in step) return [fill, { uid, value: step.option }];
  if ("check" in step && hasPageTools) return [fill, { uid, value: "true" }];
  const observe = "click" in step && step.leads && looks ? { observe: "snapshot" } : {};
  return [hasPageTools ? "cdp_click" : "click", { uid, ...observe }];
}
