const digits = Array.from({ length: 10 }, (_, digit) => String(digit));

/** Names of android.view.KeyEvent, without KEYCODE_, beside letters and digits. */
const named: ReadonlySet<string> = new Set([
  ...`SPACE COMMA PERIOD MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH GRAVE AT POUND STAR
    PLUS YEN RO NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_EQUALS
    NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN`.split(/\s+/),
  ...digits.map((digit) => `NUMPAD_${digit}`),
]);

/** The same as numbers: first and last of each row of keys. */
const numbered: readonly (readonly [first: number, last: number])[] = [
  [7, 18],
  [29, 56],
  [62, 62],
  [68, 77],
  [81, 81],
  [144, 163],
  [216, 217],
];

/** Whether a key of a device writes a character. What is no key at all is a word that somebody meant to type. */
export function writesText(key: string | readonly string[]): boolean {
  const word = [key]
    .flat()
    .join("+")
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, "_");
  if (/^\d{1,3}$/.test(word)) return numbered.some(([first, last]) => Number(word) >= first && Number(word) <= last);
  const name = word.replace(/^KEYCODE_/, "");
  return named.has(name) || /^[A-Z\d]$/.test(name) || !/^\w+$/.test(name);
}
