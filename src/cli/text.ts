import { spellOut } from "../base/quote.ts";

/**
 * Text from a screen on its way to a terminal: a window title could otherwise carry escape sequences that move the
 * cursor, recolour or answer back.
 */
export const printable = (text: string): string => spellOut(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
