import type { Keyboard } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import { arrived, type PageInput } from "./input.ts";
import { DialogOpened } from "./interrupt.ts";

export function keyboardOf(page: AttachedPage, input: PageInput): Keyboard {
  return {
    down: (key, { signal } = {}) => arrived(input.keyDown(key, { signal })),
    up: (key) => arrived(input.keyUp(key)),
    async text(text, { signal, delayMs } = {}) {
      try {
        await input.type(text, { signal, delayMs });
      } catch (error) {
        // The rest of the text was not typed, unlike a single event that opens a dialog.
        if (error instanceof DialogOpened) page.needResponsive();
        throw error;
      }
    },
  };
}
