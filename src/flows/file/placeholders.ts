/** `${name}` and `${secret:NAME}` in the texts of a flow; `$${` is written for `${` itself. */

const placeholder = /\$\$\{|\$\{([^{}\n]*)\}|\$\{/g;

export interface Placeholder {
  readonly name: string;
  readonly isSecret: boolean;
}

const secretPrefix = "secret:";

const readName = (inside: string): Placeholder => {
  const name = inside.trim();
  return name.startsWith(secretPrefix)
    ? { name: name.slice(secretPrefix.length).trim(), isSecret: true }
    : { name, isSecret: false };
};

export const hasPlaceholder = (value: unknown): boolean =>
  typeof value === "string"
    ? /(?<!\$)\$\{/.test(value)
    : typeof value === "object" && value !== null && Object.values(value).some(hasPlaceholder);

/** Everything that a text refers to; undefined stands for a `${` that is never closed. */
export const placeholdersIn = (text: string): readonly (Placeholder | undefined)[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, inside]) =>
    whole === "$${" ? [] : [inside === undefined ? undefined : readName(inside)],
  );

/** What a placeholder stands for. Throws for one that stands for nothing. */
export type Lookup = (wanted: Placeholder) => unknown;

/** The value with everything put in. A text that is one placeholder becomes the value itself, so a number stays one. */
export function putIn(value: unknown, lookup: Lookup): unknown {
  if (typeof value === "string") return putInText(value, lookup);
  if (Array.isArray(value)) return value.map((each) => putIn(each, lookup));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, putIn(each, lookup)]));
}

function putInText(text: string, lookup: Lookup): unknown {
  const [, only] = /^\$\{([^{}\n]*)\}$/.exec(text) ?? [];
  if (only !== undefined) return lookup(readName(only));
  return text.replaceAll(placeholder, (whole: string, inside: string | undefined) =>
    whole === "$${" ? "${" : inside === undefined ? whole : String(lookup(readName(inside))),
  );
}
