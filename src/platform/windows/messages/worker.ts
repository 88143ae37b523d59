import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from "node:worker_threads";
import { win32, type Handle } from "../win32.ts";
import { overlayClass } from "../windows/list.ts";
import type { Listening, Order, Ordered, RawInput, Told } from "./protocol.ts";

/**
 * The thread that owns windows and hooks. Windows delivers to a thread only while it waits for messages, and stops all input while
 * a hook does not answer, so this one does nothing else. Its event loop never runs: orders are taken from the port between messages.
 */
const { port } = workerData as { readonly port: MessagePort };
const tell = (told: Told): void => port.postMessage(told);
const api = win32();

/** Also how long ending the process may have to wait for this thread. */
const waitMs = 50;
const allInput = 0x04ff;
const remove = 1;
const mouseHook = 14;
const keyboardHook = 13;
const escapeKey = 0x1b;
const moveMessage = 0x200;
const keyDownMessages = [0x100, 0x104];

const extended = { layered: 0x80000, clickThrough: 0x20, topmost: 0x8, tool: 0x80, noActivate: 0x08000000 };
const popup = 0x80000000;
const messageOnly = -3;

let hasClass = false;

function openWindow(kind: "clipboard" | "overlay"): Handle {
  if (kind === "clipboard") return made(api.createWindow(0, "STATIC", "", 0, 0, 0, 0, 0, messageOnly, 0, 0, null));
  if (!hasClass) registerOverlayClass();
  const style = Object.values(extended).reduce((sum, bit) => sum | bit, 0) >>> 0;
  return made(api.createWindow(style, overlayClass, "", popup, 0, 0, 1, 1, 0, 0, api.ownModule(null), null));
}

function made(hwnd: Handle): Handle {
  if (hwnd === 0) throw new Error("Windows made no window.");
  return hwnd;
}

/** WNDCLASSEXW with Windows' own procedure: nothing here has to run when a message arrives. */
function registerOverlayClass(): void {
  const bytes = Buffer.alloc(80);
  const name = Buffer.from(`${overlayClass}\0`, "utf16le");
  bytes.writeUInt32LE(80, 0);
  bytes.writeBigUInt64LE(BigInt(api.defaultProcAddress()), 8);
  bytes.writeBigUInt64LE(BigInt(api.ownModule(null)), 24);
  bytes.writeBigUInt64LE(api.addressOf(name), 64);
  if (api.registerClass(bytes) === 0) throw new Error("Windows refused the class of the overlay.");
  hasClass = true;
}

let listening: Listening = { moves: false, buttons: false, keys: false, takesButtons: false };
const hooks: { mouse: Handle; keyboard: Handle } = { mouse: 0, keyboard: 0 };

const onMouse = api.registerHook((code, message, address) => {
  if (code !== 0) return api.nextHook(0, code, message, address);
  const [x = 0, y = 0, data = 0, , ms = 0] = api.read32(address, 5);
  const isMove = message === moveMessage;
  if (isMove ? listening.moves : listening.buttons) input({ kind: "mouse", message, x, y, data, ms });
  return listening.takesButtons && !isMove ? 1 : api.nextHook(0, code, message, address);
});

const onKey = api.registerHook((code, message, address) => {
  if (code !== 0) return api.nextHook(0, code, message, address);
  const [key = 0, scan = 0, , ms = 0] = api.read32(address, 4);
  const isEscape = key === escapeKey && listening.takesButtons;
  const isDown = keyDownMessages.includes(message);
  if (listening.keys || isEscape) input({ kind: "key", isDown, key, scan, ms });
  return isEscape ? 1 : api.nextHook(0, code, message, address);
});

const input = (raw: RawInput): void => tell({ kind: "input", input: raw });

function listen(what: Listening): void {
  listening = what;
  hooks.mouse = hooked(hooks.mouse, mouseHook, onMouse, what.moves || what.buttons || what.takesButtons);
  hooks.keyboard = hooked(hooks.keyboard, keyboardHook, onKey, what.keys || what.takesButtons);
}

function hooked(now: Handle, kind: number, procedure: unknown, isWanted: boolean): Handle {
  if (isWanted === (now !== 0)) return now;
  if (!isWanted) {
    api.unhook(now);
    return 0;
  }
  return made(api.setHook(kind, procedure, api.ownModule(null), 0));
}

function carryOut(order: Order): number {
  switch (order.do) {
    case "window":
      return openWindow(order.kind);
    case "close":
      return api.destroyWindow(order.window);
    case "listen":
      listen(order.what);
      return 0;
  }
}

function takeOrders(): void {
  for (let taken = receiveMessageOnPort(port); taken; taken = receiveMessageOnPort(port)) {
    const { number, order } = taken.message as Ordered;
    try {
      tell({ kind: "done", number, value: carryOut(order) });
    } catch (error) {
      tell({ kind: "failed", number, message: (error as Error).message });
    }
  }
}

const message = Buffer.alloc(48);
// Makes the queue, so that the first order can wake the thread.
api.peekMessage(message, 0, 0, 0, 0);
parentPort?.unref();
tell({ kind: "ready", thread: api.ownThread() });
for (;;) {
  takeOrders();
  while (api.peekMessage(message, 0, 0, 0, remove) !== 0) {
    api.dispatch(message);
    takeOrders();
  }
  api.waitForInput(0, null, 0, waitMs, allInput);
}
