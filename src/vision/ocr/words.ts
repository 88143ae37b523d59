import type { ImageRect } from "../../base/geometry.ts";
import { backgroundOf } from "./resize.ts";
import type { Gray } from "./picture.ts";

export interface RecognisedWord {
  readonly text: string;
  readonly confidence: number;
  /** Relative to the corner of the line's box. */
  readonly box: ImageRect;
}

export interface Character {
  text: string;
  confidence: number;
  firstStep: number;
  lastStep: number;
  /** A column of the line's box. */
  centre: number;
}

// Measured on rendered screens: a gap without ink that is wider than this many characters is a space that the network
// missed.
const spaceInPitches = 0.62;
// Letters with space around them, which makes a gap look wider than it is.
const narrow = new Set("., :;'`|!()[]{}ijlrtfI1-\"‘’“”·");
const narrowAllowance = 0.3;

/** Splits the characters of a line into words and gives each the box of its ink. */
export function toWords(characters: readonly Character[], line: Gray): RecognisedWord[] {
  const ink = findInk(line);
  const spaced = bySpaces(characters);
  const pitch = medianPitch(spaced);
  const groups = splitWideGaps(joinAtPunctuation(spaced, ink, pitch), ink, pitch);
  const cuts = groups.slice(1).map((group, i) => cutBetween(groups[i] ?? [], group, ink));
  return groups.flatMap((group, i) => {
    const from = i === 0 ? 0 : (cuts[i - 1] as number);
    const to = i === groups.length - 1 ? line.width : (cuts[i] as number);
    const box = inkBox(ink, from, to);
    if (!box) return [];
    const confidence = group.reduce((sum, character) => sum + character.confidence, 0) / group.length;
    return [{ text: group.map(({ text }) => text).join(""), confidence, box }];
  });
}

function bySpaces(characters: readonly Character[]): Character[][] {
  const groups: Character[][] = [[]];
  for (const character of characters) {
    if (character.text.trim() === "") groups.push([]);
    else groups.at(-1)?.push(character);
  }
  return groups.filter((group) => group.length > 0);
}

interface Ink {
  readonly gray: Gray;
  /** Which pixels belong to letters. */
  readonly mask: Uint8Array;
  /** Ink pixels per column. */
  readonly columns: Uint32Array;
}

// Anything this far from the background is ink; the same step is used to find edges.
export const inkContrast = 24;

function findInk(gray: Gray): Ink {
  const background = backgroundOf(gray);
  const mask = new Uint8Array(gray.width * gray.height);
  const columns = new Uint32Array(gray.width);
  for (let at = 0; at < mask.length; at++) {
    const difference = (gray.data[at] as number) - background;
    if (difference <= inkContrast && difference >= -inkContrast) continue;
    mask[at] = 1;
    const x = at % gray.width;
    columns[x] = (columns[x] as number) + 1;
  }
  return { gray, mask, columns };
}

/** The widest run of columns without ink between two positions. */
function widestGap({ columns }: Ink, from: number, to: number): { readonly start: number; readonly width: number } {
  let best = { start: Math.round((from + to) / 2), width: 0 };
  let start = -1;
  for (let x = Math.max(0, Math.round(from)); x <= Math.min(columns.length - 1, Math.round(to)); x++) {
    if (columns[x] !== 0) start = -1;
    else {
      if (start < 0) start = x;
      if (x - start + 1 > best.width) best = { start, width: x - start + 1 };
    }
  }
  return best;
}

function cutBetween(before: readonly Character[], after: readonly Character[], ink: Ink): number {
  const gap = widestGap(ink, before.at(-1)?.centre ?? 0, after[0]?.centre ?? 0);
  return Math.round(gap.start + gap.width / 2);
}

// Letters alone never cause a gap wider than this.
const widestAir = 0.6;

/**
 * In monospaced fonts a dot or a hyphen has the same space on both sides, and the network takes one of them for a
 * word space. With a real word space the two sides differ.
 */
function joinAtPunctuation(groups: readonly Character[][], ink: Ink, pitch: number): Character[][] {
  const gapOf = (left: Character, right: Character) => widestGap(ink, left.centre, right.centre).width;
  const isAir = (gap: number, other: number) => gap < widestAir * pitch && gap <= 1.5 * other + 0.5;
  const joined: Character[][] = [];
  for (const group of groups) {
    const before = joined.at(-1) ?? [];
    const [left, beyondLeft] = [before.at(-1), before.at(-2)];
    const [right, beyondRight] = group;
    const gap = left && right ? gapOf(left, right) : Infinity;
    const isAirOfLeft = left && beyondLeft && !isLetter(left.text) && isAir(gap, gapOf(beyondLeft, left));
    const isAirOfRight = right && beyondRight && !isLetter(right.text) && isAir(gap, gapOf(right, beyondRight));
    if (isAirOfLeft || isAirOfRight) before.push(...group);
    else joined.push([...group]);
  }
  return joined;
}

const isLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

function splitWideGaps(groups: readonly Character[][], ink: Ink, pitch: number): Character[][] {
  return groups.flatMap((group) => {
    const parts: Character[][] = [[]];
    group.forEach((character, i) => {
      const before = group[i - 1];
      if (before) {
        const airy = [before, character].filter(({ text }) => narrow.has(text)).length;
        const allowed = spaceInPitches + narrowAllowance * airy;
        if (widestGap(ink, before.centre, character.centre).width > allowed * pitch) parts.push([]);
      }
      parts.at(-1)?.push(character);
    });
    return parts;
  });
}

function medianPitch(groups: readonly (readonly Character[])[]): number {
  const pitches = groups
    .flatMap((group) => group.slice(1).map((character, i) => character.centre - (group[i]?.centre ?? 0)))
    .sort((a, b) => a - b);
  return pitches[Math.floor(pitches.length / 2)] ?? Infinity;
}

function inkBox({ gray, mask, columns }: Ink, from: number, to: number): ImageRect | undefined {
  let left = from;
  let right = to;
  while (left < right && columns[left] === 0) left++;
  while (right > left && columns[right - 1] === 0) right--;
  if (left >= right) return undefined;
  const hasInk = (y: number): boolean => {
    for (let x = left; x < right; x++) if (mask[y * gray.width + x] === 1) return true;
    return false;
  };
  let top = 0;
  let bottom = gray.height;
  while (top < bottom && !hasInk(top)) top++;
  while (bottom > top && !hasInk(bottom - 1)) bottom--;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
