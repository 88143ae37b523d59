import type { Clipboard } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

export function clipboardOf(desktop: FakeDesktop): Clipboard {
  return {
    async read({ signal } = {}) {
      await desktop.enter("clipboard read", signal);
      return desktop.clipboard;
    },
    async write(text, { signal } = {}) {
      await desktop.enter("clipboard write", signal);
      desktop.clipboard = text;
    },
  };
}
