import type { Access } from "../src/policy/decide.ts";
import { defaultList } from "../src/tools/listing.ts";
import { describeTool } from "../src/tools/describe.ts";
import { toolSets, type AnyTool } from "../src/tools/tool.ts";

const reach: Record<Access, string> = { observe: "looks", act: "acts", manage: "manages", execute: "runs code" };

/** The part of JSON Schema that our tools use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** docs/tools.md. */
export function toolsMarkdown(tools: readonly AnyTool[]): string {
  const sets = toolSets.filter((set) => tools.some((tool) => tool.set === set));
  const index = sets.map((set) => {
    const names = tools.filter((tool) => tool.set === set).map(({ name }) => `[\`${name}\`](#${name})`);
    return `- **${set}** — ${names.join(" ")}`;
  });
  const listed = tools.filter(({ name }) => defaultList.includes(name)).map(({ name }) => `[\`${name}\`](#${name})`);
  return `# Tools

The same tools answer over MCP, on the command line (\`handsight call <tool>\`) and to the agent. Choose sets with \`--tools\`.
By default \`tools/list\` shows ${listed.join(" ")}; the others are found with \`find_tools\` and run with \`call_tool\`, or
by their own name. Sets that are named are listed whole, and nothing beyond them can be called.
Every failure has the one form described in [errors.md](errors.md). A result that holds text from a screen says
\`untrusted_text: true\`, and \`suspicious_text\` quotes what of it reads like orders to an agent.

${index.join("\n")}

${sets.map((set) => setMarkdown(set, tools)).join("\n")}`;
}

function setMarkdown(set: string, tools: readonly AnyTool[]): string {
  const members = tools.filter((tool) => tool.set === set);
  return `## The ${set} set\n\n${members.map(toolMarkdown).join("\n")}`;
}

function toolMarkdown(tool: AnyTool): string {
  const { name, description, inputSchema, outputSchema } = describeTool(tool);
  const needs = tool.needs.length > 0 ? ` · needs ${tool.needs.join(", ")}` : "";
  const args = argumentRows(inputSchema);
  const table =
    args.length === 0
      ? "No arguments."
      : ["| argument | type | default | meaning |", "| --- | --- | --- | --- |", ...args].join("\n");
  return `### ${name}

${description}

*${tool.title}* · ${reach[tool.access]}${needs}

${table}

Returns ${resultFields(outputSchema) || "nothing"}.
`;
}

function argumentRows(schema: Schema): string[] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const preset = schema.required?.includes(name)
      ? "**required**"
      : field.default === undefined
        ? ""
        : `\`${JSON.stringify(field.default)}\``;
    return `| ${[`\`${name}\``, typeOf(field), preset, field.description ?? ""].map(cell).join(" | ")} |`;
  });
}

/** Said once, at the top of the page. */
const ofEveryResult: ReadonlySet<string> = new Set(["untrusted_text", "suspicious_text"]);

function resultFields(schema: Schema): string {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !ofEveryResult.has(name))
    .map(([name, field]) => {
      const isSure = schema.required?.includes(name) ?? false;
      return `\`${name}${isSure ? "" : "?"}\` ${typeOf(field)}${field.description ? ` (${field.description})` : ""}`;
    })
    .join(", ");
}

function typeOf(field: Schema): string {
  if (field.const !== undefined) return code(field.const);
  if (field.enum) return field.enum.map(code).join(" ");
  if (field.anyOf) return field.anyOf.map(typeOf).join(" or ");
  if (field.type === "array") return `list of ${field.items ? typeOf(field.items) : "anything"}`;
  if (field.type === "object" && field.properties) {
    return `{ ${Object.entries(field.properties)
      .map(([name]) => (field.required?.includes(name) ? name : `${name}?`))
      .join(", ")} }`;
  }
  const type = [field.type ?? "anything"].flat().join(" or ");
  if (field.minimum === undefined && field.maximum === undefined) return type;
  return `${type} ${field.minimum ?? "…"}–${field.maximum ?? "…"}`;
}

const code = (value: unknown): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
