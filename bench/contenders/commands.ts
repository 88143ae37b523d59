import { spawn } from "node:child_process";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { now } from "../measure.ts";
import type { Contender, Done } from "./contender.ts";
import type { Argument } from "./task.ts";

/** The command line for a task, writing the picture to `file`. Quality is 80 wherever it can be chosen. */
type CommandLine = (file: string, argument: Argument) => readonly string[];

interface Command {
  readonly program: string;
  readonly note?: string;
  readonly tasks: Readonly<Record<string, CommandLine>>;
}

const commands = {
  scrot: {
    program: "scrot",
    tasks: {
      jpeg: (file) => ["--overwrite", "--quality", "80", `${file}.jpg`],
      png: (file) => ["--overwrite", `${file}.png`],
      webp: (file) => ["--overwrite", "--quality", "80", `${file}.webp`],
    },
  },
  maim: {
    program: "maim",
    tasks: {
      jpeg: (file) => ["--hidecursor", "--quality", "8", `${file}.jpg`],
      png: (file) => ["--hidecursor", `${file}.png`],
      webp: (file) => ["--hidecursor", "--quality", "8", `${file}.webp`],
    },
  },
  import: {
    program: "import",
    note: "ImageMagick",
    tasks: {
      jpeg: (file) => ["-silent", "-window", "root", "-quality", "80", `${file}.jpg`],
      png: (file) => ["-silent", "-window", "root", `${file}.png`],
      webp: (file) => ["-silent", "-window", "root", "-quality", "80", `${file}.webp`],
    },
  },
  xdotool: {
    program: "xdotool",
    tasks: {
      click: (_file, { x, y }) => ["mousemove", String(x), String(y), "click", "1"],
      type: (_file, { text = "" }) => ["type", "--", text],
    },
  },
  "xdotool --delay 0": {
    program: "xdotool",
    tasks: {
      click: (_file, { x, y }) => ["mousemove", String(x), String(y), "click", "--delay", "0", "1"],
      type: (_file, { text = "" }) => ["type", "--delay", "0", "--", text],
    },
  },
} satisfies Record<string, Command>;

export type Program = keyof typeof commands;

const extensions: Readonly<Record<string, string>> = { jpeg: "jpg", png: "png", webp: "webp" };

export const commandContenders = Object.entries(commands).map(([name, command]) => ({
  name,
  open: (env: NodeJS.ProcessEnv) => openCommand(name, command, env),
}));

/** A program started anew for every task, as its users do. */
async function openCommand(name: string, command: Command, env: NodeJS.ProcessEnv): Promise<Contender> {
  if (!isInstalled(command.program, env)) throw new Error(`${command.program} is not installed`);
  const folder = await mkdtemp(join(tmpdir(), "handsight-bench-"));
  const file = join(folder, "shot");
  return {
    name,
    kind: "command",
    note: command.note,
    tasks: Object.keys(command.tasks),
    async run(task, argument = {}): Promise<Done> {
      const line = command.tasks[task];
      if (!line) throw new Error(`${name} cannot do "${task}"`);
      const startedAt = now();
      for (let step = 0; step < (argument.count ?? 1); step++) {
        await execute(command.program, line(file, { ...argument, x: (argument.x ?? 0) + step }), env);
      }
      const ms = now() - startedAt;
      const extension = extensions[task];
      if (extension === undefined) return { startedAt, ms };
      const picture = `${file}.${extension}`;
      const { size } = await stat(picture);
      if (argument.saveTo !== undefined) await rename(picture, argument.saveTo);
      return { startedAt, ms, bytes: size };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function execute(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints += text;
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code}: ${complaints.trim().slice(-200)}`));
    });
  });
}

const isInstalled = (program: string, env: NodeJS.ProcessEnv): boolean =>
  (env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
