import { union, type Rect } from "../../base/geometry.ts";
import type { Line } from "./reader.ts";

export interface TextMatch {
  readonly text: string;
  readonly box: Rect;
  readonly confidence: number;
  /** 1 for the very letters, less the more had to be overlooked. */
  readonly quality: number;
}

/** Where the lines have the text, any case; the best matches first. */
export function matchText(lines: readonly Line[], wanted: string): readonly TextMatch[] {
  const want = wanted.trim().toLowerCase();
  return lines.flatMap((line): TextMatch[] => {
    let from = 0;
    const spans = line.words.map((word) => {
      const start = from;
      from += word.text.length + 1;
      return { word, start, end: start + word.text.length };
    });
    const text = spans.map(({ word }) => word.text).join(" ");
    const at = text.toLowerCase().indexOf(want);
    if (at < 0 || want === "") return [];
    const hit = spans.filter(({ start, end }) => start < at + want.length && end > at).map(({ word }) => word);
    const box = union(hit.map((word) => word.box));
    if (!box) return [];
    const confidence = Math.min(...hit.map((word) => word.confidence));
    return [{ text: hit.map((word) => word.text).join(" "), box, confidence, quality: 1 }];
  });
}
