import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { mainFile } from "../../support/handsight.ts";
import type { Attack } from "./attack.ts";

export interface CliStage {
  /** Names a desktop, and separate folders. */
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

interface Ended {
  readonly code: number | string | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that does not end by itself is a failure. */
function run({ env, folder }: CliStage, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { HANDSIGHT_POLICY: "allow", HANDSIGHT_OCR: "off", ...env }, cwd: folder, timeout: 30_000 };
    const child = execFile(process.execPath, [mainFile, ...args], options, (error, stdout, stderr) => {
      const { code = 0, signal } = (error ?? {}) as { code?: number | string; signal?: string | null };
      resolve({ code, signal: signal ?? undefined, stdout, stderr });
    });
    child.stdin?.end();
  });
}

const pipe = (folder: string, name = "pipe"): string => {
  execFileSync("mkfifo", [join(folder, name)]);
  return join(folder, name);
};

/** It reports what is wrong, in the words of the product, and ends. */
function expectRefused({ code, signal, stderr, stdout }: Ended, says: RegExp): void {
  expect(signal, stderr).toBeUndefined();
  expect(code).not.toBe(0);
  expect(`${stderr}${stdout}`).toMatch(says);
  expect(`${stderr}${stdout}`).not.toMatch(/internal|\n +at /);
}

function expectDone({ code, signal, stderr, stdout }: Ended): void {
  expect({ code, signal }, stderr + stdout).toEqual({ code: 0, signal: undefined });
}

const refused = (name: string, says: RegExp, args: (folder: string) => readonly string[]): Attack<CliStage> => ({
  name,
  run: async (stage) => expectRefused(await run(stage, ...args(stage.folder)), says),
});

const done = (name: string, args: (folder: string) => readonly string[]): Attack<CliStage> => ({
  name,
  run: async (stage) => expectDone(await run(stage, ...args(stage.folder))),
});

const look = ["get-mouse-position"];
const shoot = ["take-screenshot", "screen"];

export const cliAttacks: readonly Attack<CliStage>[] = [
  refused("a rule file that is a pipe", /rule file|JSON/, (folder) => [...look, "--rules", pipe(folder)]),
  refused("a rule file without end", /not a file/, () => [...look, "--rules", "/dev/zero"]),
  refused("a config file that is a pipe", /config file/, (folder) => [...look, "--config", pipe(folder)]),
  refused("a secrets file that is a pipe", /secrets file/, (folder) => [...look, "--secrets", pipe(folder)]),
  done("a log file that is a pipe", (folder) => [...look, "--log-level", "debug", "--log-file", pipe(folder)]),
  done("a log file on a full disk", () => [...look, "--log-level", "debug", "--log-file", "/dev/full"]),
  done("a folder of runs below /proc", () => [...look, "--runs-dir", "/proc/nowhere/at/all"]),
  done("a folder of runs that is a pipe", (folder) => [...look, "--runs-dir", pipe(folder)]),
  done("a folder of runs below a file", (folder) => {
    writeFileSync(join(folder, "file"), "");
    return [...look, "--runs-dir", join(folder, "file", "runs")];
  }),
  done("a folder of runs whose notes are pipes", (folder) => {
    const old = join(folder, "runs", "20200101T000000000Z-1-abcdef");
    mkdirSync(old, { recursive: true });
    pipe(old, "owner.json");
    pipe(join(folder, "runs"), ".last-sweep");
    return [...look, "--runs-dir", join(folder, "runs")];
  }),
  refused("a private desktop of 16384×16384", /8192×8192/, () => [
    ...shoot,
    "--desktop",
    "virtual",
    "--size",
    "16384x16384",
  ]),
  refused("eight monitors that are each fine", /8192×8192/, () => [
    "desktop",
    "--size",
    "4000x4000",
    "--monitors",
    "8",
    "--",
    "true",
  ]),
  refused("a size that is none", /must be WIDTHxHEIGHT/, () => [...look, "--size", "99999999999x1e5"]),
  refused("--out into a pipe", /could not be saved/, (folder) => [...shoot, "--out", pipe(folder, "pipe.png")]),
  refused("--out onto a full disk", /could not be saved/, () => [...shoot, "--format", "png", "--out", "/dev/full"]),
  refused("--out onto a folder", /could not be saved/, (folder) => [...shoot, "--format", "png", "--out", folder]),
  {
    name: "--out over a file is the person's own wish",
    async run(stage) {
      writeFileSync(join(stage.folder, "a.jpg"), "old");
      expectDone(await run(stage, ...shoot, "--out", join(stage.folder, "a.jpg")));
      expect(readFileSync(join(stage.folder, "a.jpg")).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    },
  },
  {
    name: "looking only, over somebody's file",
    async run(stage) {
      const file = join(stage.folder, "a.jpg");
      writeFileSync(file, "precious");
      const ended = await run(stage, ...shoot, "--file-path", file, "--policy", "observe-only");
      expectRefused(ended, /already exists/);
      expect(readFileSync(file, "utf8")).toBe("precious");
    },
  },
  {
    name: "over somebody's file that a rule gives away",
    async run(stage) {
      const file = join(stage.folder, "a.jpg");
      writeFileSync(file, "old");
      writeFileSync(join(stage.folder, "rules.json"), '{"files": {"overwrite": ["."]}}');
      expectDone(await run(stage, ...shoot, "--file-path", file, "--rules", join(stage.folder, "rules.json")));
      expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    },
  },
  refused("a browser profile below /proc", /cannot be created/, () => [
    "cdp-launch",
    "--executable",
    "/bin/false",
    "--browser-dir",
    "/proc/nowhere/at/all",
  ]),
];
