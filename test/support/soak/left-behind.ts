import { readdirSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../../../src/base/async.ts";
import { leftOver, noteTraces, type Traces } from "../../virtual/traces.ts";
import type { Stage } from "./stage.ts";
import { commandOf, ownProcesses } from "./usage.ts";

interface Belongings {
  readonly stage: Stage;
  readonly desktop: Traces;
}

// A browser that was asked to quit writes its profile first.
const patience = { timeoutMs: 5_000, everyMs: 50 };

/** Call while the server is still running: afterwards it is unknown what belonged to it. */
export function noteBelongings(stage: Stage): Belongings {
  return { stage, desktop: noteTraces(stage.desktop) };
}

/** What is left of a server that has ended, in words. */
export async function leftBehind(belongings: Belongings): Promise<readonly string[]> {
  await poll(async () => (look(belongings).length === 0 ? true : undefined), patience);
  return look(belongings);
}

function look({ stage: { server, files }, desktop }: Belongings): readonly string[] {
  const { tmp, run, place } = server.folders;
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
      // What tools were asked to write, and what was there for them to read.
      .filter((path) => !path.startsWith(files.folder));
  return [
    ...ownProcesses(server).map(({ pid }) => `process ${pid}: ${commandOf(pid).slice(0, 3).join(" ")}`),
    ...leftOver(desktop).filter((trace) => !trace.startsWith("process")),
    ...[tmp, run, place].flatMap(filesIn).map((path) => `file ${path}`),
  ];
}
