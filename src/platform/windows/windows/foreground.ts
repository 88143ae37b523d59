import { poll } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { CallOptions } from "../../backend.ts";
import { keyInput, sendInputs } from "../input/send.ts";
import { win32, type Handle } from "../win32.ts";
import { pidOf } from "./list.ts";

const waitMs = 400;
const show = { minimize: 6, restore: 9 } as const;
const altKey = 0x12;

/**
 * Gives a window the keyboard. Windows refuses that to a program without the last input from a person, so this goes on through
 * the documented exceptions until the window is in front, and says so when it never is.
 */
export async function giveForeground(id: Handle, options: CallOptions): Promise<void> {
  const api = win32();
  if (api.isIconic(id) !== 0) api.showAsync(id, show.restore);
  const steps: readonly (() => void)[] = [
    () => void api.setForeground(id),
    // Whoever sent the last input may choose who is in front; Alt alone does nothing, as it is released at once.
    () => {
      sendInputs([keyInput({ key: altKey, isDown: true }), keyInput({ key: altKey, isDown: false })]);
      api.setForeground(id);
    },
    () => shareInput(() => void (api.bringToTop(id), api.setForeground(id))),
    () => {
      api.showAsync(id, show.minimize);
      api.showAsync(id, show.restore);
      api.setForeground(id);
    },
  ];
  for (const step of steps) {
    step();
    if (await isInFront(id, options)) return;
    if (!api.isWindow(id)) break;
  }
  throw new ToolError("timeout", `Windows did not put window ${id} in front.`, {
    hint: "A program may hold the foreground, such as one with an open menu; close it, or click the window.",
  });
}

/** The thread in front may give the foreground away; threads that share their input count as one. */
function shareInput(work: () => void): void {
  const api = win32();
  const front = api.foreground();
  const [own, other] = [api.ownThread(), front === 0 ? 0 : api.threadOf(front, null)];
  const isAttached = other !== 0 && other !== own && api.attachInput(own, other, 1) !== 0;
  try {
    work();
  } finally {
    if (isAttached) api.attachInput(own, other, 0);
  }
}

async function isInFront(id: Handle, { signal }: CallOptions): Promise<boolean> {
  const api = win32();
  // A window that is blocked by its own dialog puts the dialog in front.
  const isThere = () => {
    const front = api.foreground();
    return front === id || (front !== 0 && pidOf(front) === pidOf(id) && api.isEnabled(id) === 0);
  };
  return (await poll(async () => (isThere() ? true : undefined), { timeoutMs: waitMs, everyMs: 5, signal })) === true;
}
