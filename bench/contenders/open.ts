import { messageOf } from "../measure.ts";
import { commandContenders, type Program } from "./commands.ts";
import { isMissing, type Contender, type Missing } from "./contender.ts";
import { openPython, openWorker } from "./workers.ts";

const libraries = [
  "handsight",
  "handsight elements",
  "handsight find-image",
  "nut-js",
  "node-screenshots",
  "screenshot-desktop",
] as const;
const pythonLibraries = {
  "PIL ImageGrab": ["pil.py"],
  pyatspi: ["atspi.py", "pyatspi"],
  dogtail: ["atspi.py", "dogtail"],
  cv2: ["opencv.py"],
} as const satisfies Record<string, readonly [string, ...string[]]>;
export type ContenderName = (typeof libraries)[number] | keyof typeof pythonLibraries | Program;

const isPython = (name: ContenderName): name is keyof typeof pythonLibraries => name in pythonLibraries;

/** Starts the named contenders on the display of `env`, ours first. */
export async function openContenders(
  names: readonly ContenderName[],
  env: NodeJS.ProcessEnv,
): Promise<(Contender | Missing)[]> {
  return Promise.all(names.map((name) => open(name, env)));
}

async function open(name: ContenderName, env: NodeJS.ProcessEnv): Promise<Contender | Missing> {
  try {
    const command = commandContenders.find((known) => known.name === name);
    if (command) return await command.open(env);
    return isPython(name) ? await openPython(name, pythonLibraries[name], env) : await openWorker(name, env);
  } catch (error) {
    return {
      name,
      kind: commandContenders.some((known) => known.name === name) ? "command" : "library",
      problem: messageOf(error),
    };
  }
}

export async function closeContenders(entries: readonly (Contender | Missing)[]): Promise<void> {
  for (const entry of entries) if (!isMissing(entry)) await entry[Symbol.asyncDispose]();
}
