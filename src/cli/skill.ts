import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "../base/errors.ts";
import { exitCodes } from "./exit.ts";

/** Where each client looks for skills of a user, and of a project. */
const clients: Readonly<
  Record<string, { readonly home: string; readonly variable?: string; readonly project: string }>
> = {
  claude: { home: ".claude", variable: "CLAUDE_CONFIG_DIR", project: ".claude" },
  codex: { home: ".codex", variable: "CODEX_HOME", project: ".agents" },
  cursor: { home: ".cursor", project: ".cursor" },
  gemini: { home: ".gemini", project: ".gemini" },
  // The folder that clients agree on.
  agents: { home: ".agents", project: ".agents" },
};

export const skillClients: readonly string[] = Object.keys(clients);

export interface SkillOptions {
  /** Into the current folder instead of the user's own. */
  readonly project: boolean;
  readonly remove: boolean;
  readonly json: boolean;
}

/** What teaches an agent to use handsight from the command line. */
export const skillText = (): string => readFileSync(findSkill(new URL("./", import.meta.url)), "utf8");

/** Above this file, whether it runs from src or dist. */
function findSkill(folder: URL): string {
  const file = fileURLToPath(new URL("skills/handsight/SKILL.md", folder));
  const above = new URL("../", folder);
  return existsSync(file) || above.href === folder.href ? file : findSkill(above);
}

/** Puts the skill where a client looks for it, or takes it away. */
export function installSkill(names: readonly string[], { project, remove, json }: SkillOptions): number {
  const wanted = names.length > 0 ? names : found(project);
  if (wanted.length === 0) {
    throw new ToolError("not_found", "No client was found whose skills could be installed.", {
      hint: `Name one: ${skillClients.join(", ")}.`,
    });
  }
  const files = wanted.map((name) => fileFor(name, project));
  const done = files.filter((file) => (remove ? takeAway(file) : put(file)));
  const lines = files.map((file) => {
    if (remove) return done.includes(file) ? `removed ${file}` : `not there: ${file}`;
    return done.includes(file) ? `wrote ${file}` : `up to date: ${file}`;
  });
  process.stdout.write(
    `${json ? JSON.stringify({ [remove ? "removed" : "written"]: done, files }) : lines.join("\n")}\n`,
  );
  return exitCodes.ok.code;
}

/** The clients that this user, or this project, has. */
const found = (project: boolean): readonly string[] =>
  skillClients.filter((name) => existsSync(dirname(dirname(dirname(fileFor(name, project))))));

function fileFor(name: string, project: boolean): string {
  const client = clients[name];
  if (!client) {
    throw new ToolError("invalid_argument", `There is no client "${name}".`, {
      hint: `Clients: ${skillClients.join(", ")}.`,
    });
  }
  const named = client.variable === undefined ? undefined : process.env[client.variable];
  const own = named && isAbsolute(named) ? named : join(process.env["HOME"] || homedir(), client.home);
  return join(project ? join(process.cwd(), client.project) : own, "skills", "handsight", "SKILL.md");
}

/** False when the same text is there already. */
function put(file: string): boolean {
  const text = skillText();
  if (existsSync(file) && readFileSync(file, "utf8") === text) return false;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return true;
}

function takeAway(file: string): boolean {
  if (!existsSync(file)) return false;
  rmSync(file);
  try {
    rmdirSync(dirname(file));
  } catch {
    // The person has put something else there.
  }
  return true;
}
