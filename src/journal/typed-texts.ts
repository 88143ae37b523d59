import { redacted } from "./redact.ts";

const most = 200;
// All of them together: whoever types a book after the other must not make every record longer to write.
const mostCharacters = 2_000_000;
// Any part of a typed text of twice this length is found in whatever was cut from it.
const pieceLength = 16;

/** The texts typed last, and where parts of them show up. */
export class TypedTexts {
  readonly #texts: string[] = [];
  #characters = 0;
  /** By their length, the pieces of each text, and the texts they are of. Undefined when it has to be made anew. */
  #pieces: Map<number, Map<string, Set<string>>> | undefined = new Map();

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  add(text: string): void {
    this.remove(text);
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#pieces) addPieces(this.#pieces, text);
    while (this.#texts.length > most || (this.#characters > mostCharacters && this.#texts.length > 1)) {
      this.remove(this.#texts[0] ?? "");
    }
  }

  remove(text: string): void {
    const known = this.#texts.indexOf(text);
    if (known < 0) return;
    this.#texts.splice(known, 1);
    this.#characters -= text.length;
    this.#pieces = undefined;
  }

  /** The text without any part of them. */
  blotIn(text: string): string {
    const found = this.#foundIn(text);
    return found.size === 0
      ? text
      : this.#texts.reduce((left, typed) => (found.has(typed) ? blot(left, typed) : left), text);
  }

  #foundIn(text: string): ReadonlySet<string> {
    const found = new Set<string>();
    for (const [length, pieces] of (this.#pieces ??= piecesOf(this.#texts))) {
      for (let at = 0; at + length <= text.length; at++) {
        for (const typed of pieces.get(text.slice(at, at + length)) ?? []) found.add(typed);
      }
    }
    return found;
  }
}

function piecesOf(texts: readonly string[]): Map<number, Map<string, Set<string>>> {
  const all = new Map<number, Map<string, Set<string>>>();
  for (const text of texts) addPieces(all, text);
  return all;
}

function addPieces(all: Map<number, Map<string, Set<string>>>, text: string): void {
  const length = Math.min(pieceLength, text.length);
  const pieces = all.get(length) ?? new Map<string, Set<string>>();
  all.set(length, pieces);
  for (let at = 0; at + length <= text.length; at += length) {
    const piece = text.slice(at, at + length);
    const of = pieces.get(piece);
    if (of) of.add(text);
    else pieces.set(piece, new Set([text]));
  }
}

/** Every part of `typed` in the text, whole or as long as a piece, is blotted out. */
function blot(text: string, typed: string): string {
  const piece = Math.min(pieceLength, typed.length);
  let found = text;
  for (let at = 0; at + piece <= typed.length; at += piece) {
    const part = typed.slice(at, at + piece);
    let index = found.indexOf(part);
    while (index >= 0) {
      let [from, to] = [index, index + piece];
      while (from > 0 && at - (index - from) > 0 && found[from - 1] === typed[at - (index - from) - 1]) from--;
      while (to < found.length && found[to] === typed[at + (to - index)]) to++;
      found = `${found.slice(0, from)}${redacted}${found.slice(to)}`;
      index = found.indexOf(part, from + redacted.length);
    }
  }
  return found;
}
