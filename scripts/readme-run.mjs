// @ts-check
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeMachine, runOn, stopMachine } from "./readme/root.mjs";
import { rows } from "./readme/rows.mjs";
import { commandsIn, findSnippets, serverIn } from "./readme/snippets.mjs";

/**
 * Every command of the README, in a fresh Debian as root and as an ordinary user without sudo. Writes what was typed and
 * printed to .build/readme/, to be read, and judges each command by its row. Needs root, debootstrap and the network.
 *
 * --full runs the long commands whole; --as root or --as ada runs one of the two; --policy allow says yes beforehand.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const work = join(root, ".build", "readme");
const words = process.argv.slice(2);
/** @param {string} name */
const optionOf = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
const policy = optionOf("--policy");

/** @typedef {import("./readme/root.mjs").Machine} Machine */
/** @typedef {import("./readme/root.mjs").Ran} Ran */

/** @param {string} who */
async function readAs(who) {
  const transcript = join(work, `transcript-${who}.txt`);
  writeFileSync(transcript, "");
  /** @type {string[]} */
  const failures = [];
  const machine = makeMachine(work, who);
  /** @param {string} typed @param {Ran} ran @param {string | undefined} problem */
  const note = (typed, { code, output }, problem) => {
    const verdict = problem === undefined ? "as promised" : `NOT AS PROMISED: ${problem}`;
    writeFileSync(transcript, `$ ${typed}\n${output.trimEnd()}\n[exit code ${code}; ${verdict}]\n\n`, { flag: "a" });
    if (problem !== undefined) failures.push(`${who}: ${typed}: ${problem}`);
    process.stdout.write(`${problem === undefined ? "ok  " : "FAIL"} ${who}: ${typed}\n`);
  };
  try {
    copyClone(machine);
    const snippets = findSnippets(readFileSync(join(root, "README.md"), "utf8"));
    const env = policy === undefined ? {} : { HANDSIGHT_POLICY: policy };
    for (const snippet of snippets.filter(({ language }) => language === "sh")) {
      for (const command of commandsIn(snippet)) await runRow(machine, command, env, note);
    }
    await packUp(machine, note);
    for (const snippet of snippets) {
      const server = serverIn(snippet);
      if (!server) continue;
      const line = `node handsight/scripts/readme/client.mjs project ${server.join(" ")}`;
      const ran = await runOn(machine, line, { env, seconds: 300 });
      const isServed = ran.code === 0 && /clicked: (confirmed|no_change)/.test(ran.output);
      note(`${snippet.text.trim()}\n$ ${line}`, ran, isServed ? undefined : "a client cannot use the server");
    }
  } finally {
    stopMachine(machine);
  }
  return failures;
}

/** @param {Machine} machine */
function copyClone({ root: place, home, who }) {
  const clone = join(place, home, "handsight");
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, clone]);
  execFileSync("chroot", [place, "chown", "-R", `${who}:`, join(home, "handsight")]);
}

/**
 * @param {Machine} machine
 * @param {string} command
 * @param {Record<string, string>} env
 * @param {(typed: string, ran: Ran, problem: string | undefined) => void} note
 */
async function runRow(machine, command, env, note) {
  const row = rows[command];
  // What an MCP client is told to start is run by a client, further down.
  if (!row) return;
  const line = words.includes("--full") ? command : (row.shorter ?? command);
  const { seconds, onDesktop = false } = row;
  const options = { folder: "handsight", env, ...(seconds === undefined ? {} : { seconds }) };
  const run = () =>
    onDesktop
      ? runOn(machine, line, { ...options, env: { ...env, DISPLAY: ":77" }, isPerson: true })
      : runOn(machine, line, options);
  if (onDesktop) await openOwnDesktop(machine);
  let ran = await run();
  // Without root the set-up prints the one line that somebody who has it must run.
  const [, packages] = /^ {2}(sudo apt-get update && sudo apt-get install .*)$/m.exec(ran.output) ?? [];
  if (ran.code !== 0 && packages !== undefined) {
    note(line, ran, machine.who === "root" ? "root was told to use sudo" : undefined);
    const installed = await runOn(machine, packages.replaceAll("sudo ", "DEBIAN_FRONTEND=noninteractive "), {
      who: "root",
    });
    note(`${packages}   (by root)`, { ...installed, output: lastLines(installed.output) }, wrongCode(installed, 0));
    ran = await run();
  }
  note(line, ran, judge(machine, row, ran));
}

/**
 * @param {Machine} machine
 * @param {import("./readme/rows.mjs").Row} row
 * @param {Ran} ran
 * @returns {string | undefined} what is wrong
 */
function judge({ root: place, home }, row, ran) {
  // 124: `timeout` had to interrupt it.
  const code = wrongCode(ran, row.seconds === undefined ? (row.code ?? 0) : 124);
  if (code !== undefined) return code;
  if (!row.says.test(ran.output)) return `it does not say ${row.says}`;
  if (row.file === undefined) return undefined;
  const file = join(place, home, "handsight", row.file);
  if (!existsSync(file)) return `there is no ${row.file}`;
  const isRight = row.holds?.test(readFileSync(file, "latin1")) ?? true;
  return isRight ? undefined : `${row.file} does not hold what its name says`;
}

/** @param {Ran} ran @param {number} wanted */
const wrongCode = ({ code }, wanted) => (code === wanted ? undefined : `it ended with ${code}, not ${wanted}`);

/** @param {string} output */
const lastLines = (output) => output.trimEnd().split("\n").slice(-3).join("\n");

/** The desktop of a person who has an editor open. @param {Machine} machine */
async function openOwnDesktop(machine) {
  const start =
    "test -e /tmp/.X11-unix/X77 || { Xvfb :77 -screen 0 1280x800x24 >/dev/null 2>&1 & sleep 2;" +
    " openbox >/dev/null 2>&1 & mousepad >/dev/null 2>&1 & sleep 5; }";
  await runOn(machine, `(${start}) </dev/null`, { env: { DISPLAY: ":77" } });
}

/** The tarball stands for the published package. @param {Machine} machine @param {Parameters<typeof runRow>[3]} note */
async function packUp(machine, note) {
  const line =
    "mkdir -p project && (cd handsight && npm pack --silent --pack-destination ..) && cd project && npm install ../handsight-*.tgz";
  const ran = await runOn(machine, line);
  note(line, ran, wrongCode(ran, 0));
}

/** Mounts of a namespace of its own end with it, whatever happens. */
function inOwnNamespace() {
  if (process.env["HANDSIGHT_README"] === "inside") return true;
  const env = { ...process.env, HANDSIGHT_README: "inside" };
  const { status } = spawnSync("unshare", ["--mount", process.execPath, ...process.argv.slice(1)], {
    env,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
  return false;
}

if (process.getuid?.() !== 0) {
  process.stderr.write("readme: a fresh root can be made by root only\n");
  process.exitCode = 1;
} else if (inOwnNamespace()) {
  mkdirSync(work, { recursive: true });
  const people = [optionOf("--as") ?? ["root", "ada"]].flat();
  const failures = [];
  for (const who of people) failures.push(...(await readAs(who)));
  process.stdout.write(
    failures.length === 0
      ? `\nEvery command did what the README says. Read the transcripts in ${work}\n`
      : `\n${failures.join("\n")}\n`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}
