/**
 * Text from a screen on its way to a terminal: a window title could otherwise carry escape sequences that move the
 * cursor, recolour or answer back.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (character) => {
    const common: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
    return common[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
