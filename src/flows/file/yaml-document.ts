import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit, type Document, type Node } from "yaml";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A mistake in the text itself. */
export interface Fault extends Position {
  readonly message: string;
}

/** A value with the places in the text that it comes from. */
export interface Yaml {
  readonly value: unknown;
  /** Where the value at this path is written, or the nearest one around it. */
  readonly position: (path: readonly PropertyKey[]) => Position;
  /** Where the key at the end of this path is written. */
  readonly keyPosition: (path: readonly PropertyKey[]) => Position;
}

/** More characters than a flow that a person can read. */
export const mostCharacters = 1_000_000;
// Enough for blocks in blocks; without a limit a hostile file would exhaust the stack.
const deepest = 60;
const mostAliases = 100;

const start: Position = { line: 1, column: 1 };

/** All documents of the text; every fault of it instead, if there is one. */
export function readYaml(text: string): { readonly documents: readonly Yaml[]; readonly faults: readonly Fault[] } {
  const bad = (message: string, at: Position = start) => ({ documents: [], faults: [{ ...at, message }] });
  if (text.length > mostCharacters)
    return bad(`the file is too large: ${text.length} characters, at most ${mostCharacters}`);
  const tooDeep = deepFlow(text);
  if (tooDeep) return bad("brackets are nested too deep", tooDeep);
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, version: "1.2", schema: "core" });
    const documents: readonly Document.Parsed[] = Array.isArray(parsed) ? parsed : [];
    const faults = documents.flatMap(({ errors, warnings }) =>
      [...errors, ...warnings].map(({ message, pos }) => ({ ...at(pos[0]), message: firstLine(message) })),
    );
    if (faults.length > 0) return { documents: [], faults };
    for (const document of documents) {
      const fault = tooMuch(document);
      if (fault) return bad(fault.message, at(fault.offset));
    }
    return { documents: documents.map((document) => toYaml(document, at)), faults: [] };
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof ReferenceError)) throw error;
    return bad(error instanceof ReferenceError ? firstLine(error.message) : "the file is nested too deep");
  }
}

/** The place of a bracket that is nested too deep: the parser would exhaust the stack on it. */
function deepFlow(text: string): Position | undefined {
  let depth = 0;
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index];
    if (sign === "\n") {
      line++;
      lineStart = index + 1;
    } else if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth = Math.max(0, depth - 1);
    // Brackets in texts count too; nobody opens so many.
    if (depth > deepest * 4) return { line, column: index - lineStart + 1 };
  }
  return undefined;
}

/** Whatever grows out of proportion when it is read. */
function tooMuch(document: Document.Parsed): { readonly message: string; readonly offset: number } | undefined {
  let aliases = 0;
  let found: { readonly message: string; readonly offset: number } | undefined;
  visit(document, (key, node, path) => {
    const offset = (node as Partial<Node> | null)?.range?.[0] ?? 0;
    if (isAlias(node) && ++aliases > mostAliases) found = { message: `more than ${mostAliases} aliases`, offset };
    if (path.length > deepest * 2) found = { message: `nested deeper than ${deepest} levels`, offset };
    if (key === "key" && isScalar(node) && node.value === "__proto__")
      found = { message: '"__proto__" is no name', offset };
    if (key === "key" && !isScalar(node)) found = { message: "a key must be a plain text", offset };
    return found ? visit.BREAK : undefined;
  });
  return found;
}

function toYaml(document: Document.Parsed, at: (offset: number) => Position): Yaml {
  const value: unknown = document.toJS({ maxAliasCount: mostAliases });
  const whole = document.contents?.range?.[0] ?? 0;
  const walk = (path: readonly PropertyKey[], wantsKey: boolean): Position => {
    let node: unknown = document.contents;
    let offset = whole;
    for (const [index, part] of path.entries()) {
      const inner: unknown = isAlias(node) ? node.resolve(document) : node;
      const isLast = index === path.length - 1;
      if (isMap(inner)) {
        const pair = inner.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
        if (!pair) break;
        const keyAt = (pair.key as Partial<Node> | null)?.range?.[0];
        const valueAt = (pair.value as Partial<Node> | null)?.range?.[0];
        offset = (isLast && wantsKey ? keyAt : (valueAt ?? keyAt)) ?? offset;
        node = pair.value;
      } else if (isSeq(inner)) {
        const item = inner.items[Number(part)] as Node | undefined;
        if (item === undefined) break;
        offset = item.range?.[0] ?? offset;
        node = item;
      } else break;
    }
    return at(offset);
  };
  return { value, position: (path) => walk(path, false), keyPosition: (path) => walk(path, true) };
}

const firstLine = (message: string): string => {
  const [first = ""] = message.split("\n");
  return first.charAt(0).toLowerCase() + first.slice(1).replace(/[.:]$/, "");
};
