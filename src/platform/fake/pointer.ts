import { ToolError } from "../../base/errors.ts";
import { contains, screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import type { Pointer } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

export function pointerOf(desktop: FakeDesktop): Pointer {
  let pressedAt: ScreenPoint | undefined;
  const pointer: Pointer = {
    async position() {
      return desktop.pointer;
    },
    async move(to, { signal } = {}) {
      await desktop.enter("move", signal);
      if (!contains(desktop.bounds, to)) {
        const { width, height } = desktop.bounds;
        throw new ToolError("out_of_bounds", `Point ${to.x},${to.y} is outside the screen (${width}×${height}).`);
      }
      desktop.pointer = screenPoint(to.x, to.y);
      for (const listener of desktop.pointerListeners) listener();
      if (desktop.grab) return desktop.grab({ kind: "move", at: desktop.pointer });
      desktop.events.push(`move ${to.x},${to.y}`);
    },
    async down(button, { signal } = {}) {
      await desktop.enter("down", signal);
      desktop.hear({ kind: "down", at: desktop.pointer, button, held: desktop.heldModifiers });
      if (desktop.grab) return desktop.grab({ kind: "down", at: desktop.pointer, button });
      desktop.buttonsDown.add(button);
      desktop.events.push(`down ${button}`);
      if (button === "left") pressedAt = desktop.pointer;
    },
    async up(button) {
      await desktop.enter("up");
      desktop.hear({ kind: "up", at: desktop.pointer, button, held: desktop.heldModifiers });
      if (desktop.grab) return desktop.grab({ kind: "up", at: desktop.pointer, button });
      desktop.buttonsDown.delete(button);
      desktop.events.push(`up ${button}`);
      const { x, y } = desktop.pointer;
      if (button === "left" && pressedAt?.x === x && pressedAt.y === y) desktop.elements?.click(desktop.pointer);
    },
    async tap(button, options) {
      await pointer.down(button, options);
      await pointer.up(button);
    },
    async wheel({ x, y }, { signal } = {}) {
      await desktop.enter("wheel", signal);
      desktop.hear({ kind: "wheel", at: desktop.pointer, notches: { x, y } });
      desktop.events.push(`wheel ${x},${y}`);
    },
  };
  return pointer;
}
