import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { findRoot } from "./root.ts";

/** One thing that the package exports, as its declaration file says it. */
export interface Declared {
  readonly name: string;
  readonly text: string;
}

/** What programs get of each part, in the order of the reference. */
const parts: readonly { readonly title: string; readonly files: RegExp }[] = [
  { title: "A session", files: /^(open|api\/handsight)\b/ },
  { title: "Surfaces", files: /^api\/(desktop|browser|device|area|scope)\b/ },
  { title: "Locators", files: /^api\/(locator|path|image|effect)\b/ },
  { title: "Expectations", files: /^api\/(expect|picture)\b/ },
  { title: "Tools, errors and questions", files: /^(tools|base|policy)\// },
  { title: "The agent", files: /^agent\// },
  { title: "Private desktops", files: /^platform\// },
];

interface Exported extends Declared {
  readonly file: string;
}

/** Everything that the package exports. */
export function exportedDeclarations(dist = join(findRoot(), "dist")): readonly Exported[] {
  const index = readFileSync(join(dist, "index.d.ts"), "utf8");
  return parseSync("index.d.ts", index).program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || !statement.source) return [];
    const file = join(dirname("index.d.ts"), statement.source.value).replace(/\.(ts|js)$/, ".d.ts");
    const declared = declarationsOf(join(dist, file));
    return statement.specifiers.flatMap(({ local }) => {
      const name = local.type === "Identifier" ? local.name : "";
      const text = declared.get(name);
      if (text === undefined) throw new Error(`${file} does not declare ${name}`);
      return [{ name, file, text }];
    });
  });
}

/** The declarations of a file by name, each with the comment above it; overloads together. */
function declarationsOf(file: string): ReadonlyMap<string, string> {
  const source = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, source);
  const found = new Map<string, string>();
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) continue;
    const { declaration } = statement;
    const names =
      declaration.type === "VariableDeclaration"
        ? declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
        : "id" in declaration && declaration.id?.type === "Identifier"
          ? [declaration.id.name]
          : [];
    const comment = comments.findLast(
      ({ end, type }) => type === "Block" && end <= statement.start && source.slice(end, statement.start).trim() === "",
    );
    const start = comment?.start ?? statement.start;
    const text = source.slice(start, statement.end).replaceAll(/^ *#private;\n/gm, "");
    for (const name of names) found.set(name, [found.get(name), text].filter((part) => part !== undefined).join("\n"));
  }
  return found;
}

/** The reference of the library, from its declarations. */
export function apiMarkdown(): string {
  const all = exportedDeclarations();
  const sections = parts.map(({ title, files }) => {
    const own = all.filter(({ file }) => files.test(file));
    return `## ${title}\n\n${own.map(({ text }) => `\`\`\`ts\n${text.replaceAll("    ", "  ")}\n\`\`\``).join("\n\n")}`;
  });
  const left = all.filter(({ file }) => !parts.some(({ files }) => files.test(file)));
  if (left.length > 0) throw new Error(`no part of the reference has ${left.map(({ name }) => name).join(", ")}`);
  return [
    "# The library: reference",
    "",
    "Generated from the declarations of the package. [The guide](guides/library.md) shows how to use it; what each tool takes and",
    "answers is in [tools.md](tools.md).",
    "",
    `${sections.join("\n\n")}\n`,
  ].join("\n");
}
