import { ToolError } from "../../../base/errors.ts";
import type { Connection } from "../x11/connection.ts";
import { fakeInput } from "../x11/extensions.ts";
import { RequestWriter } from "../x11/wire.ts";
import { getState, lockState, modifierBits } from "./xkb.ts";

/** Num Lock (mod2) does not affect letters, and switching it would make its light blink with every text. */
const disturbing = 0xff & ~modifierBits.mod2;
/** Modifiers that come from a held key; Caps Lock is locked, not held, and pressing its key again would toggle it. */
const holding = disturbing & ~modifierBits.lock;

/**
 * Makes keys type what the layout says: no Caps Lock, no other group, no modifier held. The returned function
 * restores everything.
 */
export async function resetModifiers(
  c: Connection,
  modifiers: ReadonlyMap<number, number>,
): Promise<() => Promise<void>> {
  const [state, down] = await Promise.all([getState(c), getDownKeys(c)]);
  const held = [...modifiers].filter(([code, bits]) => down.has(code) && (bits & holding) !== 0).map(([code]) => code);
  const affected = state.lockedModifiers & disturbing;
  if (affected === 0 && state.lockedGroup === 0 && held.length === 0) return async () => {};
  const press = (isDown: boolean) =>
    fakeInput(
      c,
      held.map((keycode) => ({ kind: "key", keycode, isDown })),
    );
  const restore = async () => {
    await press(true);
    await lockState(c, { affected, locked: affected, group: state.lockedGroup });
    await c.sync();
  };
  await lockState(c, { affected, locked: 0, group: 0 });
  await press(false);
  // The server keeps a key down that is still pressed on another keyboard, whatever we release.
  if (((await getState(c)).baseModifiers & holding) === 0) return restore;
  await restore();
  throw new ToolError(
    "timeout",
    "A modifier key is held on the keyboard, so text would turn into shortcuts; nothing was typed.",
    {
      hint: "Release Shift, Ctrl, Alt and the like, then type again.",
    },
  );
}

export async function getDownKeys(c: Connection): Promise<ReadonlySet<number>> {
  const bits = (await c.request("QueryKeymap", new RequestWriter(44))).take(32);
  return new Set(
    Array.from({ length: 256 }, (_, code) => code).filter((code) => ((bits[code >> 3] ?? 0) >> (code & 7)) & 1),
  );
}
