import { z } from "zod";
import { flowSchema } from "./flow-schema.ts";

/** The JSON Schema of a flow file, for editors. A variable may stand wherever a number or a formed text is taken. */
export function flowJsonSchema(): unknown {
  const schema = z.toJSONSchema(flowSchema, {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "any",
    reused: "ref",
  });
  const { $schema, ...rest } = withVariables(schema) as Readonly<Record<string, unknown>>;
  return { $schema, title: "handsight flow", ...rest };
}

const variable = { type: "string", pattern: "\\$\\{.+\\}" };

function withVariables(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withVariables);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withVariables(value)]));
  const { type, pattern, description, propertyNames, ...others } = inner;
  const isFormed =
    (type === "string" && pattern !== undefined) || ["number", "integer", "boolean"].includes(String(type));
  // The names of variables contain no variables.
  if (!isFormed) return propertyNames === undefined ? inner : { ...inner, propertyNames: originalNames(schema) };
  const plain = { type, ...(pattern === undefined ? {} : { pattern }), ...others };
  return { anyOf: [plain, variable], ...(description === undefined ? {} : { description }) };
}

const originalNames = (schema: object): unknown => (schema as { readonly propertyNames?: unknown }).propertyNames;
