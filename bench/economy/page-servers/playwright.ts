import type { Contender, PageAgent, Step } from "../agent.ts";
import { roleAndName } from "../known.ts";
import { pageAgent, Stale, type Aimed, type PageSpeech } from "../page-agent.ts";
import { openWire, type Wire } from "../wire.ts";
import { browserProgram, needsNoSandbox, peerFile, type PagePlace } from "./place.ts";

/** @playwright/mcp as it comes: a snapshot is a tool of its own, and forms are filled in one call. */
export const playwright = contender("@playwright/mcp", false, speak);

/** With its tool for code: a model writes the steps by role and name, and returns what it wants to read. */
export const playwrightCode = contender("@playwright/mcp, run_code", true, speakCode);

function contender(
  name: string,
  isBatching: boolean,
  speech: (wire: Wire) => PageSpeech,
): Contender<PagePlace, PageAgent> {
  return {
    name,
    isOurs: false,
    isBatching,
    async start({ folder, env }) {
      const browser = ["--browser", "chromium", "--executable-path", await browserProgram()];
      const args = ["--headless", "--isolated", ...browser, ...(needsNoSandbox ? ["--no-sandbox"] : [])];
      const entry = peerFile("@playwright", "mcp", "cli.js");
      const wire = await openWire({ command: process.execPath, args: [entry, ...args], env, folder });
      return pageAgent(wire, speech(wire));
    },
  };
}

const inForm = (step: Step): boolean => "fill" in step || "choose" in step || "check" in step;

function speak(wire: Wire): PageSpeech {
  const snapshot = (): Promise<string> => wire.call("browser_snapshot");
  const nothing = { text: "", says: "nothing" } as const;
  return {
    pattern: (target) => new RegExp(`${roleAndName(target)}[^\\n]*?\\[ref=(\\w+)\\]`),
    async open(url) {
      await wire.call("browser_navigate", { url });
      return undefined;
    },
    look: snapshot,
    readPage: snapshot,
    async perform(steps) {
      for (let index = 0; index < steps.length;) {
        const rest = steps.slice(index);
        const end = rest.findIndex(({ step }) => !inForm(step));
        const form = end === -1 ? rest : rest.slice(0, end);
        const taken = form.length > 1 ? form : rest.slice(0, 1);
        const [tool, args] = form.length > 1 ? fillForm(form) : single(rest[0] as Aimed);
        const text = await wire.call(tool, args);
        if (/not found in the current page snapshot/.test(text)) throw new Stale(index, text);
        if (text.startsWith("### Error")) throw new Error(text.slice(0, 300));
        index += taken.length;
      }
      return nothing;
    },
    async confirm(target) {
      await wire.call("browser_click", { element: "button", target });
      await wire.call("browser_handle_dialog", { accept: true });
      return nothing;
    },
    async find(url, text) {
      await wire.call("browser_navigate", { url });
      return wire.call("browser_find", { text });
    },
  };
}

type Call = readonly [tool: string, args: Record<string, unknown>];

function single({ step, ref: target }: Aimed): Call {
  if ("type" in step || "hold" in step) throw new Error("no job on a page types without a field");
  if ("press" in step) return ["browser_press_key", { key: step.press }];
  if ("fill" in step) return ["browser_type", { element: step.fill.name, target, text: step.text }];
  if ("choose" in step) return ["browser_select_option", { element: step.choose.name, target, values: [step.option] }];
  const { name } = "check" in step ? step.check : step.click;
  return ["browser_click", { element: name, target }];
}

const fillForm = (form: readonly Aimed[]): Call => [
  "browser_fill_form",
  {
    fields: form.map(({ step, ref: target }) => {
      if ("choose" in step) return { target, name: step.choose.name, type: "combobox", value: step.option };
      if ("check" in step) return { target, name: step.check.name, type: step.check.role ?? "checkbox", value: "true" };
      if ("fill" in step) return { target, name: step.fill.name, type: "textbox", value: step.text };
      throw new Error("not a field");
    }),
  },
];

function speakCode(wire: Wire): PageSpeech {
  const run = async (code: string): Promise<string> => {
    const text = await wire.call("browser_run_code_unsafe", { code: `async (page) => { ${code} }` });
    if (text.startsWith("### Error")) throw new Error(text.slice(0, 300));
    // What the model reads is a JSON string; it reads it as text.
    return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
  };
  const tree = "return await page.locator('body').ariaSnapshot();";
  const main = (wanted: RegExp | undefined): string =>
    `return await page.locator('main').${wanted ? "innerText" : "ariaSnapshot"}();`;
  return {
    // A name that was read is all that the code needs, except in a frame.
    pattern: (target) => new RegExp(`(${roleAndName(target)}(?:[^\\n]*?\\[ref=\\w+\\])?)`),
    open: (url, wanted) => run(`await page.goto('${url}'); ${wanted ? main(wanted) : tree}`),
    look: () => wire.call("browser_snapshot"),
    readPage: () => run(main(undefined)),
    perform: async (steps, wanted) => ({
      text: await run(`${steps.map(inCode).join(" ")} ${main(wanted)}`),
      says: "page",
    }),
    async confirm(ref) {
      const text = await run(`page.once('dialog', d => d.accept()); ${clickCode(ref)} ${main(/./)}`).catch(
        async (error: unknown) => {
          // Its tool sees the dialog before the code has answered it, and asks for the tool that answers dialogs.
          if (!/modal state/.test(String(error))) throw error;
          return wire.call("browser_handle_dialog", { accept: true });
        },
      );
      return { text, says: "page" };
    },
    find: async (url, words) =>
      run(`await page.goto('${url}'); return await page.getByText('${words}').allInnerTexts();`),
  };
}

/** As a person would write it: fields by their label, the rest by role, what is in a frame by its ref. */
function locator(listed: string, isField: boolean): string {
  const [, role = "", name = ""] = /^(\S+) "(.*?)[ :]*"/.exec(listed) ?? [];
  const [, inFrame] = /\[ref=(f\w+)\]/.exec(listed) ?? [];
  if (inFrame !== undefined) return `page.locator('aria-ref=${inFrame}')`;
  return isField
    ? `page.getByLabel('${name}', { exact: true })`
    : `page.getByRole('${role}', { name: '${name}', exact: true })`;
}

const clickCode = (listed: string): string => `await ${locator(listed, false)}.click();`;

function inCode({ step, ref }: Aimed): string {
  if ("type" in step || "hold" in step) throw new Error("no job on a page types without a field");
  if ("press" in step) return `await page.keyboard.press('${step.press}');`;
  const field = locator(ref, true);
  if ("fill" in step) return `await ${field}.fill('${step.text}');`;
  if ("choose" in step) return `await ${locator(ref, false)}.selectOption('${step.option}');`;
  return "check" in step ? `await ${locator(ref, false)}.check();` : clickCode(ref);
}
