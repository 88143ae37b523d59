import { win32, type Handle } from "../win32.ts";

const abortIfHung = 0x2;
/** For all answers together: meanwhile this thread serves nobody else. */
const answerMs = 2000;
/** A key makes three messages of a character: down, the character, up. */
const messagesPerInput = 3;

/**
 * True once the window's thread has taken what was sent to it. Windows answers a sent message before it hands out the next input,
 * so one answer proves nothing; but between two answers at least one message was taken, if there was any.
 */
export function drain(hwnd: Handle, inputs = 8): boolean {
  const api = win32();
  const out = Buffer.alloc(8);
  if (!api.isWindow(hwnd) || api.isHung(hwnd) !== 0) return false;
  const end = performance.now() + answerMs;
  for (let sent = 0; sent < inputs * messagesPerInput + 2; sent++) {
    const left = Math.ceil(end - performance.now());
    if (left <= 0 || api.sendTimeout(hwnd, 0, 0, 0, abortIfHung, left, out) === 0) return false;
  }
  return true;
}

/** The window that gets the keys. */
export function focusedWindow(): Handle {
  const api = win32();
  const info = Buffer.alloc(72);
  info.writeUInt32LE(info.length, 0);
  const focus = api.guiThread(0, info) === 0 ? 0 : Number(info.readBigUInt64LE(16));
  return focus === 0 ? api.foreground() : focus;
}
