// ASCII words separated by single spaces.
const isPlain = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

/**
 * A text of an app as it is shown and compared: control characters, format characters and white space become one
 * space.
 */
export function oneLine(text: string): string {
  return isPlain.test(text) ? text : text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
