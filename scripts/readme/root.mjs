// @ts-check
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** @typedef {{ code: number | null, output: string }} Ran */
/** @typedef {{ who: string, home: string, root: string }} Machine */

/**
 * A machine on which nobody has installed anything but node, npm and git. It is made once and copied for each run; apt and
 * npm reach their servers as this machine does.
 * @param {string} work
 * @param {string} who
 * @returns {Machine}
 */
export function makeMachine(work, who) {
  const base = join(work, "base");
  if (!existsSync(base)) makeBase(base);
  const root = join(work, `root-${who}`);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  execFileSync("cp", ["-a", "--reflink=auto", base, root]);
  const home = who === "root" ? "/root" : `/home/${who}`;
  if (who !== "root") execFileSync("chroot", [root, "useradd", "--create-home", "--shell", "/bin/bash", who]);
  copyIfThere(join(homedir(), ".npmrc"), join(root, home, ".npmrc"));
  copyIfThere(
    execFileSync("npm", ["config", "get", "globalconfig"], { encoding: "utf8" }).trim(),
    join(root, "usr/local/etc/npmrc"),
  );
  for (const [kind, place] of /** @type {const} */ ([
    ["proc", "proc"],
    ["sysfs", "sys"],
    ["tmpfs", "dev/shm"],
  ])) {
    if (place === "dev/shm") execFileSync("mount", ["--rbind", "/dev", join(root, "dev")]);
    else execFileSync("mount", ["-t", kind, kind, join(root, place)]);
  }
  return { who, home, root };
}

/** @param {string} base */
function makeBase(base) {
  const made = `${base}.new`;
  rmSync(made, { recursive: true, force: true });
  const [suite = "", mirror = ""] = firstSource();
  execFileSync(
    "debootstrap",
    ["--variant=minbase", "--include=ca-certificates,git,procps,passwd", suite, made, mirror],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  for (const path of ["/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt"])
    copyIfThere(path, join(made, path));
  for (const path of ["/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d"]) {
    rmSync(join(made, path), { recursive: true, force: true });
    copyIfThere(path, join(made, path));
  }
  const local = join(made, "usr/local");
  cpSync(process.execPath, join(local, "bin/node"), { dereference: true });
  const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())));
  cpSync(npm, join(local, "lib/node_modules/npm"), { recursive: true, dereference: true });
  for (const name of ["npm", "npx"])
    execFileSync("ln", ["-sf", `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name)]);
  renameSync(made, base);
}

/**
 * The release and the server that this machine installs its packages from.
 * @returns {readonly string[]}
 */
function firstSource() {
  const lists = [
    "/etc/apt/sources.list",
    ...readdirSync("/etc/apt/sources.list.d").map((name) => `/etc/apt/sources.list.d/${name}`),
  ];
  for (const text of lists.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"))) {
    const [, uri, suite] = /^URIs: (\S+)[\s\S]*?^Suites: (\S+)/m.exec(text) ?? [];
    if (uri && suite) return [suite, uri];
    const [, plain, of] = /^deb (?:\[[^\]]*\] )?(\S+) (\S+)/m.exec(text) ?? [];
    if (plain && of) return [of, plain];
  }
  throw new Error("apt on this machine names no server to install a fresh root from");
}

/** @param {string} from @param {string} to */
function copyIfThere(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, dereference: true });
  if (from.endsWith(".npmrc")) chmodSync(to, 0o644);
}

/**
 * Runs a shell line as the person of the machine, in a folder of theirs; on a terminal where they say yes to every question.
 * @param {Machine} machine
 * @param {string} line
 * @param {{ folder?: string, env?: Record<string, string>, isPerson?: boolean, seconds?: number, who?: string }} [options]
 * @returns {Promise<Ran>}
 */
export function runOn({ root, home, who }, line, options = {}) {
  const { folder = "", env = {}, isPerson = false, seconds, who: as = who } = options;
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  const trusted = authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities };
  const set = Object.entries({ LANG: "C.UTF-8", ...trusted, ...env }).map(
    ([name, value]) => `export ${name}='${value}';`,
  );
  // Inside, where it reaches the command itself; `su` keeps an interrupt to itself.
  const limit = seconds === undefined ? "" : `timeout --signal=INT --kill-after=20 ${seconds} `;
  const inside = `${set.join(" ")} cd ${join(home, folder)} && ${limit}${line}`;
  const words = ["chroot", root, "su", "-", as, "-c", inside];
  const [program = "", ...args] = isPerson ? ["python3", "-c", terminal, ...words] : words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: asShown(output) }));
  });
}

const erase = ["\u001B[K", "\u001B[0K"];

/** What is left on a terminal: erased parts and colours are gone. @param {string} output */
const asShown = (output) =>
  stripVTControlCharacters(
    output
      .split("\n")
      .map((line) => erase.reduce((rest, sign) => rest.split(sign).at(-1) ?? "", line))
      .join("\n"),
  ).replaceAll("\r", "");

// A person reads the question before they answer it.
const terminal = String.raw`
import os, pty, re, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen, answered = b"", 0
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    asked = len(re.findall(rb"\[n\] no: ", seen))
    if asked > answered:
        answered = asked
        os.write(fd, b"y\n")
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** Ends what still runs on the machine. @param {Machine} machine */
export function stopMachine({ root }) {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${pid}/root`) === root) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended, or belongs to the kernel.
    }
  }
  for (const place of ["dev", "sys", "proc"]) execFileSync("umount", ["--lazy", "--recursive", join(root, place)]);
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
