import { plain, rows, type Data } from "./words.ts";

const lowConfidence = 0.6;

/** The text of a screenshot, as the contract words it: each line with a point that can be clicked directly. */
export function ocrSummary({ texts, texts_note: note }: Data): readonly string[] {
  if (texts === undefined) return [];
  const notes = typeof note === "string" ? note.split("\n") : [];
  const isUnread = notes[0]?.startsWith("OCR is not available") === true;
  if (isUnread) return [notes.join("\n")];
  const lines = rows(texts).map(describeLine);
  return [["OCR Text Detected (click coordinates)", ...(lines.length > 0 ? lines : ["(none)"]), ...notes].join("\n")];
}

function describeLine({ text, x, y, bounds, confidence }: Data): string {
  const box = bounds as Readonly<Record<"x" | "y" | "width" | "height", number>>;
  const sure = Number(confidence);
  const doubt = sure < lowConfidence ? ` (uncertain, ${sure.toFixed(2)})` : "";
  return `- ${JSON.stringify(text)} at (${plain(x)}, ${plain(y)}) bounds: {x: ${box.x}, y: ${box.y}, w: ${box.width}, h: ${box.height}}${doubt}`;
}
