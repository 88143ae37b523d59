import { contains, intersect, type ImageRect } from "../../src/base/geometry.ts";
import type { TrueWord } from "./ocr-render.ts";

export interface ReadWord {
  readonly text: string;
  readonly box: ImageRect;
}

/** Counts, so that figures for many screens are computed over all their words. */
export interface Score {
  /** Words that a person can see. */
  readonly words: number;
  readonly exact: number;
  /** Like `exact`, but ignoring case. */
  readonly anyCase: number;
  /** Like `exact`, but ignoring case and accents. */
  readonly folded: number;
  /** One letter may be wrong, missing or extra in words of four or more letters. */
  readonly near: number;
  /** Of `near`: the centre of the recognised box is inside the true word. */
  readonly clickable: number;
  /** Words read, except those that are only punctuation or are where a word is half hidden. */
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
  /** Read although it is not there. */
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

/** Punctuation at the edges does not count. */
export const core = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll("’", "'")
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");

const fold = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** How similar two words are, best first; undefined when they are different words. */
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

/** At most one letter is replaced, added or missing. */
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
 * Each true word is matched with at most one word that was read: an equal one before a similar one, a close one
 * before a distant one, none farther away than a line's height. Only then is it checked whether the box could be
 * clicked.
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

/** Only part of it can be read, or it is not a word. */
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
