import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { poll } from "../../../src/base/async.ts";
import type { Backend } from "../../../src/platform/backend.ts";
import { openMacos } from "../../../src/platform/macos/index.ts";
import { decodePicture } from "../../../src/vision/decode.ts";
import { checkout } from "../../support/checkout.ts";

const run = promisify(execFile);
const sources = join(checkout, "test/simulators/macos");
const parts = ["objects", "world", "graphics", "accessibility", "appkit", "control"];

/** What the simulator says about the code that used it. */
export interface Report {
  /** Objects that are still retained, and which function made each. */
  readonly live: number;
  readonly objects: readonly string[];
  /** A button or key is still down. */
  readonly held: boolean;
  /** Messages to apps. */
  readonly trips: number;
  /** Wrong uses of the frameworks: freed objects, missing pools, unknown selectors, … */
  readonly violations: readonly string[];
}

export interface Simulator {
  readonly backend: Backend;
  /** For a process that is to take the simulated Mac for the machine it runs on. */
  readonly env: NodeJS.ProcessEnv;
  /** Orders something from the simulated apps, or asks them. */
  readonly ask: (order: string) => Promise<string>;
  /** Closes the backend, and returns what was left behind. */
  readonly close: () => Promise<Report>;
}

export interface SimulatorOptions {
  /** x,y,width,height,scale of each display in points; the first one is the main display. */
  readonly displays?: readonly string[];
  /** Without the program that takes pictures, as an in-process capture is tried then. */
  readonly hasScreencapture?: boolean;
  /** Another build of the backend. */
  readonly open?: typeof openMacos;
}

/** A simulated Mac: the unchanged backend on a library that exports the names of Apple's frameworks. */
export async function openSimulator({
  displays = ["0,0,1280,900,1"],
  hasScreencapture = true,
  open = openMacos,
}: SimulatorOptions = {}): Promise<Simulator> {
  const { library, screencapture } = await compile();
  const folder = await mkdtemp(join(tmpdir(), "macos-simulator-"));
  const [socket, report] = [join(folder, "socket"), join(folder, "report")];
  await mkdir(join(folder, "Applications", "Simulated App.app"), { recursive: true });
  const env = { ...process.env, HANDSIGHT_MACOS_SIMULATOR: [socket, report, displays.join("|")].join(";") };
  const backend = open({
    env,
    decode: decodePicture,
    places: {
      library,
      screencapture: hasScreencapture ? screencapture : join(folder, "missing"),
      applicationFolders: [join(folder, "Applications")],
    },
  });
  return {
    backend,
    env: {
      ...env,
      HOME: folder,
      HANDSIGHT_SIMULATED_FRAMEWORKS: library,
      HANDSIGHT_SIMULATED_SCREENCAPTURE: screencapture,
      NODE_OPTIONS: `--import ${pathToFileURL(join(sources, "preload.mjs")).href}`,
    },
    async ask(order) {
      // The host starts with the first call.
      if (!existsSync(socket)) await backend.diagnose();
      return ask(socket, order);
    },
    async close() {
      await backend[Symbol.asyncDispose]();
      try {
        // Written by the process that used the simulator, when it ends.
        await poll(async () => (existsSync(report) ? true : undefined), { timeoutMs: 5000, everyMs: 10 });
        return JSON.parse(await readFile(report, "utf8")) as Report;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function ask(path: string, order: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(path, () => socket.end(order));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => resolve(Buffer.concat(chunks).toString()));
    socket.on("error", reject);
  });
}

let compiled: Promise<{ readonly library: string; readonly screencapture: string }> | undefined;

/** By the system's compiler, once for each version of the sources. */
function compile(): NonNullable<typeof compiled> {
  compiled ??= build();
  return compiled;
}

async function build(): NonNullable<typeof compiled> {
  const hash = createHash("sha256");
  for (const name of (await readdir(sources)).filter((each) => /\.[ch]$/.test(each)).toSorted()) {
    hash.update(await readFile(join(sources, name)));
  }
  const folder = join(checkout, ".build", "simulators", `macos-${hash.digest("hex").slice(0, 12)}`);
  const built = { library: join(folder, "macos.so"), screencapture: join(folder, "screencapture") };
  if (existsSync(folder)) return built;
  await mkdir(join(checkout, ".build", "simulators"), { recursive: true });
  const fresh = await mkdtemp(`${folder}.`);
  const flags = ["-std=gnu11", "-O1", "-g", "-Wall"];
  const files = parts.map((part) => join(sources, `${part}.c`));
  const library = ["-fPIC", "-shared", "-o", join(fresh, "macos.so"), ...files, "-lpthread", "-lm"];
  await run("gcc", [...flags, ...library]);
  await run("gcc", [...flags, "-o", join(fresh, "screencapture"), join(sources, "screencapture.c")]);
  // Another test may have been faster.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return built;
}
