import { ToolError } from "../base/errors.ts";
import { readOwnFile } from "../base/own-file.ts";

// Shorter secrets would redact ordinary words.
const shortestSecret = 4;

/** Where a text may have been cut: at a mark of it, and at its end, as long names are by apps and backends. */
const cuts = /…|$/g;
// No text is cut without a mark that is shorter.
const shortestCut = 80;

interface Spelling {
  readonly text: string;
  readonly shown: string;
}

/** The values of the secrets file, which appear nowhere but by name. */
export class Secrets {
  readonly #named = new Map<string, string>();
  #spellings: readonly Spelling[] = [];

  constructor(named: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(named)) this.add(name, value);
  }

  /** From now on this value appears nowhere but by its name. */
  add(name: string, value: string): void {
    this.#named.set(name, value);
    this.#spellings = [...this.#named]
      .flatMap(([each, secret]) => spellings(secret).map((text) => ({ text, shown: `[SECRET ${each}]` })))
      .sort((a, b) => b.text.length - a.text.length);
  }

  /** The value with this name, for entering it. */
  value(name: string): string | undefined {
    return this.#named.get(name);
  }

  /** There are no named values. */
  get isEmpty(): boolean {
    return this.#spellings.length === 0;
  }

  /** The length of the longest value, in any spelling. */
  get longest(): number {
    return this.#spellings[0]?.text.length ?? 0;
  }

  /** Whether a text contains one of the named values. */
  holds(text: string): boolean {
    return this.#spellings.some((spelling) => text.includes(spelling.text));
  }

  /** Named values replaced by their names, at every depth. */
  conceal<T>(value: T): T {
    return this.#spellings.length === 0 ? value : (mapTexts(value, (text) => this.#nameIn(text)) as T);
  }

  /**
   * The beginning of a text, concealed before it is cut: half a value would not be recognised. Where the text itself is the
   * beginning of a longer one it must have `longest` characters more than are wanted.
   */
  concealStart(text: string, characters: number): string {
    const start = [...text].slice(0, characters + this.longest);
    const concealed = this.conceal(start.join(""));
    if (start.length <= characters) return concealed;
    const named = [...concealed];
    // What was looked at beyond the cut may end in half a value itself.
    return named.slice(0, Math.min(characters, named.length - (start.length - characters))).join("");
  }

  #nameIn(text: string): string {
    const named = this.#spellings.reduce((found, { text: secret, shown }) => found.replaceAll(secret, shown), text);
    return [...named.matchAll(cuts)]
      .filter(({ 0: mark, index }) => mark !== "" || index >= shortestCut)
      .toReversed()
      .reduce((found, { index }) => this.#nameBefore(found, index), named);
  }

  /** A text that was cut in the middle of a value ends with its beginning. */
  #nameBefore(text: string, end: number): string {
    for (const { text: secret, shown } of this.#spellings) {
      for (let length = secret.length - 1; length >= shortestSecret; length--) {
        const start = end - length;
        if (start >= 0 && text.startsWith(secret.slice(0, length), start))
          return text.slice(0, start) + shown + text.slice(end);
      }
    }
    return text;
  }
}

/** The value as it is, and encoded: in an address, in base64, inside JSON. */
function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const all = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
  return [...new Set(all)].filter((text) => text.length >= shortestSecret);
}

function mapTexts(value: unknown, map: (text: string) => string, above: readonly object[] = []): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || above.includes(value)) return value;
  const path = [...above, value];
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, path));
  if (value instanceof Date || value instanceof Error) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapTexts(inner, map, path)]));
}

/** A JSON object of names and values, readable by this user only. */
export function loadSecrets(file: string): Secrets {
  let value: unknown;
  try {
    value = JSON.parse(readOwnFile(file));
  } catch (error) {
    // A JSON error message quotes the surrounding text, which may be a secret.
    const why = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
    throw new ToolError("invalid_argument", `The secrets file ${file} cannot be read: ${why}.`, {
      hint: 'It holds names and values: {"bank_pin": "…"}.',
    });
  }
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  const bad = entries?.find(([, secret]) => typeof secret !== "string" || secret.length < shortestSecret);
  if (entries === undefined || bad !== undefined) {
    const what =
      bad === undefined ? "must hold one object" : `"${bad[0]}" must be a text of ${shortestSecret} characters or more`;
    throw new ToolError("invalid_argument", `The secrets file ${file}: ${what}.`);
  }
  return new Secrets(Object.fromEntries(entries));
}
