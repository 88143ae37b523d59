import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** An installed app as its .desktop file describes it (freedesktop.org Desktop Entry Specification). */
export interface DesktopEntry {
  /** The file's name without ".desktop", which launchers accept. */
  readonly id: string;
  readonly name: string;
  /** What kind of app it is: "Calculator" for KCalc. */
  readonly genericName?: string;
  /** The command line; `undefined` marks where files to open go. */
  readonly command: readonly (string | undefined)[];
  readonly tryExec?: string;
  /** The class of its windows, where it says so. */
  readonly windowClass?: string;
  /** A terminal, or made to run in one. */
  readonly isTerminal: boolean;
  /** From one of the user's own folders, where any program running as the user can put one. */
  readonly isPersonal?: boolean;
}

/** Every app a menu would show, the user's own entries before the system's. */
export async function readDesktopEntries(env: NodeJS.ProcessEnv): Promise<readonly DesktopEntry[]> {
  const found = new Map<string, DesktopEntry | undefined>();
  const [home, ...shared] = dataFolders(env);
  for (const folder of [home, ...shared]) {
    if (folder === undefined || folder === "") continue;
    const applications = join(folder, "applications");
    const files = await readdir(applications, { recursive: true }).catch(() => []);
    const entries = await Promise.all(
      files
        .filter((file) => file.endsWith(".desktop"))
        .toSorted()
        .map(async (file) => {
          const id = file.slice(0, -".desktop".length).replaceAll("/", "-");
          const text = await readFile(join(applications, file), "utf8").catch(() => "");
          return [id, parseDesktopEntry(id, text)] as const;
        }),
    );
    // An entry that hides itself also hides the entry of the same name in a later folder.
    const isPersonal = folder === home || (env["HOME"] !== undefined && folder.startsWith(`${env["HOME"]}/`));
    for (const [id, entry] of entries) {
      if (!found.has(id)) found.set(id, entry && isPersonal ? { ...entry, isPersonal } : entry);
    }
  }
  return [...found.values()].filter((entry) => entry !== undefined);
}

/**
 * The entry with this id or name, or the only one whose name or kind contains it: "Calculator" for MATE Calculator.
 */
export function findEntry(entries: readonly DesktopEntry[], app: string): DesktopEntry | undefined {
  const wanted = app.toLowerCase();
  const id = wanted.endsWith(".desktop") ? wanted.slice(0, -".desktop".length) : wanted;
  const exact =
    entries.find((entry) => entry.id.toLowerCase() === id) ??
    entries.find((entry) => entry.name.toLowerCase() === wanted);
  if (exact || wanted.length < shortestPart) return exact;
  const [only, ...others] = entries.filter(({ name, genericName = "" }) =>
    [name, genericName].some((text) => text.toLowerCase().includes(wanted)),
  );
  return others.length === 0 ? only : undefined;
}

// Shorter parts occur in too many names to identify one.
const shortestPart = 4;

/** The user's own folder first; an empty string if there is none. */
function dataFolders(env: NodeJS.ProcessEnv): string[] {
  const home = env["XDG_DATA_HOME"] || (env["HOME"] ? join(env["HOME"], ".local", "share") : "");
  const shared = env["XDG_DATA_DIRS"] || "/usr/local/share:/usr/share";
  return [home, ...shared.split(":").filter((folder) => folder !== "")];
}

/** Undefined for anything that is not an app, or should not be shown. */
export function parseDesktopEntry(id: string, text: string): DesktopEntry | undefined {
  const fields = readFields(text);
  const name = fields.get("Name");
  const command = parseExec(fields.get("Exec") ?? "");
  const isHidden = fields.get("NoDisplay") === "true" || fields.get("Hidden") === "true";
  if (fields.get("Type") !== "Application" || isHidden || !name || command[0] === undefined) return undefined;
  const tryExec = fields.get("TryExec");
  const isTerminal =
    fields.get("Terminal") === "true" || /(^|;)TerminalEmulator(;|$)/.test(fields.get("Categories") ?? "");
  const genericName = fields.get("GenericName");
  const windowClass = fields.get("StartupWMClass");
  return {
    id,
    name,
    command,
    isTerminal,
    ...(genericName ? { genericName } : {}),
    ...(tryExec ? { tryExec } : {}),
    ...(windowClass ? { windowClass } : {}),
  };
}

const escapes: Readonly<Record<string, string>> = { s: " ", n: "\n", t: "\t", r: "\r", "\\": "\\" };

function readFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let isMainGroup = false;
  for (const line of text.split(/\r?\n/u)) {
    if (line.startsWith("[")) isMainGroup = line.trim() === "[Desktop Entry]";
    const at = line.indexOf("=");
    if (!isMainGroup || line.startsWith("#") || at < 0) continue;
    const value = line.slice(at + 1).trim();
    fields.set(
      line.slice(0, at).trim(),
      value.replaceAll(/\\(.)/gu, (whole, letter: string) => escapes[letter] ?? whole),
    );
  }
  return fields;
}

/** Splits an Exec line into words: quotes removed, file codes as `undefined`, other field codes dropped. */
export function parseExec(exec: string): (string | undefined)[] {
  const words = exec.match(/"(?:\\.|[^"\\])*"|[^\s"]+/gu) ?? [];
  return words.flatMap((word) => {
    if (word.startsWith('"')) return [word.slice(1, -1).replaceAll(/\\(.)/gu, "$1")];
    if (/^%[fFuU]$/u.test(word)) return [undefined];
    const plain = word.replaceAll(/%(.)/gu, (_whole, code: string) => (code === "%" ? "%" : ""));
    return plain === "" ? [] : [plain];
  });
}

/** The words to run, with the caller's arguments where the entry expects files, or at the end. */
export function commandLine(entry: DesktopEntry, args: readonly string[]): string[] {
  const at = entry.command.indexOf(undefined);
  const words = entry.command.filter((word) => word !== undefined);
  return at < 0 ? [...words, ...args] : [...words.slice(0, at), ...args, ...words.slice(at)];
}
