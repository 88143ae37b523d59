/**
 * `*` matches any run of characters, `?` exactly one; the whole text must match, ignoring case. Look-alike spellings
 * that a title could use to evade a pattern (full-width letters, invisible characters) are folded first.
 */
export function fits(pattern: string, text: string): boolean {
  return glob(fold(pattern), fold(text));
}

/** The first matching pattern, as it was written. */
export function findPattern(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => fits(pattern, text));
}

function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, "")
    .toLowerCase();
}

// Not a regular expression: with many stars, a crafted title would take exponential time.
function glob(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    if (next < pattern.length && (pattern[next] === "?" || (pattern[next] === text[at] && pattern[next] !== "*"))) {
      at++;
      next++;
    } else if (pattern[next] === "*") {
      star = next++;
      mark = at;
    } else if (star >= 0) {
      next = star + 1;
      at = ++mark;
    } else return false;
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
