import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  clipboard,
  judgeCells,
  Outside,
  pixels,
  press,
  type,
  type Cell,
  type Stage,
} from "../test/support/truth/cells.ts";
import type { Group } from "./group.ts";
import { productEntry, startServer } from "./mcp-client.ts";
import { messageOf } from "./measure.ts";
import { root } from "./paths.ts";
import type { Verdict } from "./report.ts";
import { openDesktop } from "./scene.ts";

interface Program {
  readonly name: string;
  readonly title: string;
  readonly command: (folder: string) => Promise<readonly string[]>;
  readonly cells: readonly Cell[];
}

const click =
  (target: Record<string, unknown>) =>
  ({ handsight, windowId }: Stage) =>
    handsight.call("click", { window_id: windowId, ...target });

const atk = "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper";
const catalogue = ["one", "two", "three"].map((id) => `msgid "${id}"\nmsgstr ""\n`).join("\n");

/** Programs that take too long to install or start for the tests. */
const programs: readonly Program[] = [
  {
    name: "LibreOffice Calc",
    title: "LibreOffice Calc",
    command: async (folder) => [
      "soffice",
      "--calc",
      "--norestore",
      "--nologo",
      `-env:UserInstallation=file://${folder}`,
    ],
    cells: [
      { name: "typing and Enter", act: type("12\n"), look: pixels },
      { name: "to the first cell", act: press("ctrl+Home"), look: pixels },
      { name: "to the first cell again", act: press("ctrl+Home"), look: pixels },
      { name: "copying", act: press("ctrl+c"), look: clipboard },
    ],
  },
  {
    name: "poedit (wxWidgets)",
    title: "Poedit",
    command: async (folder) => {
      const file = join(folder, "words.po");
      await writeFile(
        file,
        `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: de\\n"\n\n${catalogue}`,
      );
      return ["poedit", file];
    },
    cells: [
      { name: "choosing a row", act: click({ text: "three" }), look: pixels },
      { name: "choosing another", act: click({ text: "two" }), look: pixels },
    ],
  },
  {
    name: "Java Swing",
    title: "Swing Controls",
    command: async () => [
      "java",
      atk,
      "-cp",
      "/usr/share/java/java-atk-wrapper.jar",
      join(root, "test/fixtures/SwingControls.java"),
    ],
    cells: [
      { name: "a dead key", act: press("F9"), look: pixels },
      { name: "a button that counts", act: click({ selector: "Button:Live" }), look: pixels },
      { name: "a row", act: click({ text: "Row 2" }), look: pixels },
      { name: "a tick", act: click({ selector: "CheckBox:Tick" }), look: pixels },
    ],
  },
];

/** What handsight reports of actions on real programs, against what other programs see. */
export const truth: Group = async ({ tell }) => {
  const verdicts: Verdict[] = [];
  for (const program of programs) {
    tell(program.name);
    verdicts.push(await judgeProgram(program).catch((error: unknown) => notMeasured(program, messageOf(error))));
  }
  return [{ title: "Effects on real programs: reported = true", rows: [], verdicts }];
};

const notMeasured = ({ name }: Program, figure: string): Verdict => ({ target: name, figure, state: "not measured" });

async function judgeProgram({ name, title, command, cells }: Program): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-truth-"));
  await using desktop = await openDesktop();
  const [file = "", ...args] = await command(folder);
  const child = spawn(file, args, { env: { ...desktop.env, HOME: folder }, stdio: "ignore" });
  const ended = Promise.race([once(child, "exit"), once(child, "error")]);
  const server = await startServer(productEntry, ["mcp", "--policy", "allow", "--journal", "off"], desktop.env);
  try {
    const call = async (tool: string, input?: unknown) =>
      (await server.ask(tool, (input ?? {}) as Record<string, unknown>)).data;
    const { window } = await call("wait_for", { window_title: title, timeout_ms: 60_000 });
    const { window_id: windowId } = window as { window_id: number };
    await call("wait_for", { condition: "stable", quiet_ms: 1_000, timeout_ms: 20_000 }).catch(() => undefined);
    const judged = await judgeCells({ handsight: { call }, outside: new Outside(desktop.env), windowId }, cells);
    const wrong = judged.filter(({ told, truth: isTrue }) => told !== isTrue);
    const named = wrong.map((each) => `; ${each.name}: ${each.told}, true ${each.truth}`).join("");
    const figure = `${judged.length - wrong.length} of ${judged.length}${named}`;
    return { target: name, figure, state: wrong.length === 0 ? "met" : "MISSED" };
  } finally {
    await server.close();
    child.kill("SIGKILL");
    await ended.catch(() => undefined);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
