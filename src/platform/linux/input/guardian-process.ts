import { createInterface } from "node:readline";
import { isModifier, parseChord } from "../../../base/keys.ts";
import { runtimeFolders } from "../../../base/runtime.ts";
import { stopAll } from "../../../base/stop.ts";
import { Keys } from "./keys.ts";
import { wantedKey } from "./keysyms.ts";
import { getDownKeys } from "./reset-modifiers.ts";
import type { Connection } from "../x11/connection.ts";
import { fakeInput } from "../x11/extensions.ts";
import { openConnection } from "../x11/open.ts";
import { grabKey, queryPointer } from "../x11/requests.ts";
import { modifierBits } from "./xkb.ts";

/**
 * A separate program, see platform/guardian.ts: reads "held" and "free" from stdin until it closes, which means that the
 * parent process has ended. Then it releases whatever is down.
 */
const stopKeys = process.argv[2] ?? "";
let isHeld = false;
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  isHeld = line === "held";
});
// Ctrl-C in a terminal goes to every process; this one still has work to do.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
const connecting = openConnection(process.env["DISPLAY"], { env: process.env });
lines.on("close", () => void finish());

async function finish(): Promise<void> {
  try {
    if (isHeld) await releaseAll(await connecting);
  } finally {
    process.exit(0);
  }
}

async function releaseAll(c: Connection): Promise<void> {
  const [keys, { mask }] = await Promise.all([getDownKeys(c), queryPointer(c)]);
  // The state of the first five buttons is in the bits from 8 on; the buttons beyond them are always released.
  const buttons = [1, 2, 3].filter((button) => (mask >> (7 + button)) & 1);
  await fakeInput(c, [
    ...[...keys].map((keycode) => ({ kind: "key", keycode, isDown: false }) as const),
    ...[...buttons, 8, 9].map((button) => ({ kind: "button", button, isDown: false }) as const),
  ]);
  await c.sync();
}

// Another handsight may already have grabbed the keys; when it ends, this one takes over.
const tryAgainMs = 2_000;

async function watchStopKeys(c: Connection): Promise<void> {
  const chord = parseChord({ key: stopKeys });
  const keys = await Keys.open(c);
  const struck = chord.find((key) => !isModifier(key));
  const stroke = struck === undefined ? undefined : keys.find(wantedKey(struck));
  if (!stroke) return;
  const bits = {
    ctrl: modifierBits.control,
    shift: modifierBits.shift,
    alt: modifierBits.mod1,
    meta: modifierBits.mod4,
  };
  const held = chord.reduce((sum, key) => sum | (bits[key as keyof typeof bits] ?? 0), 0);
  c.on((event) => {
    if (event.type === "KeyPress" && event.detail === stroke.keycode) stopAll(runtimeFolders());
  });
  const grabAll = async (): Promise<void> => {
    try {
      // To the server Caps Lock and Num Lock are modifiers; they must not prevent anyone from stopping.
      for (const lock of [0, modifierBits.lock, modifierBits.mod2, modifierBits.lock | modifierBits.mod2]) {
        await grabKey(c, { keycode: stroke.keycode, modifiers: held | lock });
      }
    } catch {
      setTimeout(() => void grabAll(), tryAgainMs).unref();
    }
  };
  await grabAll();
}

try {
  const c = await connecting;
  c.onClose(() => process.exit(0));
  if (stopKeys !== "") await watchStopKeys(c);
} catch {
  process.exit(1);
}
