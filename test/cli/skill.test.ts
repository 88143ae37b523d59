import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { findProblems, type Ending } from "../../src/tasks/check.ts";
import { homeEnvironment, makeHome, openFolder } from "../../src/tasks/home.ts";
import { servePages } from "../../src/tasks/page-server.ts";
import { startProgram } from "../../src/tasks/program.ts";
import { readTasks } from "../../src/tasks/read.ts";
import { isPage } from "../../src/tasks/task.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";

const skill = readFileSync(join(import.meta.dirname, "../../skills/handsight/SKILL.md"), "utf8");
const folder = join(import.meta.dirname, "../../bench/tasks");
const tasks = readTasks(folder);

/** The commands of the skill, as it writes them, each with the flags it ever shows. */
const taught = new Map<string, Set<string>>();
for (const [form] of skill.matchAll(/(?<=`)[^`\n]+(?=`)|(?<=^ {4,})handsight .*(?=$)/gm)) {
  const [first = "", ...words] = form.replace(/^handsight /, "").split(/\s+/);
  if (!/^[a-z_]+$/.test(first)) continue;
  const flags = taught.get(first) ?? new Set();
  for (const word of words) if (word.startsWith("--")) flags.add(word);
  taught.set(first, flags);
}

/**
 * An agent that knows nothing but the skill: it runs only commands and flags that are written there, finds elements in what they
 * print by `role "name" uid`, and goes on only after `confirmed`.
 */
class ScriptedAgent {
  readonly #run: (args: readonly string[]) => Promise<{ readonly code: number | null; stdout: string; stderr: string }>;
  readonly #where: readonly string[];
  #seen = "";

  constructor(run: ScriptedAgent["run"], surface?: string) {
    this.#run = run;
    this.#where = surface === undefined ? [] : ["--surface", surface];
  }

  get run() {
    return this.#run;
  }

  async #command(...words: readonly string[]): Promise<string> {
    const [name = ""] = words;
    const flags = taught.get(name);
    if (!flags) throw new Error(`the skill does not teach ${name}`);
    const end = words.includes("--") ? words.indexOf("--") + 1 : words.length;
    for (const word of words.slice(0, end))
      if (word.startsWith("--") && !flags.has(word) && word !== "--surface")
        throw new Error(`the skill does not teach ${name} ${word}`);
    const { code, stdout, stderr } = await this.#run(words);
    if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
    return stdout;
  }

  async #act(...words: readonly string[]): Promise<void> {
    const said = await this.#command(...words);
    if (!/^(?:<screen-data \w+> )?confirmed\b/.test(said)) throw new Error(`${words.join(" ")}: ${said}`);
    // New elements come with uids to use at once.
    this.#seen += said;
  }

  #find(role: string, name: string): string | undefined {
    // A field without a name belongs to the text beside it; this form has it below.
    const [, beside] = new RegExp(`\\b${role} ([ad]\\d+(?:g\\d+)?).*\\n +text "${name}:?"`).exec(this.#seen) ?? [];
    if (name !== "" && beside !== undefined) return beside;
    const quoted = name === "" ? '(?:"[^"]*" )?' : `"${name}[^"]*" `;
    return new RegExp(`\\b${role} ${quoted}([ad]\\d+(?:g\\d+)?)`).exec(this.#seen)?.[1];
  }

  async #uid(role: string, name: string): Promise<string> {
    const known = this.#find(role, name);
    if (known !== undefined) return known;
    this.#seen = await this.#command("take_ax_snapshot", ...this.#where);
    const found = this.#find(role, name);
    if (found === undefined) throw new Error(`there is no ${role} "${name}" in:\n${this.#seen}`);
    return found;
  }

  /** Acts on an element; if it is not that one any more, on what a new snapshot shows instead. */
  async #actOn(role: string, name: string, words: (uid: string) => readonly string[]): Promise<void> {
    try {
      await this.#act(...words(await this.#uid(role, name)));
    } catch (error) {
      // An error about an element that was drawn anew may also name the new one.
      if (!/take a new snapshot|is gone\./i.test((error as Error).message)) throw error;
      this.#seen = "";
      await this.#act(...words(await this.#uid(role, name)));
    }
  }

  readonly click = (role: string, name: string) => this.#actOn(role, name, (uid) => ["click", "--uid", uid]);
  readonly type = (role: string, name: string, text: string) =>
    this.#actOn(role, name, (uid) => ["type_text", "--uid", uid, ...(text.startsWith("-") ? ["--", text] : [text])]);
  readonly set = (role: string, name: string, text: string) =>
    this.#actOn(role, name, (uid) => ["ax_set_value", "--uid", uid, text]);
  readonly fill = (role: string, name: string, text: string) =>
    this.#actOn(role, name, (uid) => ["cdp_fill", "--uid", uid, text]);
  readonly press = (key: string) => this.#command("press_key", key);
  readonly awaitWindow = async (title: string) => {
    await this.#command("wait_for", "--window-title", title);
    this.#seen = "";
  };
}

