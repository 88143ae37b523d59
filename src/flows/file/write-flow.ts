import { Document, isMap, isSeq, visit, type Node } from "yaml";
import { flowSchema, stepLists, type Flow } from "./flow-schema.ts";

/** The flow as text: one readable line per step. */
export function writeFlow(flow: Flow, comments: readonly string[] = []): string {
  const order = Object.keys(flowSchema.shape);
  const entries = Object.entries(flow)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const document = new Document(Object.fromEntries(entries), {
    version: "1.2",
    schema: "core",
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Pair(_, { key, value }, path) {
      const isList = (stepLists as readonly string[]).includes(String((key as { readonly value?: unknown }).value));
      if (isList && isSeq(value)) return undefined;
      // The fields of the flow and of a step are lines of their own; whatever they hold is on the same line.
      if (isMap(value) || isSeq(value)) (value as Node & { flow?: boolean }).flow = true;
      return path.length > 40 ? visit.SKIP : undefined;
    },
  });
  const head = comments.map((line) => `# ${line.replaceAll(/[\r\n]+/g, " ")}\n`).join("");
  return (
    head + document.toString({ lineWidth: 0, flowCollectionPadding: true, defaultStringType: "PLAIN", nullStr: "~" })
  );
}
