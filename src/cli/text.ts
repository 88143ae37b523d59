import { spellOut } from "../base/quote.ts";

/**
 * Makes screen text safe for a terminal: otherwise a window title could contain escape sequences that move the
 * cursor, change colours or send input.
 */
export const printable = (text: string): string => spellOut(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
