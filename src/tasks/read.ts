import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { taskShape, type Task } from "./task.ts";

/** `bench/tasks` of the package, whether this runs from src, dist or a build folder. */
export function ownTasks(): string {
  const above = (candidate: URL): URL => {
    if (existsSync(candidate)) return candidate;
    const next = new URL("../../../bench/tasks/", candidate);
    if (next.href !== candidate.href) return above(next);
    throw new ToolError("not_found", "This installation of handsight has no bench/tasks.", {
      hint: "Install the package again, or name a folder with --tasks.",
    });
  };
  return fileURLToPath(above(new URL("bench/tasks/", import.meta.url)));
}

/** Every task of a folder, sorted by name. */
export function readTasks(folder: string): readonly Task[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch (error) {
    throw new ToolError("not_found", `The folder ${folder} cannot be read.`, { cause: error });
  }
  if (names.length === 0) throw new ToolError("not_found", `There is no task in ${folder}.`);
  return names.toSorted().map((name) => readTask(join(folder, name), name.replace(/\.json$/, "")));
}

function readTask(file: string, id: string): Task {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ToolError("invalid_argument", `${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const parsed = taskShape.safeParse({ id, ...(value as object) });
  if (!parsed.success) throw new ToolError("invalid_argument", `${file}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The tasks whose name or app matches one of the comma-separated patterns; `*` stands for anything. */
export function chooseTasks(tasks: readonly Task[], only: string | undefined): readonly Task[] {
  if (only === undefined) return tasks;
  const patterns = only.split(",").map((part) => part.trim());
  const fits = (pattern: string, text: string): boolean =>
    new RegExp(`^${pattern.split("*").map(escape).join(".*")}$`, "i").test(text);
  const chosen = tasks.filter(({ id, app }) => patterns.some((pattern) => fits(pattern, id) || fits(pattern, app)));
  if (chosen.length > 0) return chosen;
  throw new ToolError("not_found", `No task fits "${only}".`, {
    hint: 'Give names or apps, with * for anything: "mousepad", "page-*".',
    candidates: tasks.map(({ id }) => id),
  });
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
