import { ToolError } from "../../base/errors.ts";
import { isModifier, type Key } from "../../base/keys.ts";
import type { Keyboard } from "../backend.ts";
import type { AndroidDevice } from "./device.ts";
import { keyCodeOf } from "./keys.ts";

/** Keys are sent when pressed, with the modifiers held at that moment; a modifier alone is sent when released. */
export function keyboardOf(device: AndroidDevice): Keyboard {
  let held: Key[] = [];
  let isStruck = false;
  const codeOf = (key: Key): string => {
    const code = keyCodeOf(key);
    if (code !== undefined) return code;
    throw new ToolError("not_supported", `Android has no key "${key}".`, { hint: "Use type_text for text." });
  };
  return {
    async down(key, options = {}) {
      if (isModifier(key)) {
        held.push(key);
        isStruck = false;
        return;
      }
      isStruck = true;
      if (held.length > 0) await device.chord([...held, key].map(codeOf), options);
      else if (keyCodeOf(key) === undefined) await device.type(key, options);
      else await device.press(codeOf(key), options);
    },
    async up(key, options = {}) {
      if (!isModifier(key)) return;
      const alone = held.length === 1 && !isStruck;
      held = held.filter((each) => each !== key);
      if (alone) await device.press(codeOf(key), options);
    },
    async text(text, options = {}) {
      await device.type(text, options);
    },
  };
}
