import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import { needDisplay } from "./display.ts";
import type { Input, Sender } from "./sender.ts";
import { needTaken, pressKeys, type KeyOptions } from "./touch.ts";

export interface TextWithoutKeys {
  readonly connection: Connection;
  readonly sender: Sender;
  readonly text: string;
  /** The characters in it that no key can type. */
  readonly foreign: readonly string[];
}

/** ADBKeyBoard: an input method that takes text from a broadcast. */
const helperIme = "com.android.adbkeyboard/.AdbIME";
/** DeviceKit: an app that puts text on the clipboard for others. The shell itself is not allowed to. */
const clipboardApp = "com.mobilenext.devicekit";

/** Types what `input` cannot, with whatever helper is installed. Returns the method used. */
export async function typeWithoutKeys(typing: TextWithoutKeys, options: KeyOptions): Promise<string> {
  const { connection, foreign } = typing;
  const { signal } = options;
  const command = `ime list -s -a; pm list packages ${clipboardApp}`;
  const installed = linesOf(await connection.read(command, { signal, what: "Looking for a helper" }));
  if (installed.includes(helperIme)) return typeByInputMethod(typing, options);
  if (installed.includes(`package:${clipboardApp}`)) return paste(typing, options);
  throw new ToolError("not_supported", `Android's input command cannot type ${show(foreign)}. Nothing was typed.`, {
    hint: "Install ADBKeyBoard (com.android.adbkeyboard) or DeviceKit (com.mobilenext.devicekit) on the device, or leave these characters out.",
  });
}

const show = (characters: readonly string[]): string =>
  characters
    .slice(0, 20)
    .map((each) => `"${each}" (U+${each.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")})`)
    .join(", ");

/** Always restores the user's own input method. */
async function typeByInputMethod({ connection, sender, text }: TextWithoutKeys, options: KeyOptions): Promise<string> {
  const { signal } = options;
  const command = "settings get secure default_input_method; ime list -s";
  const [current = "", ...enabled] = linesOf(await connection.read(command, { signal }));
  try {
    needTaken(await connection.send(`ime enable ${helperIme}; ime set ${helperIme}`, { signal }));
    await poll(async () => ((await isBound(connection, { signal })) ? true : undefined), {
      timeoutMs: 2_000,
      everyMs: 50,
      signal,
    });
    await broadcast(sender, `-a ADB_INPUT_B64 --es msg ${toBase64(text)}`, options);
  } finally {
    const back = /^[\w.]+\/[\w.$]+$/.test(current) && current !== helperIme ? `ime set ${current}` : "true";
    await connection.send(enabled.includes(helperIme) ? back : `${back}; ime disable ${helperIme}`);
  }
  return "helper input method";
}

/** If the system does not report which input method is in use, there is nothing to wait for. */
async function isBound(connection: Connection, { signal }: CallOptions): Promise<boolean> {
  const text = await connection.read("dumpsys input_method | grep -E 'mCurId=|mCurMethodId='", { signal });
  return text.includes(helperIme) || !/mCur\w*Id=/.test(text);
}

/** Only the app in front can read the clipboard, so its old content is lost; afterwards it is emptied. */
async function paste({ sender, text }: TextWithoutKeys, options: KeyOptions): Promise<string> {
  const receiver = `-n ${clipboardApp}/.ClipboardBroadcastReceiver`;
  try {
    await broadcast(
      sender,
      `-a devicekit.clipboard.set -e encoding base64 -e text ${toBase64(text)} ${receiver}`,
      options,
    );
    await pressKeys(sender, ["KEYCODE_PASTE"], options);
  } finally {
    await broadcast(sender, `-a devicekit.clipboard.clear ${receiver}`, {});
  }
  return "helper clipboard";
}

async function broadcast(sender: Sender, intent: string, { display = 0, ...options }: KeyOptions): Promise<void> {
  const input: Input = (glance) => ({ command: `am broadcast ${intent}`, panel: needDisplay(glance, display) });
  const sent = await sender.send(input, { ...options, what: "Typing" });
  needTaken(sent);
  if (/Broadcast completed/.test(sent.stdout.toString("utf8"))) return;
  throw new ToolError("not_dispatchable", "The helper on the device did not accept the text.", {
    hint: "Is a text field focused? Click it first.",
  });
}

const toBase64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
const linesOf = (text: string): readonly string[] => text.split("\n").map((line) => line.trim());
