import { betweenMarks } from "../../base/screen-content.ts";
import { charsIn } from "../../surface/snapshot-text.ts";
import { answerText } from "./answer.ts";
import type { Data } from "./words.ts";

/** How many characters of a token budget are left for a listing, beside everything else in the answer. */
export const roomFor = (rest: Data, maxTokens: number): number =>
  charsIn(maxTokens) - betweenMarks(answerText({ ...rest, snapshot: "\n" }), { hasOrders: true }).length;
