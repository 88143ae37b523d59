import { configFile, envOf, flagOf, options, type Option } from "./options.ts";

/** docs/options.md, printed by the generator. */
export function optionsMarkdown(): string {
  // The placeholders never show: options that use them describe their default in words.
  const declared: Readonly<Record<string, Option<unknown>>> = options({ config: "", state: "" });
  const rows = Object.entries(declared).map(([name, option]) => {
    const meaning = option.choices ? `${option.help} One of ${option.choices.map(code).join(", ")}.` : option.help;
    return [
      code(option.isSwitch ? flagOf(name) : `${flagOf(name)} <${option.value}>`),
      code(envOf(name)),
      code(name),
      defaultText(option),
      meaning,
    ];
  });
  const head = ["Flag", "Variable", "Key", "Default", "Meaning"];
  const where = Object.entries(declared).map(
    ([name, option]) => `${code(flagOf(name))}: ${option.commands.map((command) => places[command]).join(", ")}`,
  );
  return `# Options

Every option can be set in four places; a later one wins:

1. its default,
2. its key in the config file: \`$XDG_CONFIG_HOME/handsight/config.json\` (\`~/.config/handsight/config.json\`), or the file
   named by \`${configFile.flag}\` or \`${configFile.env}\`,
3. its environment variable,
4. its flag.

An unknown key or flag, a misspelled variable or a bad value is an error. It names the source and the nearest valid name.

${[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n")}

In the config file a number is a number, a list is an array of strings, and on or off is \`true\` or \`false\`:

\`\`\`json
{ "policy": "allow", "desktop": "virtual", "monitors": 2, "journal": true, "tools": ["desktop", "vision"] }
\`\`\`

## Where each flag is accepted

${where.map((line) => `- ${line}`).join("\n")}
`;
}

const places = {
  mcp: "`handsight mcp`",
  tool: "tool commands, `call` and `doctor`",
  desktop: "`handsight desktop`",
  agent: "`handsight agent`",
};

function defaultText({ default: value, defaultText: words }: Option<unknown>): string {
  if (words !== undefined) return words;
  if (typeof value === "boolean") return code(value ? "on" : "off");
  return code(Array.isArray(value) ? value.join(",") : String(value));
}

const code = (text: string): string => `\`${text}\``;
const escapeCell = (text: string): string => text.replaceAll("|", "\\|");
