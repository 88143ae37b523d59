import { isMap, textOf, type Converting } from "./converting.ts";

/** A target of ours, or nothing when the selector cannot be said. */
export type Target = string | Record<string, unknown>;

const states = ["enabled", "checked", "focused", "selected"] as const;
/** Fields of a command around its selector. */
const around: ReadonlySet<string> = new Set([
  "optional",
  "label",
  "retryTapIfNoChange",
  "waitToSettleTimeoutMs",
  "repeat",
  "delay",
  "timeout",
]);

// Maestro takes every text as a regular expression; most of them mean themselves.
const meansMore = /[\\^$*+?()[\]{}|]|\.(?=[*+?])/;

function plainText(text: string, field: string, { unsupported }: Converting): string | undefined {
  const literal = text.replaceAll(/\\([.^$*+?()[\]{}|\\])/g, (_, sign: string) => sign);
  const withoutVariables = text.replaceAll(/\$\{[^}]*\}/g, "").replaceAll(/\\[.^$*+?()[\]{}|\\]/g, "");
  if (!meansMore.test(withoutVariables)) return literal;
  unsupported(`${field}: the regular expression ${JSON.stringify(text)}`);
  return undefined;
}

export function toTarget(given: unknown, converting: Converting): Target | undefined {
  if (typeof given === "string" || typeof given === "number") return plainText(String(given), "text", converting);
  if (!isMap(given)) {
    converting.unsupported("a selector that is neither a text nor fields");
    return undefined;
  }
  const target: Record<string, unknown> = {};
  let isWhole = true;
  for (const [field, value] of Object.entries(given)) {
    if (around.has(field)) continue;
    if (field === "text" || field === "id") {
      const text = plainText(textOf(value) ?? "", field, converting);
      if (text === undefined) isWhole = false;
      else target[field === "text" ? "name" : "id"] = text;
    } else if (field === "index") target["nth"] = typeof value === "number" ? value + 1 : Number(value) + 1;
    else if (field === "point") target["point"] = textOf(value);
    else if ((states as readonly string[]).includes(field)) target[field] = value === true || value === "true";
    else if (field === "childOf") {
      const outer = toTarget(value, converting.at([field]));
      if (outer === undefined) isWhole = false;
      else target["within"] = typeof outer === "string" ? { name: outer } : outer;
    } else {
      converting.unsupported(`selector field ${field}`);
      isWhole = false;
    }
  }
  if (!isWhole) return undefined;
  const { name, ...others } = target;
  // A text alone is looked for in the picture as well, as Maestro does.
  if (Object.keys(others).length === 0 && typeof name === "string") return name;
  if (Object.keys(target).length > 0) return target;
  converting.unsupported("a selector without fields");
  return undefined;
}
