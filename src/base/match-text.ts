import { oneLine } from "./one-line.ts";

/** Texts are compared as they are shown, ignoring case. */
export const foldText = (text: string): string => oneLine(text).toLowerCase();

/** What `rank` returns for a full match, and for a text that contains the wanted one. */
export const wholeRank = 100;
export const partRank = 50;

/**
 * Creates the only text matcher; both texts must be folded first. Pages run a copy of its source, so it must not use
 * anything from outside.
 */
export function makeMatcher() {
  const isWordPart = /[\p{L}\p{N}]/u;
  const isOneWord = /^[\p{L}\p{N}]+$/u;
  const startsWord = (text: string, wanted: string): boolean => {
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
      if (!isWordPart.test(text[at - 1] || "")) return true;
    return false;
  };
  const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");

  /** Whether each wanted word is a whole word of the text, in any order. */
  const hasWords = (text: string, wanted: string): boolean => {
    const [own, sought] = [wordsOf(text), wordsOf(wanted)];
    return sought.length > 0 && sought.every((word) => own.includes(word));
  };

  /** How well a text matches, 0 to 100; from 50 on it contains the wanted text, below only some of its words. */
  const rank = (text: string, wanted: string): number => {
    if (text === "") return 0;
    if (text === wanted) return 100;
    if (text.startsWith(wanted)) return 80;
    if (text.indexOf(wanted) >= 0) return startsWord(text, wanted) ? 65 : 50;
    if (isOneWord.test(wanted)) return 0;
    if (hasWords(text, wanted)) return 40;
    const words = wanted.split(" ");
    const hits = words.filter((word) => text.indexOf(word) >= 0).length;
    return words.length > 1 ? Math.round((40 * hits) / words.length) : 0;
  };

  /**
   * How well an element matches: by its name, or, if that does not contain the text, by its other texts, which count
   * less.
   */
  const rate = (name: string, others: () => readonly string[], wanted: string): number => {
    const own = rank(name, wanted);
    return own >= 50 ? own : others().reduce((best, other) => Math.max(best, rank(other, wanted) * 0.6), own);
  };

  return { rank, rate, hasWords };
}

export type Matcher = ReturnType<typeof makeMatcher>;

export const { rank: rankText, rate: rateText, hasWords } = makeMatcher();

// "No" is not meant by "Notes", but "Save" may be by "Saved".
const longestShort = 3;
const isWordPart = /[\p{L}\p{N}]/u;
// Written without spaces between words.
const isUnspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** Whether a text stands in another as a person would name it: not "ok" in "book". Both must be folded first. */
export function hasAsWords(text: string, wanted: string): boolean {
  if (isUnspaced.test(wanted)) return text.includes(wanted);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const starts = !isWordPart.test(wanted[0] ?? "") || !isWordPart.test(text[at - 1] ?? "");
    const end = at + wanted.length;
    const ends = !isWordPart.test(wanted.at(-1) ?? "") || !isWordPart.test(text[end] ?? "");
    if (starts && (ends || wanted.length > longestShort)) return true;
  }
  return false;
}