/** How each job is done. */
const jobs: Readonly<Record<string, (agent: ScriptedAgent) => Promise<unknown>>> = {
  async "mousepad-new-note"({ type, press, awaitWindow, set, click }) {
    await type("textbox", "", "Buy milk and bread");
    await press("ctrl+s");
    await awaitWindow("Save");
    await set("textbox", "Name", "shopping.txt");
    await click("button", "Save");
  },
  async "mousepad-add-line"({ press, type }) {
    await press("ctrl+End");
    await type("textbox", "", "- sugar");
    await press("ctrl+s");
  },
  async "mousepad-uppercase"({ press, click }) {
    await press("ctrl+a");
    await click("menu", "Edit");
    await click("menu", "Convert");
    await click("menuitem", "To Uppercase");
    await press("ctrl+s");
  },
  async "featherpad-add-line"({ press, type }) {
    await press("ctrl+End");
    await type("textbox", "", "Tuesday: sun");
    await press("ctrl+s");
  },
  async "yad-form"({ type, click }) {
    await type("textbox", "Name", "Ada Lovelace");
    await type("textbox", "City", "London");
    await type("textbox", "Email", "ada@example.org");
    await click("checkbox", "Newsletter");
    await click("button", "Save");
  },
  "yad-cancel": ({ click }) => click("button", "Cancel"),
  async "page-signup"({ fill, click }) {
    await fill("textbox", "Email", "ada@example.org");
    await click("button", "Next");
    await click("radio", "Team");
    await click("button", "Next");
    await click("checkbox", "I agree");
    await click("button", "Finish");
  },
  async "page-todo-add"({ fill, click }) {
    await fill("textbox", "New item", "Call the dentist");
    await click("button", "Add");
    await fill("textbox", "New item", "Buy stamps");
    await click("button", "Add");
  },
  async "page-todo-finish"({ click }) {
    await click("checkbox", "Pay the rent");
    await click("button", "Remove Water the plants");
  },
  async "page-order-tea"({ fill, click }) {
    await fill("textbox", "Your name", "Ada Lovelace");
    await fill("combobox", "Tea", "Sencha");
    await fill("spinbutton", "Cups", "3");
    await click("checkbox", "Gift wrap");
    await click("radio", "Express");
    await click("button", "Place order");
  },
};

/** Where the windows and elements of a desktop are. */
const displayOf = ({ DISPLAY, DBUS_SESSION_BUS_ADDRESS }: NodeJS.ProcessEnv) => ({ DISPLAY, DBUS_SESSION_BUS_ADDRESS });

const taskOf = (id: string) => {
  const task = tasks.find((each) => each.id === id);
  if (!task) throw new Error(`there is no task ${id}`);
  return task;
};

const nothing: Omit<Ending, "home"> = {
  page: () => undefined,
  output: () => "",
  exitCode: () => undefined,
  windows: async () => [],
  clipboard: async () => "",
};

async function untilRight(id: string, ending: Ending): Promise<void> {
  let problems: readonly string[] = ["not looked at"];
  const isRight = async () => {
    problems = await findProblems(taskOf(id).check, ending);
    return problems.length === 0 ? true : undefined;
  };
  await poll(isRight, { timeoutMs: 5_000, everyMs: 100 });
  expect(problems).toEqual([]);
}

