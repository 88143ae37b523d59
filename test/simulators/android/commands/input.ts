import { keyCodeOf } from "../screen/keys.ts";
import type { Phone } from "../screen/phone.ts";
import { lines, thrown, type Command, type Output } from "./command.ts";

const sources =
  "dpad keyboard mouse touchpad gamepad touchnavigation joystick touchscreen stylus trackball rotaryencoder".split(" ");

const usage = lines(
  "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]",
  "",
  "The sources are: ",
  ...sources.map((name) => `      ${name}`),
  "",
  "-d: specify the display ID.",
  "      (Default: -1 for key event, 0 for motion event if not specified.)",
  "The commands and default sources are:",
  "      text <string> (Default: keyboard)",
  "      keyevent [--longpress|--doubletap|--async|--delay <duration between keycodes in ms>] <key code number or name> ... (Default: keyboard)",
  "      tap <x> <y> (Default: touchscreen)",
  "      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)",
  "      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)",
  "      press (Default: trackball)",
  "      roll <dx> <dy> (Default: trackball)",
  "      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)",
  "      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)",
);

// frameworks/base/services/core/java/com/android/server/input/InputShellCommand.java
export const input: Command = async (given, { panels, phone: main }) => {
  const args = [...given];
  if (args[0] !== undefined && sources.includes(args[0])) args.shift();
  const [, id] = args[0] === "-d" ? args.splice(0, 2) : [];
  // A display that does not exist accepts events like any other, and nothing happens.
  const phone = id === undefined ? main : panels[Number(id)]?.phone;
  if (!phone) return {};
  const [name, ...rest] = args;
  if (name === undefined) return { stdout: usage, code: 255 };
  const command = commands[name];
  if (!command) return { stdout: `${lines(`Error: Unknown command: ${name}`)}${usage}`, code: 255 };
  return (await command(rest, phone)) ?? {};
};

type Run = (args: readonly string[], phone: Phone) => Output | void | Promise<Output | void>;

const commands: Readonly<Record<string, Run>> = {
  text(args, phone) {
    const [text] = args;
    if (text === undefined) return thrown("text", 'java.lang.IllegalArgumentException: Argument expected after "text"');
    // sendText: "%s" is a space and cannot be escaped; characters without a key on the virtual keyboard have no
    // events at all.
    const typed = text.replaceAll("%s", " ");
    if (/[^\t\n\x20-\x7e]/.test(typed)) {
      return thrown(
        "text",
        "java.lang.NullPointerException: Attempt to get length of null array\n\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:304)",
      );
    }
    phone.type(typed);
  },
  keyevent(args, phone) {
    const keys = args.filter((arg, index) => !arg.startsWith("--") && args[index - 1] !== "--delay");
    if (keys.length === 0)
      return thrown("keyevent", 'java.lang.IllegalArgumentException: Argument expected after "keyevent"');
    for (const key of keys) phone.key(keyCodeOf(key));
  },
  tap: (args, phone) =>
    points("tap", args, 2, ([x = 0, y = 0]) => {
      phone.touch(x, y, "tap");
    }),
  swipe: (args, phone) => points("swipe", args, 4, (numbers) => swipe(phone, numbers)),
  draganddrop: (args, phone) => points("draganddrop", args, 4, (numbers) => swipe(phone, numbers)),
  press: () => {},
  roll: (args) => points("roll", args, 2, () => {}),
  motionevent: (args, phone) =>
    points("motionevent", args.slice(1), 2, ([x = 0, y = 0]) => {
      if (args[0] === "UP") phone.touch(x, y, "tap");
    }),
  keycombination(args, phone) {
    const keys = args[0] === "-t" ? args.slice(2) : args;
    if (keys.length < 2) return thrown("keycombination", "java.lang.IllegalArgumentException: Argument expected");
    phone.chord(keys.map(keyCodeOf));
  },
};

const swipe = (phone: Phone, [x1 = 0, y1 = 0, x2 = 0, y2 = 0, ms = 300]: readonly number[]): Promise<void> =>
  phone.swipe([x1, y1], [x2, y2], ms);

async function points(
  name: string,
  args: readonly string[],
  count: number,
  run: (numbers: readonly number[]) => void | Promise<void>,
): Promise<Output | void> {
  const numbers = args.map(Number);
  if (args.length < count)
    return thrown(name, `java.lang.IllegalArgumentException: Argument expected after "${args.at(-1) ?? name}"`);
  const wrong = args.find((_, index) => Number.isNaN(numbers[index]));
  if (wrong !== undefined) return thrown(name, `java.lang.NumberFormatException: For input string: "${wrong}"`);
  await run(numbers);
}
