import { ToolError } from "../../base/errors.ts";
import type { Connection } from "./connection.ts";
import { typeWithoutKeys } from "./text-without-keys.ts";
import { quote, splitForInput, untypable } from "./quote.ts";
import type { Sender } from "./sender.ts";
import { needTaken, toDisplay, type KeyOptions } from "./touch.ts";

// A key takes an old device about twenty milliseconds; a piece must be done well within its deadline.
const longestPiece = 300;
const msPerPiece = 20_000;

/** Types into whatever has the focus. Returns the method used. */
export async function typeText(
  connection: Connection,
  sender: Sender,
  given: string,
  options: KeyOptions,
): Promise<string> {
  const text = given.replaceAll(/\r\n?/g, "\n");
  const foreign = untypable(text);
  if (foreign.length > 0) return typeWithoutKeys({ connection, sender, text, foreign }, options);
  const { display = 0, ...rest } = options;
  const pieces = splitForInput(text, longestPiece);
  let done = 0;
  for (const piece of pieces) {
    try {
      const input = toDisplay(display, `text ${quote(piece)}`);
      needTaken(await sender.send(input, { ...rest, timeoutMs: msPerPiece, what: "Typing" }));
    } catch (error) {
      if (done === 0 || options.signal?.aborted || !(error instanceof ToolError)) throw error;
      throw new ToolError(error.code, `${error.message} The first ${done} of ${text.length} characters were typed.`, {
        ...error.details,
      });
    }
    done += piece.length;
  }
  return "input text";
}
