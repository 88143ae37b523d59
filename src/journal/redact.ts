const longestText = 2_000;
const longestList = 2_000;
const deepest = 32;

export const redacted = "[REDACTED]";

/**
 * A copy for the journal: values of secret keys are removed at every depth, long texts and lists are cut, and bytes
 * are replaced by their count. Texts are concealed before they are cut: half a secret would not be recognised. Accepts
 * anything, including cycles, and never throws.
 */
export function redact(value: unknown, secretKeys: readonly string[], conceal: Conceal = (text) => text): unknown {
  const secrets = new Set(secretKeys.map((key) => key.toLowerCase()));
  return copy(value, { secrets, shortened: (text) => shorten(conceal(text)) }, []);
}

/** Replaces the secrets in a text. */
export type Conceal = (text: string) => string;

interface How {
  readonly secrets: ReadonlySet<string>;
  readonly shortened: (text: string) => string;
}

function copy(value: unknown, how: How, above: readonly object[]): unknown {
  if (typeof value === "string") return how.shortened(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) {
    return typeof value === "function" || typeof value === "symbol" ? undefined : value;
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
  if (above.includes(value)) return "[circular]";
  if (above.length >= deepest) return "[too deep]";
  const path = [...above, value];
  if (Array.isArray(value)) {
    const kept = value.slice(0, longestList).map((item) => copy(item, how, path));
    return value.length > longestList ? [...kept, `[${value.length - longestList} more]`] : kept;
  }
  // fromEntries defines own properties, so a "__proto__" key in garbage input stays a plain key.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      how.shortened(key),
      how.secrets.has(key.toLowerCase()) ? redacted : copy(inner, how, path),
    ]),
  );
}

function shorten(text: string): string {
  if (text.length <= longestText) return text;
  // Cutting a surrogate pair in half would leave an invalid character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longestText - 1)) ? longestText - 1 : longestText;
  return `${text.slice(0, end)}[${text.length - end} more characters]`;
}
