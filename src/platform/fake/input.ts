import { ToolError } from "../../base/errors.ts";
import type { HeardEvent, Input } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

export function inputOf(desktop: FakeDesktop): Input {
  return {
    async position({ signal } = {}) {
      await desktop.enter("pointer position", signal);
      return desktop.pointer;
    },
    async watchPointer(listener, { signal } = {}) {
      await desktop.enter("watch pointer", signal);
      const own = (): void => listener();
      desktop.pointerListeners.add(own);
      return { [Symbol.asyncDispose]: async () => void desktop.pointerListeners.delete(own) };
    },
    async grabPointer(listener, { signal } = {}) {
      await desktop.enter("grab pointer", signal);
      if (desktop.grab) throw new ToolError("timeout", "Another program has the pointer.");
      desktop.grab = listener;
      return { [Symbol.asyncDispose]: async () => void (desktop.grab = undefined) };
    },
    async listen(listener, { signal } = {}) {
      await desktop.enter("listen", signal);
      const own = (event: HeardEvent): void => listener(event);
      desktop.heard.add(own);
      return { [Symbol.asyncDispose]: async () => void desktop.heard.delete(own) };
    },
  };
}
