import { isData, line, plain, rows, texts, type Data } from "./words.ts";

/** A tool that `find_tools` has found: what it does, then a line for each argument. */
export function toolLines({ name, summary, input_schema: schema }: Data): readonly string[] {
  const head = `${plain(name)}: ${plain(summary)}`;
  if (!isData(schema)) return [line(`${head} (arguments left out)`)];
  const required = texts(schema["required"]);
  const { properties } = schema;
  const fields = isData(properties) ? Object.entries(properties) : [];
  return [head, ...fields.map(([field, type]) => `  ${argument(field, isData(type) ? type : {}, required)}`)].map(line);
}

/** `button?: left|right = "left", Mouse button` */
function argument(name: string, schema: Data, required: readonly string[]): string {
  const { default: preset, description } = schema;
  const words = [
    `${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`,
    ...(preset === undefined ? [] : [` = ${JSON.stringify(preset)}`]),
    ...(typeof description === "string" ? [`, ${description}`] : []),
  ];
  return words.join("");
}

function typeOf(schema: Data): string {
  const { enum: choices, anyOf, items, properties, type } = schema;
  if (Array.isArray(choices)) return choices.map((choice) => plain(choice)).join("|");
  if (Array.isArray(anyOf)) return rows(anyOf).map(typeOf).join(" or ");
  if (isData(items)) return `list of ${typeOf(items)}`;
  if (isData(properties) && Object.keys(properties).length > 0) return `{${Object.keys(properties).join(", ")}}`;
  return plain(type) || "any";
}
