import { startsWithVerb } from "./clauses.ts";
import { hasQuote, isQuote } from "./quotes.ts";

/** Which one of several things that one clause names: "Select A, B and C". */
export interface Among {
  readonly index: number;
  readonly count: number;
  /** All of it as one name: "Find and Replace". */
  readonly whole: string | undefined;
}

const mostWords = 4;

/** The names in "A, B and C"; none when the phrase is not a list, or when its parts are of different kinds. */
export function readItems(phrase: string): readonly string[] {
  const items = phrase.split(/,\s+(?:and\s+)?|\s+and\s+/i).map((item) => item.trim());
  const isList =
    items.length > 1 &&
    items.every((item) => item !== "" && item.split(/\s+/).length <= mostWords && !startsWithVerb.test(item));
  // In a list of names in quotation marks, a part without them is something else.
  const isEven = !hasQuote(phrase) || items.every(isQuote);
  return isList && isEven ? items : [];
}
