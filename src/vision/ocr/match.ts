import { union, type RectSpace, type SpacedRect } from "../../base/geometry.ts";
import { bareText, blurText, foldText, plainText, shapedText } from "./fold.ts";
import { fewestInSentence, linesAlone, linesJoined, type Passage } from "./passages.ts";
import type { Line, Word } from "./reading.ts";

export interface TextMatch<Space extends RectSpace = "image"> {
  /** As recognised. */
  readonly text: string;
  readonly box: SpacedRect<Space>;
  /** Of the words that contain it. */
  readonly confidence: number;
  /**
   * 1 for the same letters, ignoring case; 0.95 if look-alikes or accents differ; 0.9 if letters differ that the reader
   * takes for each other; 0.8 if any other letter differs.
   */
  readonly quality: number;
  /** A letter differs that is not easily misread, so this is probably another text. */
  readonly isOther: boolean;
  /** 0 for the best matches; matches that nothing but their place distinguishes have the same. */
  readonly rank: number;
}

export interface MatchOptions {
  readonly maxResults?: number | undefined;
}

// Shorter texts would match each other: "on" and "of" are one letter apart.
const shortestWithEdit = 4;
const qualities = { exact: 1, folded: 0.95, misread: 0.9, similar: 0.8 } as const;

/** Where a text is, best match first, then in reading order; see `rankOf`. */
export function matchText<Space extends RectSpace>(
  lines: readonly Line<Space>[],
  query: string,
  options: MatchOptions = {},
): TextMatch<Space>[] {
  const found = search(lines, query);
  // The dots after a menu item are easily misread, and callers leave out the colon of a label.
  const bare = query.trim().replace(/[.…:]+$/, "");
  const all = found.length > 0 || bare === query.trim() ? found : search(lines, bare);
  const sorted = all.toSorted((a, b) => compare(a.rank, b.rank)).slice(0, options.maxResults);
  let rank = 0;
  return sorted.map(({ match, rank: own }, i) => {
    if (i > 0 && compare(own, sorted[i - 1]?.rank ?? own) !== 0) rank += 1;
    return { ...match, rank };
  });
}

function search<Space extends RectSpace>(lines: readonly Line<Space>[], query: string): Ranked<Space>[] {
  const wanted: Wanted = {
    plain: plainText(query),
    bare: bareText(query),
    folded: foldText(query),
    shaped: shapedText(query),
  };
  if (wanted.folded === "") return [];
  const alone = linesAlone(lines).flatMap((passage) => matchPassage(passage, wanted));
  if (alone.some(({ rank }) => rank[0] === 0 && rank[1] === 0)) return alone;
  return [...alone, ...linesJoined(lines).flatMap((passage) => matchPassage(passage, wanted))];
}

interface Wanted {
  readonly plain: string;
  readonly bare: string;
  readonly folded: string;
  readonly shaped: string;
}

/** The folded text of a passage, and the word that each of its characters comes from. */
interface Folded {
  readonly text: string;
  readonly bare: string;
  readonly shaped: string;
  readonly words: readonly number[];
}

function fold(words: readonly Pick<Word, "text">[]): Folded {
  const parts = words.map(({ text }) => foldText(text));
  return {
    text: parts.join(""),
    bare: words.map(({ text }) => bareText(text)).join(""),
    shaped: words.map(({ text }) => shapedText(text)).join(""),
    words: parts.flatMap((part, i) => Array.from({ length: part.length }, () => i)),
  };
}

/** Lower is better; the first number that differs decides. */
type Rank = readonly number[];

const compare = (a: Rank, b: Rank): number => {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
};

interface Ranked<Space extends RectSpace> {
  readonly match: Omit<TextMatch<Space>, "rank">;
  readonly rank: Rank;
}

function matchPassage<Space extends RectSpace>(passage: Passage<Space>, wanted: Wanted): Ranked<Space>[] {
  const folded = fold(passage.words);
  return findSpans(folded, wanted).flatMap((span): Ranked<Space>[] => {
    const first = folded.words[span.start] as number;
    const last = folded.words[span.end - 1] as number;
    // What is inside one line was found there.
    if (passage.starts.length > 1 && !passage.starts.some((start) => start > first && start <= last)) return [];
    const words = passage.words.slice(first, last + 1);
    const text = words.map((word) => word.text).join(" ");
    const isExact = plainText(text).includes(wanted.plain);
    const isOther = span.edits === 2;
    const same = isExact ? qualities.exact : qualities.folded;
    const quality = ([same, qualities.misread, qualities.similar] as const)[span.edits];
    const rank = rankOf(passage, folded, span, wanted);
    const confidence = Math.min(...words.map((word) => word.confidence));
    const match = { text, box: boxOf(passage, folded, span), quality, isOther, confidence };
    return [{ match, rank: [...rank, -quality] }];
  });
}

/**
 * The right letters before a similar text, a whole word before a part of one, the same case before another, and a text
 * that stands alone, such as a label, before running text.
 */
