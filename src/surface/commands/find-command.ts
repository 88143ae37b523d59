import { foldName, foldPath, pathSeparator, splitPath } from "../../base/command-path.ts";
import { ToolError } from "../../base/errors.ts";
import { hasWords } from "../../base/match-text.ts";
import { nearest } from "../../base/nearest.ts";
import { quote } from "../../base/quote.ts";
import type { AppCommand, CommandSource } from "../../platform/backend.ts";

export const showPath = ({ path }: Pick<AppCommand, "path">): string => path.join(pathSeparator);

const longestPath = 200;

/** Its path inside a sentence of ours: names of menus are somebody else's text. */
export const quotePath = (command: Pick<AppCommand, "path">): string => quote(showPath(command), longestPath);

/** Whether every word of the query is in the command's path. */
export const fitsQuery = (command: AppCommand, query: string): boolean => {
  const path = foldPath(command.path);
  return foldName(query)
    .split(/\s+/)
    .every((word) => path.includes(word));
};

const sources: readonly CommandSource[] = ["menu", "toolbar", "action"];

/**
 * The one command that a name or path means. An entry of a menu beats a tool bar button or an action of the same name,
 * and a whole name beats a part of one. Never picks one of several.
 */
export function findCommand(commands: readonly AppCommand[], asked: string, hasClosedMenus: boolean): AppCommand {
  const wanted = unquoted(asked);
  const names = splitPath(wanted).map(foldName);
  const endsWith = ({ path }: AppCommand): boolean =>
    names.length > 0 &&
    names.length <= path.length &&
    foldPath(path.slice(-names.length)) === names.join(pathSeparator);
  const rounds: readonly ((command: AppCommand) => boolean)[] = [
    ({ id }) => id === wanted,
    ({ path }) => names.length > 1 && foldPath(path) === names.join(pathSeparator),
    endsWith,
  ];
  for (const fits of rounds) {
    const found = commands.filter(fits);
    const source = sources.find((each) => found.some((command) => command.source === each));
    const best = found.filter((command) => command.source === source);
    if (best.length > 1) throw ambiguous(wanted, best);
    const [only] = best;
    if (only) return only;
  }
  const parts = commands.filter(({ path }) => hasWords(foldPath(path), names.join(" ")));
  const [only] = parts;
  // One word alone may be left of a name that has changed: "Reload" is not "Auto Reload".
  if (only && parts.length === 1 && isTelling(names)) return only;
  if (parts.length > 1 && isTelling(names)) throw ambiguous(wanted, parts);
  throw unknown(commands, wanted, { parts, hasClosedMenus });
}

/** As candidates are listed: `"File > Save"`. */
function unquoted(text: string): string {
  const [quoted] = /^".*"$/u.exec(text) ?? [];
  if (quoted === undefined) return text;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return text;
  }
}

const isTelling = (names: readonly string[]): boolean => names.join(" ").split(/\s+/).length > 1;

const mostCandidates = 10;

/** A path that two commands share is no answer, so their ids follow. In quotes, which a name cannot end. */
function ambiguous(wanted: string, found: readonly AppCommand[]): ToolError {
  const paths = found.map(showPath);
  const isShared = new Set(paths).size < paths.length;
  return new ToolError("ambiguous_target", `${found.length} commands match ${quote(wanted, longestPath)}.`, {
    hint: "Pass one of the candidates as command.",
    candidates: found
      .slice(0, mostCandidates)
      .map((command) => JSON.stringify(isShared ? command.id : showPath(command))),
  });
}

interface Unknown {
  readonly parts: readonly AppCommand[];
  readonly hasClosedMenus: boolean;
}

function unknown(commands: readonly AppCommand[], wanted: string, { parts, hasClosedMenus }: Unknown): ToolError {
  const names = commands.map(({ path }) => path.at(-1) ?? "");
  const near = nearest(wanted, names);
  const closed = hasClosedMenus
    ? " Some menus have entries only while open: list_commands with open: true reads them."
    : "";
  return new ToolError("not_found", `The app has no command ${quote(wanted, longestPath)}.`, {
    candidates: parts.slice(0, mostCandidates).map(showPath),
    hint:
      (parts.length > 0
        ? "Pass one of the candidates as command."
        : near
          ? `Did you mean ${quote(near)}?`
          : "Call list_commands, with a query.") + closed,
  });
}
