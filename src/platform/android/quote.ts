/** One argument of a shell, whatever is in it: nothing is special between single quotes but the quote itself. */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * `input text` turns every `%s` into a space, and nothing can keep it from that (AOSP: Input.sendText). Cut between the
 * two, they arrive in commands of their own and stay what they are.
 */
export function splitForInput(text: string, longest: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of text) {
    if (piece !== "" && (piece.length >= longest || (character === "s" && piece.endsWith("%")))) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

/** What `input text` cannot type: it knows the keys of a plain keyboard, throws on anything else, and types nothing. */
export function untypable(text: string): readonly string[] {
  return [...new Set(text)].filter((character) => !/^[\x20-\x7e\n\t]$/.test(character));
}
