import { oneLine } from "./one-line.ts";

/** Texts are compared as they are shown, in any case. */
export const foldText = (text: string): string => oneLine(text).toLowerCase();

/** What `rank` says of a text that is what was asked for, and of one that has it somewhere. */
export const wholeRank = 100;
export const partRank = 50;

/**
 * Makes the one matcher of texts; both texts are folded before. Pages run a copy of its source, so that it may use
 * nothing from outside.
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

  /** Whether each word that is wanted is a whole word of the text, in any order. */
  const hasWords = (text: string, wanted: string): boolean => {
    const [own, sought] = [wordsOf(text), wordsOf(wanted)];
    return sought.length > 0 && sought.every((word) => own.includes(word));
  };

  /** How well a text answers, 0 to 100; 50 and more: it has what is wanted, below: only some of the words. */
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

  /** How well an element answers: by its name, and where that has it not by what else is said of it, which counts less. */
  const rate = (name: string, others: () => readonly string[], wanted: string): number => {
    const own = rank(name, wanted);
    return own >= 50 ? own : others().reduce((best, other) => Math.max(best, rank(other, wanted) * 0.6), own);
  };

  return { rank, rate, hasWords };
}

export type Matcher = ReturnType<typeof makeMatcher>;

export const { rank: rankText, rate: rateText, hasWords } = makeMatcher();
