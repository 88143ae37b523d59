import type { ImageRect } from "../../base/geometry.ts";
import { bandOf, Bands } from "./bands.ts";
import { heightOf, widthOf, type Box, type Chain } from "./chains.ts";
import type { Component } from "./components.ts";

// In widths of the column. Turned letters nearly touch; the digits of a column of numbers do not.
const widestGap = { letters: 0.3, words: 0.9 } as const;
const fewestLetters = 4;
const thinnest = 6;
const thickest = 36;
// A turned letter is one shape, or two with its dot.
const mostParts = 2;

/** Text that runs up or down, such as the label of a tab at the side of a window: single letters above each other. */
export function findColumns(chains: readonly Chain[], specks: readonly Component[]): ImageRect[] {
  // A turned l or i is a flat stroke.
  const letters = [...chains.filter(({ parts }) => parts.length <= mostParts), ...specks];
  const narrow = letters.filter((letter) => widthOf(letter) >= thinnest - 1 && widthOf(letter) <= thickest);
  const words = stacked(narrow.map(toColumn), widestGap.letters).filter(({ letters: count }) => count >= 2);
  return stacked(words, widestGap.words)
    .filter((column) => column.letters >= fewestLetters && widthOf(column) >= thinnest)
    .filter((column) => heightOf(column) >= 2.2 * widthOf(column))
    .map(({ left, top, right, bottom }) => ({ x: left, y: top, width: right - left, height: bottom - top }));
}

interface Column {
  left: number;
  top: number;
  right: number;
  bottom: number;
  letters: number;
}

// Turned letters that touch form one tall shape. A letter takes this share of the column's width on average.
const letterShare = 0.75;

const toColumn = ({ left, top, right, bottom }: Box): Column => {
  const letters = Math.max(1, Math.round((bottom - top) / (letterShare * (right - left))));
  return { left, top, right, bottom, letters };
};

function stacked(pieces: readonly Column[], reach: number): Column[] {
  const columns: Column[] = [];
  const bands = new Bands<Column>();
  for (const piece of pieces.toSorted((a, b) => a.top - b.top || a.left - b.left)) {
    let host = bands.at(bandOf(piece.left)).find((column) => isBelow(column, piece, reach));
    host ??= bands.at(bandOf(piece.right)).find((column) => isBelow(column, piece, reach));
    if (host) {
      host.left = Math.min(host.left, piece.left);
      host.right = Math.max(host.right, piece.right);
      host.bottom = Math.max(host.bottom, piece.bottom);
      host.letters += piece.letters;
    } else {
      host = { ...piece };
      columns.push(host);
    }
    bands.enter(host, host.left, host.right, ({ bottom }) => piece.top - bottom > thickest);
  }
  return columns;
}

function isBelow(column: Column, piece: Column, reach: number): boolean {
  const [narrow, wide] = [widthOf(column), widthOf(piece)].toSorted((a, b) => a - b) as [number, number];
  const gap = piece.top - column.bottom;
  const common = Math.min(column.right, piece.right) - Math.max(column.left, piece.left);
  return gap >= -1 && gap <= Math.max(2, reach * wide) && common >= 0.8 * narrow && wide <= 2.4 * narrow;
}
