import { throwIfCancelled } from "../../base/async.ts";
import { screenPoint } from "../../base/geometry.ts";
import type { Button, Pointer } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import { arrived, type PageInput } from "./input.ts";

// How far browsers scroll for one wheel notch.
const pixelsPerNotch = 100;

export function pointerOf(page: AttachedPage, input: PageInput): Pointer {
  const send = (signal: AbortSignal | undefined) => {
    throwIfCancelled(signal);
    page.needResponsive();
    return { signal };
  };
  return {
    position: async () => screenPoint(input.at.x, input.at.y),
    async move(to, { signal } = {}) {
      await arrived(input.move(to, send(signal)));
    },
    async down(button: Button, { signal } = {}) {
      await arrived(input.down(button, send(signal)));
    },
    up: (button: Button) => arrived(input.up(button)),
    async wheel({ x, y }, { signal } = {}) {
      await arrived(input.wheel({ x: x * pixelsPerNotch, y: y * pixelsPerNotch }, send(signal)));
    },
  };
}
