const lookAlikes = new Map(
  Object.entries({ "0": "o", "1": "l", i: "l", "|": "l", "!": "l", "5": "s", "‘": "'", "’": "'", "´": "'", "`": "'" }),
);
const quotes = /[“”„«»″]/g;
const dashes = /[‐‑‒–—−]/g;
const letters: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i" };

/** Makes everything equal that the reader confuses: case, accents, quotes, dashes, 0O, 1lI|, 5S. */
export const foldText = (text: string): string =>
  [...bareText(text)].map((character) => lookAlikes.get(character) ?? character).join("");

const blurred = new Map(Object.entries({ rn: "m", vv: "w", "8": "b", "2": "z", "6": "g" }));

/** What is left of a folded text when letters are equal that the reader takes for each other now and then. */
export const blurText = (folded: string): string =>
  folded.replaceAll(/rn|vv|[826]/g, (letters) => blurred.get(letters) ?? letters);

/** The same with its digits unchanged; it has the same length, character by character. */
export const bareText = (text: string): string => casedText(text).toLowerCase();

// Capitals that differ from the small letter only in size; the reader takes one for the other.
const sameShapes = /[CKOPSUVWXZ]/g;

/** The same with the case of those letters that show it. */
export const shapedText = (text: string): string =>
  casedText(text).replaceAll(sameShapes, (letter) => letter.toLowerCase());

const casedText = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(quotes, '"')
    .replaceAll(dashes, "-")
    .replaceAll(/[ßæœøłđıÆŒØŁĐ]/g, (letter) => letters[letter.toLowerCase()] ?? letter)
    .replaceAll(/\s+/g, "");

/** One space between words, and no case: two texts that a person would call the same. */
export const plainText = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();
