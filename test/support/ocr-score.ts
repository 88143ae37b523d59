import { contains, intersect, type ImageRect } from "../../src/base/geometry.ts";
import type { TrueWord } from "./ocr-render.ts";

export interface ReadWord {
  readonly text: string;
  readonly box: ImageRect;
}

/** Counts, so that the figures of many screens are those of all their words together. */
export interface Score {
  /** Words a person can see. */
  readonly words: number;
  readonly exact: number;
  /** Like `exact`, but capitals do not matter. */
  readonly anyCase: number;
  /** Like `exact`, but capitals and accents do not matter. */
  readonly folded: number;
  /** One letter may be wrong, missing or too much in words of four letters and more. */
  readonly near: number;
  /** Of `near`: the centre of the box that was read lies in the true word. */
  readonly clickable: number;
  /** Words read; those that are only punctuation or lie where a word is half hidden are left out. */
  readonly read: number;
}

export interface Miss {
  readonly word: TrueWord;
  /** What was read there, if anything. */
  readonly seenAs: string;
}

export interface Judgement {
  readonly score: Score;
  readonly misses: readonly Miss[];
  /** Read, but nobody wrote it. */
  readonly inventions: readonly ReadWord[];
}

export const noScore: Score = { words: 0, exact: 0, anyCase: 0, folded: 0, near: 0, clickable: 0, read: 0 };

export const addScores = (a: Score, b: Score): Score => ({
  words: a.words + b.words,
  exact: a.exact + b.exact,
  anyCase: a.anyCase + b.anyCase,
  folded: a.folded + b.folded,
  near: a.near + b.near,
  clickable: a.clickable + b.clickable,
  read: a.read + b.read,
});

/** Punctuation at the edges is nobody's aim. */
export const core = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll("’", "'")
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

const fold = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** How alike two words are, best first; undefined when they are different words. */
const likeness = ["exact", "anyCase", "folded", "near"] as const;
type Likeness = (typeof likeness)[number];

function likenessesOf(truth: string, read: string): Likeness[] {
  const [a, b] = [core(truth), core(read)];
  const found: Likeness[] = [];
  if (a === b) found.push("exact");
  if (a.toLowerCase() === b.toLowerCase()) found.push("anyCase");
  if (fold(a) === fold(b)) found.push("folded");
  if (a === b || ([...a].length >= 4 && isOneEdit(a, b))) found.push("near");
  return found;
}

/** At most one letter replaced, added or left out. */
export function isOneEdit(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [[...a], [...b]] : [[...b], [...a]];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && long[same] === short[same]) same++;
  const rest = long.length === short.length ? short.slice(same + 1) : short.slice(same);
  return long.slice(same + 1).join("") === rest.join("");
}

interface Pair {
  readonly truth: TrueWord;
  readonly read: ReadWord;
  readonly likenesses: readonly Likeness[];
  readonly distance: number;
}

/**
 * Each true word gets at most one word that was read: an equal one before a similar one, a near one before a far one,
 * none from farther away than a line's height. Whether the box could be clicked is asked only after that.
 */
export function judge(truth: readonly TrueWord[], read: readonly ReadWord[]): Judgement {
  const seen = truth.filter(({ isSeen, text }) => isSeen && core(text) !== "");
  const rest = truth.filter((word) => !seen.includes(word));
  const pairs = pairsOf(seen, read);
  const readOf = new Map<TrueWord, Pair>();
  const used = new Set<ReadWord>();
  for (const pair of pairs) {
    if (readOf.has(pair.truth) || used.has(pair.read)) continue;
    readOf.set(pair.truth, pair);
    used.add(pair.read);
  }
  const inventions = read.filter((word) => !used.has(word) && core(word.text) !== "" && !isExcused(word, rest));
  const isWrong = (pair: Pair) => !pair.likenesses.includes("near");
  const count = (kind: Likeness) => [...readOf.values()].filter(({ likenesses }) => likenesses.includes(kind)).length;
  const near = [...readOf.values()].filter((pair) => !isWrong(pair));
  const score: Score = {
    words: seen.length,
    exact: count("exact"),
    anyCase: count("anyCase"),
    folded: count("folded"),
    near: near.length,
    clickable: near.filter((pair) => contains(pair.truth, middle(pair.read.box))).length,
    read: used.size + inventions.length,
  };
  const misses = seen
    .filter((word) => !near.some((pair) => pair.truth === word))
    .map((word) => ({ word, seenAs: readAround(word, read) }));
  return { score, misses, inventions };
}

function pairsOf(truth: readonly TrueWord[], read: readonly ReadWord[]): Pair[] {
  const pairs: Pair[] = [];
  for (const word of truth) {
    for (const candidate of read) {
      const reach = grown(word, word.height);
      if (!intersect(reach, candidate.box)) continue;
      const likenesses = likenessesOf(word.text, candidate.text);
      if (likenesses.length === 0) continue;
      pairs.push({ truth: word, read: candidate, likenesses, distance: distance(word, candidate.box) });
    }
  }
  const rank = ({ likenesses }: Pair) => likeness.findIndex((kind) => likenesses.includes(kind));
  return pairs.sort((a, b) => rank(a) - rank(b) || a.distance - b.distance);
}

/** Only part of what is there can be read, or what is there is no word. */
function isExcused({ box }: ReadWord, rest: readonly TrueWord[]): boolean {
  const area = box.width * box.height;
  const covered = rest.reduce((sum, word) => {
    const common = intersect(word, box);
    return sum + (common ? common.width * common.height : 0);
  }, 0);
  return covered > area * 0.3;
}

const readAround = (word: TrueWord, read: readonly ReadWord[]): string =>
  read
    .filter(({ box }) => {
      const common = intersect(word, box);
      return common !== undefined && common.width * common.height > 0.2 * Math.min(area(word), area(box));
    })
    .map(({ text }) => text)
    .join(" ");

const middle = ({ x, y, width, height }: ImageRect) => ({ x: x + width / 2, y: y + height / 2 });

const area = ({ width, height }: ImageRect): number => width * height;

const grown = (rect: ImageRect, by: number): ImageRect => ({
  x: rect.x - by,
  y: rect.y - by,
  width: rect.width + 2 * by,
  height: rect.height + 2 * by,
});

function distance(a: ImageRect, b: ImageRect): number {
  return Math.hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2);
}
