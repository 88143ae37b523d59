import type { RectSpace, SpacedRect } from "../../base/geometry.ts";
import type { Line, Word } from "./reading.ts";

export interface TextMatch<Space extends RectSpace = "image"> {
  /** As recognised. */
  readonly text: string;
  readonly box: SpacedRect<Space>;
  /** Of the words that contain it. */
  readonly confidence: number;
  /** 1 for the same letters, ignoring case; 0.95 if look-alikes or accents differ; 0.8 if one letter differs. */
  readonly quality: number;
}

export interface MatchOptions {
  /** Match only whole words, so that "on" is not found in "button". */
  readonly wholeWords?: boolean | undefined;
  readonly maxResults?: number | undefined;
}

// Shorter texts would match each other: "on" and "of" are one letter apart.
const shortestWithEdit = 4;
const qualities = { exact: 1, folded: 0.95, similar: 0.8 } as const;

/** Where a text is, best match first, then in reading order. Case never matters. */
export function matchText<Space extends RectSpace>(
  lines: readonly Line<Space>[],
  query: string,
  options: MatchOptions = {},
): TextMatch<Space>[] {
  const wanted = { plain: plain(query.trim()), bare: bareText(query), folded: foldText(query) };
  if (wanted.folded === "") return [];
  const found = lines.flatMap((line) => matchLine(line, wanted, options.wholeWords ?? false));
  return found.sort((a, b) => b.quality - a.quality).slice(0, options.maxResults);
}

const plain = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ");

const lookAlikes = new Map(
  Object.entries({ "0": "o", "1": "l", i: "l", "|": "l", "!": "l", "5": "s", "‘": "'", "’": "'", "´": "'", "`": "'" }),
);
const quotes = /[“”„«»″]/g;
const dashes = /[‐‑‒–—−]/g;
const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i" };

/** Makes everything equal that the reader confuses: case, accents, quotes, dashes, 0O, 1lI|, 5S. */
export const foldText = (text: string): string =>
  [...bareText(text)].map((character) => lookAlikes.get(character) ?? character).join("");

/** The same with its digits unchanged; it has the same length, character by character. */
const bareText = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(quotes, '"')
    .replaceAll(dashes, "-")
    .replaceAll(/[ßæœøłđı]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(/\s+/g, "");

interface Wanted {
  readonly plain: string;
  readonly bare: string;
  readonly folded: string;
}

/** The folded text of a line, and the word that each of its characters comes from. */
interface Folded {
  readonly text: string;
  readonly bare: string;
  readonly words: readonly number[];
}

function fold(words: readonly Pick<Word, "text">[]): Folded {
  const parts = words.map(({ text }) => foldText(text));
  return {
    text: parts.join(""),
    bare: words.map(({ text }) => bareText(text)).join(""),
    words: parts.flatMap((part, i) => Array.from({ length: part.length }, () => i)),
  };
}

function matchLine<Space extends RectSpace>(
  line: Line<Space>,
  wanted: Wanted,
  wholeWords: boolean,
): TextMatch<Space>[] {
  const folded = fold(line.words);
  const spans = findSpans(folded, wanted);
  return spans.flatMap(({ start, end, edits }) => {
    if (wholeWords && !isWhole(folded, start, end)) return [];
    const first = folded.words[start] as number;
    const last = folded.words[end - 1] as number;
    const words = line.words.slice(first, last + 1);
    const text = words.map((word) => word.text).join(" ");
    const isExact = plain(text).includes(wanted.plain);
    const quality = edits > 0 ? qualities.similar : isExact ? qualities.exact : qualities.folded;
    const box = cutBox(words, folded, start, end);
    return [{ text, box, quality, confidence: Math.min(...words.map(({ confidence }) => confidence)) }];
  });
}

const isWhole = ({ words }: Folded, start: number, end: number): boolean =>
  words[start] !== words[start - 1] && words[end - 1] !== words[end];

interface Span {
  readonly start: number;
  readonly end: number;
  readonly edits: 0 | 1;
}

/** Every exact match; if there is none, matches that differ by one letter. */
function findSpans({ text, bare }: Folded, { folded: query, bare: bareQuery }: Wanted): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
    spans.push({ start: at, end: at + query.length, edits: 0 });
  }
  if (spans.length > 0 || query.length < shortestWithEdit) return spans;
  for (let start = 0; start < text.length; start++) {
    const length = [query.length, query.length + 1, query.length - 1].find(
      (own) =>
        start + own <= text.length &&
        isOneEdit(text.slice(start, start + own), query) &&
        !isOtherNumber(bare.slice(start, start + own), bareQuery),
    );
    if (length === undefined) continue;
    spans.push({ start, end: start + length, edits: 1 });
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

/** The box of the words, cut at the first and last matching letter, assuming that letters are equally wide. */
function cutBox<Space extends RectSpace>(
  words: readonly Word<Space>[],
  folded: Folded,
  start: number,
  end: number,
): SpacedRect<Space> {
  const first = words[0] as Word<Space>;
  const last = words.at(-1) as Word<Space>;
  const shareBefore = (at: number): number => {
    const word = folded.words[at] as number;
    const from = folded.words.indexOf(word);
    return (at - from) / (folded.words.lastIndexOf(word) + 1 - from);
  };
  const left = first.box.x + first.box.width * shareBefore(start);
  const right = last.box.x + last.box.width * (end === folded.words.length ? 1 : shareAfter(folded, end));
  const top = Math.min(...words.map(({ box }) => box.y));
  const bottom = Math.max(...words.map(({ box }) => box.y + box.height));
  const x = Math.floor(left);
  return { x, y: top, width: Math.max(1, Math.ceil(right) - x), height: bottom - top };
}

function shareAfter({ words }: Folded, end: number): number {
  const word = words[end - 1] as number;
  const from = words.indexOf(word);
  return (end - from) / (words.lastIndexOf(word) + 1 - from);
}
