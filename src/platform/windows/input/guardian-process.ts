import { createInterface } from "node:readline";
import { isModifier, parseChord } from "../../../base/keys.ts";
import { runtimeFolders } from "../../../base/runtime.ts";
import { stopAll } from "../../../base/stop.ts";
import { win32 } from "../win32.ts";
import { keysFor } from "./keys.ts";
import { keyInput, mouseInput, sendInputs } from "./send.ts";

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
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
lines.on("close", () => {
  try {
    if (isHeld) releaseAll();
  } finally {
    process.exit(0);
  }
});

/** The first six are the buttons of the mouse. */
const buttons = [
  { key: 0x01, flags: 0x4 },
  { key: 0x02, flags: 0x10 },
  { key: 0x04, flags: 0x40 },
  { key: 0x05, flags: 0x100, data: 1 },
  { key: 0x06, flags: 0x100, data: 2 },
];
const firstKey = 0x08;
const lastKey = 0xfe;

function releaseAll(): void {
  const api = win32();
  const isDown = (key: number): boolean => (api.keyState(key) & 0x8000) !== 0;
  const keys = Array.from({ length: lastKey - firstKey + 1 }, (_, index) => firstKey + index).filter(isDown);
  sendInputs([
    ...keys.map((key) => keyInput({ key, isDown: false })),
    ...buttons.filter(({ key }) => isDown(key)).map(({ flags, data = 0 }) => mouseInput({ flags, data })),
  ]);
}

/** winuser.h: MOD_… */
const modifierBits = { alt: 1, ctrl: 2, shift: 4, meta: 8 } as const;
const noRepeat = 0x4000;
const hotKeyMessage = 0x312;
const remove = 1;
const lookEveryMs = 25;
// Another handsight may already have the keys; when it ends, this one takes over.
const tryAgainMs = 2_000;

function watchStopKeys(): void {
  const api = win32();
  const chord = parseChord({ key: stopKeys });
  const key = chord
    .filter((each) => !isModifier(each))
    .flatMap((each) => keysFor(each) ?? [])
    .at(-1)?.key;
  if (key === undefined) return;
  const held = chord.reduce((sum, each) => sum | (modifierBits[each as keyof typeof modifierBits] ?? 0), noRepeat);
  const register = (): void => {
    if (api.registerHotKey(0, 1, held, key) === 0) setTimeout(register, tryAgainMs).unref();
  };
  register();
  const message = Buffer.alloc(48);
  setInterval(() => {
    while (api.peekMessage(message, 0, 0, 0, remove) !== 0) {
      if (message.readUInt32LE(8) === hotKeyMessage) stopAll(runtimeFolders());
    }
  }, lookEveryMs);
}

if (stopKeys !== "") watchStopKeys();
