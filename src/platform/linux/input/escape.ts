import type { Connection } from "../x11/connection.ts";
import { grabKey, ungrabKey } from "../x11/requests.ts";
import { Keys } from "./keys.ts";
import { wantedKey } from "./keysyms.ts";
import { modifierBits } from "./xkb.ts";

/**
 * Calls back when Escape is pressed, whoever has the focus; no other key is heard. Where another program has grabbed
 * it already, nothing is heard.
 */
export async function grabEscape(c: Connection, onEscape: () => void): Promise<Disposable> {
  const keycode = (await Keys.open(c)).find(wantedKey("escape"))?.keycode;
  if (keycode === undefined) return { [Symbol.dispose]: () => {} };
  // To the server Caps Lock and Num Lock are modifiers. Alt+Escape belongs to the window manager.
  const grabs = [0, modifierBits.lock, modifierBits.mod2, modifierBits.lock | modifierBits.mod2].map((modifiers) => ({
    keycode,
    modifiers,
  }));
  const stopListening = c.on((event) => {
    if (event.type === "KeyPress" && event.detail === keycode) onEscape();
  });
  await Promise.all(grabs.map((grab) => grabKey(c, grab).catch(() => {})));
  return {
    [Symbol.dispose]() {
      stopListening();
      for (const grab of grabs) ungrabKey(c, grab);
    },
  };
}
