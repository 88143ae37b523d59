import { oneLine } from "../../../base/one-line.ts";

/** The text of a menu entry as a person reads it: some toolkits pad it, or keep the mark of its mnemonic. */
export function toLabel(text: string, mark?: "_" | "&"): string {
  const plain = mark === undefined ? text : withoutMark(text, mark);
  return oneLine(plain);
}

function withoutMark(text: string, mark: string): string {
  // A doubled mark stands for itself.
  return text
    .split(mark + mark)
    .map((part) => part.replaceAll(mark, ""))
    .join(mark);
}

/** `win.save-as` and `saveAs` read as "Save As". */
export function toWords(action: string): string {
  const own = action.slice(action.lastIndexOf(".") + 1);
  const words = own
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .split(/[-_\s]+/)
    .filter((word) => word !== "");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}
