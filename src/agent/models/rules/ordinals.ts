const words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** 1 for "first" and "1st", -1 for "last"; undefined for any other word. */
export function ordinalOf(word: string): number | undefined {
  const plain = word.toLowerCase();
  if (plain === "last") return -1;
  const digits = /^(\d{1,3})(?:st|nd|rd|th)$/.exec(plain)?.[1];
  if (digits !== undefined) return Number(digits) || undefined;
  return words.indexOf(plain) + 1 || undefined;
}
