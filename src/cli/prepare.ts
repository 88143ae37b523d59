import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { instructionsFor } from "../mcp/instructions.ts";
import { listTools } from "../tools/listing.ts";
import { allTools, selectTools, showingOf } from "../tools/registry.ts";
import type { Caller } from "./caller.ts";
import { commandNames } from "./command-names.ts";
import { ownCommands } from "./own-names.ts";
import { preparedFile, type Prepared, type PreparedList } from "./prepared.ts";
import { runOn } from "./program.ts";

/** The last step of a build. */
export async function prepare(): Promise<void> {
  write("help", Object.fromEntries(await Promise.all(helpNames().map(async (name) => [name, await helpOf(name)]))));
  write("lists", Object.fromEntries(["default", "core"].map((set) => [set, listOf([set])])));
}

function write<What extends keyof Prepared>(what: What, value: Prepared[What]): void {
  const file = fileURLToPath(preparedFile(what));
  mkdirSync(fileURLToPath(new URL("./", preparedFile(what))), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

const helpNames = (): readonly string[] => ["", "open", "call", ...ownCommands, ...allTools.flatMap(commandNames)];

async function helpOf(name: string): Promise<string> {
  let text = "";
  const out = { write: (more: string) => void (text += more), isTTY: true, columns: 80 };
  const caller = { out, err: out, env: {}, folder: "/" } as unknown as Caller;
  const cannot = (): never => {
    throw new Error(`"${name} --help" ran something`);
  };
  await runOn([...(name === "" ? [] : [name]), "--help"], { caller, isSession: false, runTool: cannot, open: cannot });
  return text;
}

function listOf(sets: readonly string[]): PreparedList {
  const tools = selectTools(sets);
  const showing = showingOf(sets);
  return { tools: listTools(tools, showing), instructions: instructionsFor({ tools, showing }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare();
