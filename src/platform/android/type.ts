import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import { quote, splitForInput, untypable } from "./quote.ts";
import { needTaken } from "./touch.ts";

// A key costs an old device some twenty milliseconds; a piece must be done well within its deadline.
const longestPiece = 300;
const msPerPiece = 20_000;
const helperIme = "com.android.adbkeyboard/.AdbIME";

/** Types into whatever has the focus. Says by which means. */
export async function typeText(connection: Connection, given: string, { signal }: CallOptions): Promise<string> {
  const text = given.replaceAll(/\r\n?/g, "\n");
  const foreign = untypable(text);
  if (foreign.length > 0) return typeByHelper(connection, text, foreign, { signal });
  const pieces = splitForInput(text, longestPiece);
  let done = 0;
  for (const piece of pieces) {
    try {
      const command = `input text ${quote(piece)}`;
      needTaken(await connection.send(command, { signal, timeoutMs: msPerPiece, what: "Typing" }));
    } catch (error) {
      if (done === 0 || signal?.aborted || !(error instanceof ToolError)) throw error;
      throw new ToolError(error.code, `${error.message} The first ${done} of ${text.length} characters were typed.`, {
        ...error.details,
      });
    }
    done += piece.length;
  }
  return "input text";
}

const show = (characters: readonly string[]): string =>
  characters
    .slice(0, 20)
    .map((each) => `"${each}" (U+${each.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")})`)
    .join(", ");

/**
 * An input method that takes text over a broadcast (ADBKeyBoard), where somebody has installed it. The person's own is
 * put back, whatever happens.
 */
async function typeByHelper(
  connection: Connection,
  text: string,
  foreign: readonly string[],
  { signal }: CallOptions,
): Promise<string> {
  const [installed, enabled, current] = await Promise.all([
    connection.read("ime list -s -a", { signal }),
    connection.read("ime list -s", { signal }),
    connection.read("settings get secure default_input_method", { signal }),
  ]);
  if (!lines(installed).includes(helperIme)) {
    throw new ToolError("not_supported", `Android's input command cannot type ${show(foreign)}. Nothing was typed.`, {
      hint: "Install the input method ADBKeyBoard on the device (com.android.adbkeyboard), or leave these characters out.",
    });
  }
  const own = current.trim();
  const wasEnabled = lines(enabled).includes(helperIme);
  try {
    needTaken(await connection.send(`ime enable ${helperIme}; ime set ${helperIme}`, { signal }));
    await poll(async () => ((await isBound(connection, signal)) ? true : undefined), {
      timeoutMs: 2_000,
      everyMs: 50,
      signal,
    });
    const message = Buffer.from(text, "utf8").toString("base64");
    const sent = await connection.send(`am broadcast -a ADB_INPUT_B64 --es msg ${message}`, { signal, what: "Typing" });
    needTaken(sent);
    if (!/Broadcast completed/.test(sent.stdout.toString("utf8"))) {
      throw new ToolError("not_dispatchable", "The helper input method did not take the text.", {
        hint: "Is a text field focused? Click it first.",
      });
    }
  } finally {
    const back = /^[\w.]+\/[\w.$]+$/.test(own) && own !== helperIme ? `ime set ${own}` : "true";
    await connection.send(wasEnabled ? back : `${back}; ime disable ${helperIme}`);
  }
  return "helper input method";
}

/** Where the system does not tell which input method is in use, there is nothing to wait for. */
async function isBound(connection: Connection, signal: AbortSignal | undefined): Promise<boolean> {
  const text = await connection.read("dumpsys input_method | grep -E 'mCurId=|mCurMethodId='", { signal });
  return text.includes(helperIme) || !/mCur\w*Id=/.test(text);
}

const lines = (text: string): readonly string[] => text.split("\n").map((line) => line.trim());
