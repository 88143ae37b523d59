// Words of ASCII with one space between them.
const isPlain = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

/** A text of an app as it is shown and compared: control and format characters and white space are one space. */
export function oneLine(text: string): string {
  return isPlain.test(text) ? text : text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