describe("an agent that only knows the skill does", () => {
  let sandbox: Sandbox;
  const env = { HANDSIGHT_SESSION: "", HANDSIGHT_POLICY: "allow" };
  beforeAll(() => {
    sandbox = openSandbox();
  });
  afterAll(async () => {
    await sandbox.run(["session", "stop", "--all"], { env });
    sandbox[Symbol.dispose]();
  });

  test.each(Object.keys(jobs).filter((id) => !isPage(taskOf(id).open)))("%s", async (id) => {
    const { open, files } = taskOf(id);
    if (isPage(open)) throw new Error("a page");
    using own = openFolder();
    const home = join(own.path, "home");
    makeHome(home, files);
    await using desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
    const appEnv = homeEnvironment(desktop.env, home);
    const args = open.args.map((word) => word.replaceAll("{home}", home));
    using program = await startProgram(open.program, args, {
      env: appEnv,
      folder: home,
      outputFile: join(own.path, "output"),
    });
    const here = { ...appEnv, ...sandbox.env, ...displayOf(desktop.env), ...env };
    const agent = new ScriptedAgent((words) => sandbox.run(words, { env: here }));
    const isReady = async () => ((await agent.run(["take_ax_snapshot"])).stdout.includes("a1g") ? true : undefined);
    await poll(isReady, { timeoutMs: 20_000, everyMs: 200 });
    await jobs[id]?.(agent);
    await untilRight(id, { ...nothing, home, output: program.output, exitCode: program.exitCode });
  });

  describe("on pages:", () => {
    const run = (words: readonly string[]) => sandbox.run(words, { env });

    test.each(Object.keys(jobs).filter((id) => isPage(taskOf(id).open)))("%s", async (id) => {
      const { open } = taskOf(id);
      if (!isPage(open)) throw new Error("not a page");
      await using served = await servePages(join(folder, "pages"));
      expect(await run(["open", "--desktop", "virtual"])).toMatchObject({ code: 0 });
      const { stdout } = await run(["cdp_launch", `${served.url}/${open.page}`]);
      const agent = new ScriptedAgent(run, /page:\d+/.exec(stdout)?.[0] ?? "");
      await jobs[id]?.(agent);
      await untilRight(id, { ...nothing, home: "/", page: served.state });
      await run(["cdp_close"]);
    });
  });
});

describe("the skill", () => {
  test("is short and says when to use it", () => {
    expect(skill.length / 4).toBeLessThan(1_500);
    expect(skill).toMatch(/^---\nname: handsight\ndescription: .{50,}\n---\n/);
    expect(taught.size).toBeGreaterThan(15);
  });

  test.each([
    ["codex", {}, "home/.codex"],
    ["codex", { CODEX_HOME: "elsewhere" }, "elsewhere"],
    ["claude", { CLAUDE_CONFIG_DIR: "elsewhere" }, "elsewhere"],
    ["cursor", {}, "home/.cursor"],
    ["gemini", {}, "home/.gemini"],
    ["agents", {}, "home/.agents"],
  ])("is put where %s looks (%o)", async (client, variables: Readonly<Record<string, string>>, folder) => {
    using sandbox = openSandbox();
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, join(sandbox.folder, value)]),
    );
    const file = join(sandbox.folder, folder, "skills", "handsight", "SKILL.md");
    await sandbox.run(["skill", "install", client], { env });
    expect(readFileSync(file, "utf8")).toBe(skill);
    await sandbox.run(["skill", "install", client, "--remove"], { env });
    expect(existsSync(file)).toBe(false);
  });

  test("is printed, installed for a client and taken away", async () => {
    using sandbox = openSandbox();
    expect((await sandbox.run(["skill"])).stdout).toBe(skill);
    mkdirSync(join(sandbox.folder, "home", ".claude"));
    const file = join(sandbox.folder, "home", ".claude", "skills", "handsight", "SKILL.md");
    expect((await sandbox.run(["skill", "install"])).stdout).toBe(`wrote ${file}\n`);
    expect(readFileSync(file, "utf8")).toBe(skill);
    expect((await sandbox.run(["skill", "install", "claude"])).stdout).toBe(`up to date: ${file}\n`);
    expect((await sandbox.run(["skill", "install", "--remove"])).stdout).toBe(`removed ${file}\n`);
    expect(existsSync(file)).toBe(false);
    expect(await sandbox.run(["skill", "install", "nobody"])).toMatchObject({ code: 2 });
  });
});
