import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allTools } from "../../src/tools/registry.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = openSandbox();
});
afterEach(() => sandbox[Symbol.dispose]());

const errorOf = (stdout: string) =>
  (JSON.parse(stdout) as { error: { code: string; message: string; hint?: string } }).error;

describe("help", () => {
  test("lists every tool, the commands and the exit codes, and writes nothing to disk", async () => {
    const { code, stdout, stderr } = await sandbox.run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { name } of allTools) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    for (const name of ["mcp", "call", "desktop", "doctor", "stop", "resume"])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    for (const exit of [0, 1, 2, 3, 4, 130]) expect(stdout).toMatch(new RegExp(`^  ${exit} `, "m"));
    expect(readdirSync(sandbox.folder).flatMap((name) => readdirSync(join(sandbox.folder, name)))).toEqual([]);
  });

  test.each(["take_screenshot", "take-screenshot"])("of %s shows its arguments", async (name) => {
    const { code, stdout } = await sandbox.run([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Usage: handsight take_screenshot [mode] [options]");
    expect(stdout).toContain("--max-side <number>");
  });

  test("is a command as well", async () => {
    expect(await sandbox.run(["help"])).toEqual(await sandbox.run(["--help"]));
    expect(await sandbox.run(["help", "click"])).toEqual(await sandbox.run(["click", "--help"]));
    expect((await sandbox.run(["help", "take-screenshot"])).stdout).toContain("--max-side <number>");
  });

  test("--version prints the version only", async () => {
    expect((await sandbox.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("wrong usage ends with 2 and says what was meant", () => {
  test.each([
    [["clik"], "unknown command 'clik'", "Did you mean click?"],
    [["click", "1", "2", "--buton", "left"], "unknown option '--buton'", "Did you mean --button?"],
    [["call", "clik"], 'There is no tool "clik"', 'Did you mean "click"?'],
    [["call", "click", "buton=left"], 'unknown argument "buton"', 'Did you mean "button"?'],
    [["click", "1", "2", "3"], "too many arguments", "See: handsight click --help"],
    [["click", "--policy", "alow"], "--policy:", 'Did you mean "allow"?'],
    [["help", "clik"], 'There is no command "clik"', 'Did you mean "click"?'],
    [["take_screenshot", "--out", "a.gif"], "does not say which picture format", ".png, .jpg or .webp"],
    [["click"], "No target given.", "x + y"],
    [["press_key", "nonsense"], 'Unknown key "nonsense"', ""],
    [["desktop"], "missing required argument", "See: handsight desktop --help"],
    [["mcp", "--tools", "desktp"], 'Unknown tool set "desktp"', 'Did you mean "desktop"?'],
  ])("%j", async (args, message, hint) => {
    const { code, stdout, stderr } = await sandbox.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  test("in the environment and in the config file as well", async () => {
    const variable = await sandbox.run(["list_windows"], { env: { HANDSIGHT_POLICY: "alow" } });
    expect(variable).toMatchObject({ code: 2 });
    expect(variable.stderr).toContain("HANDSIGHT_POLICY:");
    const file = join(sandbox.folder, "c.json");
    writeFileSync(file, '{"polcy": "allow"}');
    const key = await sandbox.run(["list_windows", "--config", file]);
    expect(key).toMatchObject({ code: 2 });
    expect(key.stderr).toContain(`option "polcy" in ${file}`);
  });

  test.each([[["clik"]], [["click", "--nope"]], [["call", "clik"]], [["click", "a", "b", "--policy", "allow"]]])(
    "%j --json answers with the envelope on stdout and nothing on stderr",
    async (args) => {
      const { code, stdout, stderr } = await sandbox.run([...args, "--json"]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
      expect(errorOf(stdout)).toMatchObject({ code: "invalid_argument" });
    },
  );
});

describe("permission", () => {
  test("is refused with 3 if nobody can be asked", async () => {
    const { code, stdout } = await sandbox.run(["click", "1", "2", "--json"]);
    expect(code).toBe(3);
    expect(errorOf(stdout)).toMatchObject({
      code: "denied",
      hint: expect.stringContaining("--policy allow") as string,
    });
  });

  test("is not needed to find out what works here", async () => {
    const { code, stdout } = await sandbox.run(["capabilities", "--json"]);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, policy: "ask" });
    expect((await sandbox.run(["list_displays"])).code).toBe(3);
  });

  test("is asked for on a terminal, and no means no", async () => {
    const { code, stdout } = await sandbox.runInTerminal(["click", "1", "2"], "what?\nn\n");
    expect(stdout).toContain("Allow handsight to click?");
    expect(stdout.match(/\[n\] no: /g)).toHaveLength(2);
    expect(stdout).toContain("was refused by the person asked");
    expect(code).toBe(3);
  });

  test("given on a terminal lets the call continue, here to the missing display", async () => {
    const { code, stdout } = await sandbox.runInTerminal(["click", "1", "2"], "y\n");
    expect(stdout).not.toContain("refused");
    expect(code).toBe(4);
  });

  test("Ctrl-C at the question cancels with 130", async () => {
    const { code, stdout } = await sandbox.runInTerminal(["click", "1", "2"], "\u0003");
    expect(stdout).toContain("cancelled by Ctrl-C");
    expect(code).toBe(130);
  });
});

describe("without a display", () => {
  test("a tool ends with 4 and says so", async () => {
    const { code, stdout } = await sandbox.run(["list_windows", "--policy", "allow", "--json"]);
    expect(errorOf(stdout).code).toBe("not_connected");
    expect(code).toBe(4);
  });

  test("doctor names what is missing, and ends with 0 if a private desktop works", async () => {
    const { code, stdout } = await sandbox.run(["doctor", "--json"]);
    const diagnosis = JSON.parse(stdout) as {
      node: string;
      findings: { ability: string; status: string }[];
      usable: string[];
    };
    expect(diagnosis.node).toBe(process.versions.node);
    expect(diagnosis.findings).toContainEqual(expect.objectContaining({ ability: "connection", status: "missing" }));
    expect({ code, usable: diagnosis.usable }).toEqual({ code: 0, usable: ["private desktop"] });
    const readable = await sandbox.run(["doctor"]);
    expect(readable.stdout).toMatch(/missing\s+connection/);
    expect(readable.stdout).toContain("handsight works here on a private desktop: add --desktop virtual.");
    for (const line of readable.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  test("doctor ends with 1 if there is no private desktop either, and says how to get one", async () => {
    const { code, stdout } = await sandbox.run(["doctor"], { env: { PATH: sandbox.folder } });
    expect(code).toBe(1);
    expect(stdout).toContain("handsight has no desktop to work on.");
    expect(stdout).toContain("xvfb");
  });
});

test("a terminal that does not know its width loses nothing", async () => {
  const { stdout } = await sandbox.runInTerminal(["capabilities"], "");
  expect(stdout).toMatch(/^(?:ok|limited|missing) connection: /m);
});

describe("the emergency stop", () => {
  test("refuses input from then on, but not looking, until resumed", async () => {
    const act = () => sandbox.run(["click", "1", "2", "--policy", "allow", "--json"]);
    expect((await act()).code).toBe(4);
    expect((await sandbox.run(["stop"])).stdout).toContain('until "handsight resume"');
    const refused = await act();
    expect(refused.code).toBe(3);
    expect(errorOf(refused.stdout).message).toContain("handsight stop");
    expect((await sandbox.run(["list_windows", "--policy", "allow"])).code).toBe(4);
    expect(JSON.parse((await sandbox.run(["resume", "--json"])).stdout)).toEqual({ was_stopped: true });
    expect((await act()).code).toBe(4);
  });
});

test("an old Node is told what it lacks instead of a stack trace", async () => {
  const pretend = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.10.0"}})';
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` };
  const { code, stderr } = await sandbox.run(["--help"], { env });
  expect(code).toBe(1);
  expect(stderr).toContain("handsight needs Node 20.19 or later, or 22.12 or later; this is 20.10.0.");
});

test("a reader that leaves early is no error", async () => {
  const { code, stderr } = await sandbox.run(["--help"], { started: (child) => child.stdout?.destroy() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
