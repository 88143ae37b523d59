import { hasQuote, quote } from "./quotes.ts";

/** Words at the beginning of a clause that say to do something. */
const verbs =
  "click|double[- ]?click|right[- ]?click|press|push|hit|tap|type|enter|write|put|input|insert|fill|set|change|replace|clear|" +
  "empty|erase|select|choose|pick|open|close|go|switch|follow|focus|activate|check|uncheck|tick|untick|turn|enable|disable|" +
  "make|ensure|verify|expect|wait|scroll|use|drag|move|show|expand|collapse|toggle|in the|into the|from the";

const adverbs =
  "(?:(?:and|then|next|now|also|afterwards|finally|lastly|last|first|firstly|second|secondly|please|after that)[, ]+)*";
export const startsWithVerb = new RegExp(`^${adverbs}(?:${verbs})\\b`, "i");
const leading = new RegExp(`^${adverbs}`, "i");
const numbering = /^(?:\d{1,2}[.)]|[-*•])\s+(?=\S)/;

/** The steps of an instruction, in order. Quoted parts must be masked. */
export function splitClauses(text: string): readonly string[] {
  return text
    .split(/\r?\n|;/)
    .map((line) => line.trim().replace(numbering, ""))
    .flatMap(sentences)
    .flatMap((sentence) => sentence.split(/,?\s+(?:and\s+)?then\s+|\s*→\s*/i))
    .flatMap(lists)
    .map((clause) =>
      clause
        .trim()
        .replace(leading, "")
        .replace(/^to\s+/i, "")
        .trim(),
    )
    .map((clause) => clause.replace(/[.!,]+$/, (end) => (/^\S+\s+[.,!]$/.test(clause) ? end : "")).trim())
    .filter((clause) => clause !== "");
}

/** A full stop ends a sentence if another one follows; a lone dot may be the name of a key. */
function sentences(line: string): readonly string[] {
  return line.split(/(?<=[^\s.][.!])\s+(?=\S)/);
}

/** "press 1, press + and press =": commas and "and" separate clauses only if the next one says what to do. */
function lists(sentence: string): readonly string[] {
  const parts: string[] = [];
  let rest = sentence;
  const separator = /,\s+and\s+|,\s+|\s+and\s+/gi;
  let match = separator.exec(rest);
  while (match) {
    const after = rest.slice(match.index + match[0].length);
    // "In the View menu, select …" is one clause: its first part only says where.
    const isPlace = /^(?:in|into|inside|from|under|on)\b/i.test(rest.slice(0, match.index).replace(leading, ""));
    // "Search > Find and Replace, …" is a name: a real step also says what to act on.
    const isBare = /^[\p{L}-]+\s*(?:,|$)/u.test(after);
    // "find and click": nothing is clicked before it is found.
    const isSought = /(?:^|\bto )find$/i.test(rest.slice(0, match.index));
    const startsAnew = startsWithVerb.test(after) && !isPlace && !isBare && !isSought;
    const isPair =
      new RegExp(`^[\\p{L}][\\p{L} ]* ?:? ?${quote}`, "u").test(after) && /⟦\d+⟧$/.test(rest.slice(0, match.index));
    // "click 2, 5, 0": keys one after the other.
    const isKey =
      /^(?:\d+|[^\s\p{L}⟦])(?=[,.]|\s+and\s|$)/u.test(after) &&
      /(?:^|\s)(?:\d+|[^\s\p{L}⟧])$/u.test(rest.slice(0, match.index));
    // "type "a" into A and "b" into B"
    const isText = new RegExp(`^${quote} (?:in|into) `, "i").test(after) && hasQuote(rest.slice(0, match.index));
    if (startsAnew || isPair || isKey || isText) {
      parts.push(rest.slice(0, match.index));
      rest = after;
      separator.lastIndex = 0;
    }
    match = separator.exec(rest);
  }
  return [...parts, rest];
}
