import { readFileSync } from "node:fs";
import type { Contender, PageAgent, Step } from "../agent.ts";
import { roleAndName } from "../known.ts";
import { pageAgent, type Aimed, type PageSpeech } from "../page-agent.ts";
import { openCommandLine, type Wire } from "../wire.ts";
import { browserProgram, needsNoSandbox, peerFile, type PagePlace } from "./place.ts";

/** agent-browser by its commands, which its own guide teaches first and which answer shorter than its MCP tools. */
export const agentBrowser = contender("agent-browser", false);
export const agentBrowserBatch = contender("agent-browser, batch", true);

let sessions = 0;

function contender(name: string, isBatching: boolean): Contender<PagePlace, PageAgent> {
  return {
    name,
    isOurs: false,
    isBatching,
    async start({ folder, env }) {
      const guide = readFileSync(peerFile("agent-browser", "skill-data", "core", "SKILL.md"), "utf8");
      const own: NodeJS.ProcessEnv = {
        ...env,
        AGENT_BROWSER_EXECUTABLE_PATH: await browserProgram(),
        AGENT_BROWSER_SESSION: `economy-${process.pid}-${++sessions}`,
        ...(needsNoSandbox ? { AGENT_BROWSER_ARGS: "--no-sandbox" } : {}),
      };
      const command = peerFile("agent-browser", "bin", `agent-browser-linux-${process.arch}`);
      const wire = openCommandLine({ command, env: own, folder }, guide);
      return pageAgent(wire, speak(wire, isBatching));
    },
  };
}

function speak(wire: Wire, isBatching: boolean): PageSpeech {
  const run = (words: readonly string[]): Promise<string> => wire.call("agent-browser", { words });
  const look = ["snapshot", "-i"];
  const readMain = ["get", "text", "main"];
  const all = async (commands: readonly (readonly string[])[]): Promise<string> => {
    if (isBatching)
      return needDone(await run(["batch", "--bail", ...commands.map((each) => each.map(quoted).join(" "))]));
    let text = "";
    for (const command of commands) text = needDone(await run(command));
    return text;
  };
  const after = (wanted: RegExp | undefined) => (wanted ? readMain : look);
  return {
    pattern: (target) => new RegExp(`${roleAndName(target)} \\[[^\\]\\n]*?ref=(e\\d+)`),
    open: (url, wanted) => all([["open", url], after(wanted)]),
    // The list of what is interactive has the parts of a date, which take no value: a script is what is left.
    missing: ({ role, name }) => (isField(role) ? `label ${name}` : undefined),
    look: () => run(look),
    // What is in a shadow tree is not in the text of the elements around it.
    readPage: () => run(["snapshot"]),
    perform: async (steps, wanted) => ({ text: await all([...steps.map(command), after(wanted)]), says: "page" }),
    confirm: async (ref) => ({ text: await all([["click", `@${ref}`], ["dialog", "accept"], readMain]), says: "page" }),
    find: (url, words) =>
      all([
        ["open", url],
        ["find", "text", words, "text"],
      ]),
    close: async () => void (await run(["close"])),
  };
}

const isField = (role = ""): boolean => role.startsWith("(?!");

const setByLabel = (label: string, value: string): string =>
  `[...document.querySelectorAll('label')].find(l => l.textContent.trim() === '${label}').control.value = '${value}'`;

const quoted = (word: string): string => (/^[\w@:/.-]+$/.test(word) ? word : `"${word}"`);

function needDone(text: string): string {
  if (/^✗/m.test(text)) throw new Error(text.slice(0, 300));
  return text;
}

function command({ step, ref }: Aimed): readonly string[] {
  const at = `@${ref}`;
  if ("type" in step || "hold" in step) throw new Error("no job on a page types without a field");
  if ("press" in step) return ["press", step.press];
  const [, label] = /^label (.*)/.exec(ref) ?? [];
  if (label !== undefined && "fill" in step) return ["eval", setByLabel(label, step.text)];
  if ("fill" in step) return ["fill", at, step.text];
  if ("choose" in step) return ["select", at, step.option];
  return [verbOf(step), at];
}

const verbOf = (step: Extract<Step, { check: unknown } | { click: unknown }>): string =>
  "check" in step ? "check" : "click";
