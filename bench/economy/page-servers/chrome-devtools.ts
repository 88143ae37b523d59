import type { Contender, PageAgent, Step } from "../agent.ts";
import { roleAndName } from "../known.ts";
import { pageAgent, Stale, type Aimed, type PageSpeech } from "../page-agent.ts";
import { openWire, type Wire } from "../wire.ts";
import { browserProgram, needsNoSandbox, peerFile, type PagePlace } from "./place.ts";

/** chrome-devtools-mcp: forms in one call, and the last action of a group brings the snapshot with it. */
export const chromeDevtools: Contender<PagePlace, PageAgent> = {
  name: "chrome-devtools-mcp",
  isOurs: false,
  isBatching: false,
  async start({ folder, env }) {
    const entry = peerFile("chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js");
    const quiet = ["--no-usage-statistics", "--no-performance-crux"];
    const browser = ["--headless", "--isolated", "--executablePath", await browserProgram()];
    const args = [entry, ...quiet, ...browser, ...(needsNoSandbox ? ["--chrome-arg=--no-sandbox"] : [])];
    const wire = await openWire({ command: process.execPath, args, env, folder });
    return pageAgent(wire, speak(wire));
  },
};

const inForm = (step: Step): boolean => "fill" in step || "choose" in step || "check" in step;

function speak(wire: Wire): PageSpeech {
  let pageId = 0;
  const snapshot = (): Promise<string> => wire.call("take_snapshot", { pageId });
  const open = async (url: string): Promise<void> => {
    const text =
      pageId === 0 ? await wire.call("new_page", { url }) : await wire.call("navigate_page", { pageId, url });
    pageId = Number(/^(\d+): .*\[selected\]/m.exec(text)?.[1] ?? pageId);
  };
  return {
    pattern: (target) => new RegExp(`uid=(\\S+) ${roleAndName(target)}`),
    async open(url) {
      await open(url);
      return undefined;
    },
    look: (isDetailed) => wire.call("take_snapshot", { pageId, ...(isDetailed ? { verbose: true } : {}) }),
    readPage: snapshot,
    async perform(steps) {
      let text = "";
      for (let index = 0; index < steps.length;) {
        const rest = steps.slice(index);
        const end = rest.findIndex(({ step }) => !inForm(step));
        const form = end === -1 ? rest : rest.slice(0, end);
        const taken = Math.max(1, form.length);
        const isLast = index + taken === steps.length;
        const [tool, args] = form.length > 1 ? fillForm(form) : single(rest[0] as Aimed);
        text = await wire.call(tool, { pageId, ...args, ...(isLast ? { includeSnapshot: true } : {}) });
        if (/did not become interactive|not found in (?:the )?snapshot|stale/i.test(text)) throw new Stale(index, text);
        if (text.startsWith("Error")) throw new Error(text.slice(0, 300));
        index += taken;
      }
      return { text, says: "page" };
    },
    async confirm(uid) {
      await wire.call("click", { pageId, uid });
      await wire.call("handle_dialog", { pageId, action: "accept" });
      return { text: "", says: "nothing" };
    },
    // It has no search; the snapshot is what its documentation offers.
    async find(url) {
      await open(url);
      return snapshot();
    },
  };
}

type Call = readonly [tool: string, args: Record<string, unknown>];

const valueOf = (step: Step): string => ("fill" in step ? step.text : "choose" in step ? step.option : "true");

const fillForm = (form: readonly Aimed[]): Call => [
  "fill_form",
  { elements: form.map(({ step, ref: uid }) => ({ uid, value: valueOf(step) })) },
];

function single({ step, ref: uid }: Aimed): Call {
  if ("type" in step || "hold" in step) throw new Error("no job on a page types without a field");
  if ("press" in step) return ["press_key", { key: step.press }];
  if ("click" in step) return ["click", { uid }];
  return ["fill", { uid, value: valueOf(step) }];
}
