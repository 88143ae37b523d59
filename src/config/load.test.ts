import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ToolError, type ErrorEnvelope } from "../base/errors.ts";
import { loadConfig, type LoadInput } from "./load.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "handsight-config-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function load({ flags, env, file }: LoadInput & { readonly file?: unknown }) {
  if (file !== undefined) {
    mkdirSync(join(home, ".config", "handsight"), { recursive: true });
    writeFileSync(standardFile(), typeof file === "string" ? file : JSON.stringify(file));
  }
  return loadConfig({ flags: flags ?? {}, env: { HOME: home, ...env }, cwd: home });
}

const standardFile = (): string => join(home, ".config", "handsight", "config.json");

function refusal(input: LoadInput & { readonly file?: unknown }): ErrorEnvelope["error"] {
  try {
    load(input);
  } catch (error) {
    if (error instanceof ToolError) return error.toEnvelope().error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("precedence", () => {
  test("without any settings the defaults hold [S1-98]", () => {
    expect(load({})).toEqual({
      tools: ["default"],
      answers: "text",
      approvalPage: true,
      desktop: "real",
      session: undefined,
      sessionIdle: 30,
      size: { width: 1920, height: 1080 },
      monitors: 1,
      scale: 1,
      settleMs: 1000,
      ocr: true,
      overlay: false,
      http: undefined,
      host: "127.0.0.1",
      token: undefined,
      allowedHosts: [],
      allowedOrigins: [],
      maxSide: undefined,
      maxImageBytes: 900_000,
      journal: true,
      browserDir: join(home, ".local", "state", "handsight", "browser"),
      runsDir: join(home, ".local", "state", "handsight", "runs"),
      runsKeepDays: 14,
      runsKeepMb: 500,
      logLevel: "warn",
      logFile: undefined,
      maxSteps: 25,
      maxTime: 120,
      minConfidence: 0.5,
    });
  });

  test("the file beats the default, a variable the file, a flag the variable", () => {
    const file = { monitors: 2, scale: 2, policy: "allow" };
    const env = { HANDSIGHT_SCALE: "3", HANDSIGHT_POLICY: "ask" };
    const flags = { policy: "observe-only" };
    expect(load({ file, env, flags })).toMatchObject({ monitors: 2, scale: 3, policy: "observe-only" });
  });

  test("an empty variable counts as unset", () => {
    expect(load({ env: { HANDSIGHT_POLICY: "" } }).policy).toBeUndefined();
  });

  test("the file can be named by variable and by flag, and the flag wins", () => {
    writeFileSync(join(home, "a.json"), '{"monitors": 3}');
    writeFileSync(join(home, "b.json"), '{"monitors": 4}');
    const env = { HANDSIGHT_CONFIG: "a.json" };
    expect(load({ env }).monitors).toBe(3);
    expect(load({ env, flags: { config: "b.json" } }).monitors).toBe(4);
  });
});

describe("values", () => {
  test("text becomes numbers, lists, switches and sizes", () => {
    const env = {
      HANDSIGHT_TOOLS: "desktop, vision,",
      HANDSIGHT_HTTP: "0",
      HANDSIGHT_JOURNAL: "off",
      HANDSIGHT_SIZE: "1280x800",
      HANDSIGHT_RUNS_KEEP_DAYS: "0.5",
    };
    expect(load({ env })).toMatchObject({
      tools: ["desktop", "vision"],
      http: 0,
      journal: false,
      size: { width: 1280, height: 800 },
      runsKeepDays: 0.5,
    });
  });

  test("a path in the file is relative to the file, a path in a flag to the working directory", () => {
    const config = load({ file: { runsDir: "runs" }, flags: { logFile: "log.txt" } });
    expect(config.runsDir).toBe(join(home, ".config", "handsight", "runs"));
    expect(config.logFile).toBe(join(home, "log.txt"));
  });

  test("relative XDG folders are ignored", () => {
    expect(load({ env: { XDG_STATE_HOME: "state" } }).runsDir).toBe(join(home, ".local/state/handsight/runs"));
    expect(load({ env: { XDG_STATE_HOME: join(home, "s") } }).runsDir).toBe(join(home, "s/handsight/runs"));
  });

  test("the result cannot be changed, all the way down", () => {
    const config = load({ flags: { tools: "core" } });
    expect(Object.isFrozen(config) && Object.isFrozen(config.size) && Object.isFrozen(config.tools)).toBe(true);
  });
});

describe("refusals name the place and the nearest valid name", () => {
  test.each([
    ["a key", { file: { polcy: "ask" } }, 'option "polcy" in', "Did you mean policy?"],
    ["a variable", { env: { HANDSIGHT_POLCY: "ask" } }, "variable HANDSIGHT_POLCY", "Did you mean HANDSIGHT_POLICY?"],
    ["a flag", { flags: { runDir: "x" } }, "flag --run-dir", "Did you mean --runs-dir?"],
  ])("an unknown name of %s", (_, input, where, hint) => {
    const error = refusal(input);
    expect(error.code).toBe("invalid_argument");
    expect(error.message).toContain(where);
    expect(error.hint).toBe(hint);
  });

  test("but a variable that resembles none of ours belongs to somebody else", () => {
    expect(load({ env: { HANDSIGHT_TEST_ARGS: "[]", HANDSIGHT_: "x" } }).policy).toBeUndefined();
  });

  test.each([
    ["key", { file: { policy: "alow" } }, '"policy" in '],
    ["variable", { env: { HANDSIGHT_POLICY: "alow" } }, "HANDSIGHT_POLICY: "],
    ["flag", { flags: { policy: "alow" } }, "--policy: "],
  ])("a bad value in a %s", (_, input, where) => {
    const error = refusal(input);
    expect(error.message).toContain(where);
    expect(error.message).toContain('it is "alow"');
    expect(error.hint).toBe('Did you mean "allow"?');
    expect(error.message).toContain('"ask"|"allow"|"observe-only"');
  });

  test.each([
    { size: "10x10" },
    { size: "1920" },
    { size: "1920x" },
    { monitors: "two" },
    { monitors: "" },
    { monitors: "1.5" },
    { http: "70000" },
    { journal: "perhaps" },
    { scale: "NaN" },
    { maxSide: "-1" },
  ])("the flag value %o", (flags) => {
    const error = refusal({ flags });
    expect(error.code).toBe("invalid_argument");
    expect(error.message).toMatch(/^--[a-z-]+: .+; it is /);
  });

  test("a number given as text in the file", () => {
    expect(refusal({ file: { monitors: "2" } }).message).toContain(`"monitors" in ${standardFile()}`);
  });

  test("a bad token, without repeating it", () => {
    const error = refusal({ env: { HANDSIGHT_TOKEN: "hunter2" } });
    expect(error.message).toContain("HANDSIGHT_TOKEN");
    expect(JSON.stringify(error)).not.toContain("hunter2");
  });

  test.each([
    ["{", "is not JSON"],
    ["[]", "must hold one JSON object"],
    ["null", "must hold one JSON object"],
  ])("a file that holds %s", (file, reason) => {
    const { message } = refusal({ file });
    expect(message).toContain(reason);
    expect(message).toContain(standardFile());
  });

  test("a named file that is missing", () => {
    expect(refusal({ flags: { config: "nowhere.json" } }).message).toContain(join(home, "nowhere.json"));
    expect(refusal({ env: { HANDSIGHT_CONFIG: "nowhere.json" } }).hint).toContain("HANDSIGHT_CONFIG");
  });
});
