const common: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Replaces every character that matches `which` by a readable escape. */
export function spellOut(text: string, which: RegExp): string {
  return text.replaceAll(
    which,
    (character) => common[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

// These move, hide or reverse what is next to them, or are invisible.
const deceptive = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gu;
const quotes = /["“”„‟″‶＂〝〞〟]/gu;

/**
 * Somebody else's text inside a sentence of ours: it can neither end its own quotes nor change how the rest reads.
 */
export function quote(text: string, most = 80): string {
  // A backslash at its end would make the closing quote look like one of its own.
  const letters = [...spellOut(text.replaceAll("\\", "\\\\"), deceptive).replaceAll(quotes, "'")];
  return `"${letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("")}"`;
}
