/** One shell argument, whatever it contains: between single quotes only the quote itself is special. */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * `input text` turns every `%s` into a space, and there is no way to escape it (AOSP: Input.sendText). Splitting
 * between the two characters sends them in separate commands, so they stay as they are.
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

/**
 * Characters that `input text` cannot type: it knows the keys of a plain keyboard, and for anything else throws and
 * types nothing.
 */
export function untypable(text: string): readonly string[] {
  return [...new Set(text)].filter((character) => !/^[\x20-\x7e\n\t]$/.test(character));
}
