import { flowJsonSchema } from "../src/flows/file/json-schema.ts";

/** The JSON Schema of flow files, for editors. */
export const flowSchemaText = (): string => `${JSON.stringify(flowJsonSchema(), null, 2)}\n`;