function rankOf(
  { words, isContinued }: Passage<RectSpace>,
  folded: Folded,
  { start, end, edits }: Span,
  wanted: Wanted,
): number[] {
  const isInWord = (at: number, other: number): boolean =>
    folded.words[at] === folded.words[other] &&
    letter.test(folded.text[at] ?? "") &&
    letter.test(folded.text[other] ?? "");
  const isPart = isInWord(start, start - 1) || isInWord(end - 1, end);
  const isSameCase = folded.shaped.slice(start, end) === wanted.shaped;
  const around = folded.text.slice(0, start) + folded.text.slice(end);
  const others = words.length - ((folded.words[end - 1] as number) - (folded.words[start] as number) + 1);
  const isSentence = isContinued || others + 1 >= fewestInSentence;
  const company = isSentence ? 3 : letter.test(around) ? 2 : around === "" ? 0 : 1;
  return [edits, isPart ? 1 : 0, isSameCase ? 0 : 1, company];
}

const letter = /[\p{L}\p{N}]/u;

interface Span {
  readonly start: number;
  readonly end: number;
  /** 1 if letters differ that the reader takes for each other, 2 if any other letter does. */
  readonly edits: 0 | 1 | 2;
}

/** Every exact match; if there is none, those that may have been misread; else those that differ by one letter. */
function findSpans({ text, bare }: Folded, { folded: query, bare: bareQuery }: Wanted): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
    spans.push({ start: at, end: at + query.length, edits: 0 });
  }
  if (spans.length > 0) return spans;
  const blurred = blurText(query);
  const misread = spansWhere(text, query.length, (from, to) => blurText(text.slice(from, to)) === blurred);
  if (misread.length > 0) return misread.map((span) => ({ ...span, edits: 1 }));
  if (query.length < shortestWithEdit) return [];
  const similar = spansWhere(
    text,
    query.length,
    (from, to) => isOneEdit(text.slice(from, to), query) && !isOtherNumber(bare.slice(from, to), bareQuery),
  );
  return similar.map((span) => ({ ...span, edits: 2 }));
}

/** The pieces of the text that fit, about as long as asked for; none overlaps another. */
function spansWhere(
  text: string,
  about: number,
  fits: (from: number, to: number) => boolean,
): readonly Omit<Span, "edits">[] {
  const spans: Omit<Span, "edits">[] = [];
  for (let start = 0; start < text.length; start++) {
    const length = [about, about + 1, about - 1].find(
      (own) => own > 0 && start + own <= text.length && fits(start, start + own),
    );
    if (length === undefined) continue;
    spans.push({ start, end: start + length });
    start += length - 1;
  }
  return spans;
}

/** At most one letter is replaced, added or missing. */
export function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  let same = 0;
  while (same < short.length && long[same] === short[same]) same++;
  return long.slice(same + 1) === short.slice(long.length === short.length ? same + 1 : same);
}

/**
 * For two texts one edit apart: a digit replaced by another, or added. A digit in place of a letter is a misreading.
 */
function isOtherNumber(a: string, b: string): boolean {
  const [own, wanted] = [a, b].map((text) => text.replaceAll(/\D/g, "")) as [string, string];
  return own !== wanted && (own.length === wanted.length) === (a.length === b.length);
}

/**
 * In several lines, the box of all of them only if they are the text and nothing else: the middle of the end of one
 * line and the start of the next belongs to neither.
 */
function boxOf<Space extends RectSpace>(
  { words, starts }: Passage<Space>,
  folded: Folded,
  { start, end }: Span,
): SpacedRect<Space> {
  const pieces = starts.flatMap((from, i) => {
    const to = starts[i + 1] ?? words.length;
    const own = folded.words.flatMap((word, at) => (word >= from && word < to && at >= start && at < end ? [at] : []));
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? [] : [cutBox(words, folded, first, last + 1)];
  });
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  const isAll = start === 0 && end === folded.text.length;
  const widest = pieces.toSorted((a, b) => b.width - a.width)[0] as SpacedRect<Space>;
  return isAll ? (union(pieces) ?? widest) : widest;
}

/** The box of the words, cut at the first and last matching letter, assuming that letters are equally wide. */
function cutBox<Space extends RectSpace>(
  all: readonly Word<Space>[],
  folded: Folded,
  start: number,
  end: number,
): SpacedRect<Space> {
  const words = all.slice(folded.words[start], (folded.words[end - 1] as number) + 1);
  const first = words[0] as Word<Space>;
  const last = words.at(-1) as Word<Space>;
  const left = first.box.x + first.box.width * shareOf(folded, start, start);
  const right = last.box.x + last.box.width * shareOf(folded, end - 1, end);
  const top = Math.min(...words.map(({ box }) => box.y));
  const bottom = Math.max(...words.map(({ box }) => box.y + box.height));
  const x = Math.floor(left);
  return { x, y: top, width: Math.max(1, Math.ceil(right) - x), height: bottom - top };
}

/** How much of the word of a letter lies before a position. */
function shareOf({ words }: Folded, letterAt: number, at: number): number {
  const word = words[letterAt] as number;
  const from = words.indexOf(word);
  return (at - from) / (words.lastIndexOf(word) + 1 - from);
}
