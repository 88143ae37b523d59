import { backgroundOf } from "./resize.ts";
import type { Gray } from "./picture.ts";
import { inkContrast, type Character } from "./words.ts";

/** The characters between two spaces, and the steps in which the other head saw the same. */
interface Part {
  readonly letters: readonly Character[];
  readonly from: number;
  readonly to: number;
}

/**
 * Combines what the two heads of the network read in one line. The second wins where it is sure to see accents, most
 * of which the first does not know; the first wins everywhere else, because it is better at plain text.
 */
export function mergeHeads(first: readonly Character[], second: readonly Character[]): readonly Character[] {
  if (!second.some(({ text }) => isAccented(text))) return first;
  const merged: Character[] = [];
  let wasTaken = false;
  let isChanged = false;
  for (const part of partsOf(second)) {
    const own = first.filter((character) => isWithin(middleOf(character), part));
    const isTaken = isSurelyAccented(part.letters, own);
    // Where the other head read no space, there would be none between the two.
    if (isTaken || wasTaken) merged.push(spaceAt(part.from));
    merged.push(...(isTaken ? part.letters.map((letter) => signAt(letter, part.letters, own) ?? letter) : own));
    wasTaken = isTaken;
    isChanged ||= isTaken;
  }
  return isChanged ? merged : first;
}

// In line heights; no stroke of a letter is that long.
const shortestRule = 2.5;

/** Whether a rule runs along the line: dots and stems that touch it look like letters with accents. */
export function isRuled(line: Gray): boolean {
  const background = backgroundOf(line);
  let run = 0;
  for (let at = 0; at < line.data.length; at++) {
    if (at % line.width === 0) run = 0;
    run = Math.abs((line.data[at] as number) - background) > inkContrast ? run + 1 : 0;
    if (run >= shortestRule * line.height) return true;
  }
  return false;
}

/** A letter beyond ASCII. */
const isAccented = (text: string): boolean => text > "\u007f" && isLetter(text);

const isLetter = (text: string): boolean => /\p{L}/u.test(text);
const middleOf = ({ firstStep, lastStep }: Character): number => (firstStep + lastStep) / 2;
const isWithin = (step: number, { from, to }: Part): boolean => step >= from && step < to;
const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, own) => sum + own, 0) / numbers.length;

const spaceAt = (step: number): Character => ({ text: " ", confidence: 1, firstStep: step, lastStep: step, centre: 0 });

/** Splits in the middle of each space. */
function partsOf(letters: readonly Character[]): Part[] {
  const parts: Part[] = [];
  let own: Character[] = [];
  let from = -Infinity;
  for (const letter of letters) {
    if (letter.text.trim() !== "") own.push(letter);
    else if (own.length > 0) {
      parts.push({ letters: own, from, to: middleOf(letter) });
      own = [];
      from = middleOf(letter);
    }
  }
  if (own.length > 0) parts.push({ letters: own, from, to: Infinity });
  return parts;
}

/** The sign, if a word ends in one that the second head takes for a letter: ! for ļ or $ for ş. */
function signAt(letter: Character, part: readonly Character[], first: readonly Character[]): Character | undefined {
  if (letter !== part.findLast(({ text }) => isLetter(text))) return undefined;
  const there = first.filter((own) => own.firstStep <= letter.lastStep + 1 && own.lastStep >= letter.firstStep - 1);
  return there.find(({ text, confidence }) => "!$".includes(text) && confidence >= surest.sign);
}

// Measured on the tuning half of the truth set: 27 of 30 words that only the second head finds pass, and 5 of 27
// plain words to which it adds accents.
const surest = { nearly: 0.9, quite: 0.98, agreed: 0.6, sign: 0.5 } as const;

function isSurelyAccented(second: readonly Character[], first: readonly Character[]): boolean {
  const accents = second.filter((letter) => isAccented(letter.text) && !signAt(letter, second, first));
  if (accents.length === 0 || !first.some(({ text }) => isLetter(text))) return false;
  const sure = meanOf(second.map(({ confidence }) => confidence));
  if (first.some(({ text }) => isAccented(text))) return sure >= surest.agreed;
  // A single letter is more often an icon.
  if (second.length === 1) return false;
  const accent = Math.max(...accents.map(({ confidence }) => confidence));
  return Math.min(accent, sure) >= surest.nearly && Math.max(accent, sure) >= surest.quite;
}
