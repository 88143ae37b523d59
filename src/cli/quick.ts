import { version } from "../base/version.ts";
import { hasColours, withoutColours } from "./colour.ts";
import { readPrepared } from "./prepared.ts";

/** What needs no program to answer: the greeting, the version, and help that the build has prepared. */
export function quickAnswer(argv: readonly string[]): string | undefined {
  const [first = "", second = "", ...more] = argv;
  if (first === "") return greeting;
  if (more.length > 0) return undefined;
  if ((first === "--version" || first === "-V") && second === "") return `${version}\n`;
  if (isHelp(first) && second === "") return help("");
  if (first === "help") return help(second);
  return isHelp(second) ? help(first) : undefined;
}

const isHelp = (word: string): boolean => word === "--help" || word === "-h";

function help(name: string): string | undefined {
  // Prepared for 80 columns.
  if ((process.stdout.columns ?? 80) < 80) return undefined;
  const text = readPrepared("help")?.[name];
  return text === undefined || hasColours(process.stdout, process.env) ? text : withoutColours(text);
}

const greeting = `handsight ${version}: see, act and verify on desktops, pages and Android devices.

  handsight doctor                     what works on this machine
  handsight open --desktop virtual     a private desktop to try things on
  handsight launch_app mousepad        start an app there
  handsight take_ax_snapshot           what is in it, with uids
  handsight click --uid a5g1           click one of them, and see what changed
  handsight close                      end the private desktop

  handsight skill install              teach your coding agent these commands
  handsight mcp                        serve MCP to it instead
  handsight --help                     everything else
`;
