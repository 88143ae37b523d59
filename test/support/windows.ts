import { poll } from "../../src/base/async.ts";
import type { Rect } from "../../src/base/geometry.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { eventMask } from "../../src/platform/linux/x11/events.ts";
import {
  changeProperty,
  clientMessage,
  createWindow,
  destroyWindow,
  getWindowAttributes,
  mapWindow,
  predefined,
  sendEvent,
} from "../../src/platform/linux/x11/requests.ts";

export interface TestWindow extends Rect {
  readonly title?: string;
  readonly className?: string;
  /** 0xRRGGBB */
  readonly colour?: number;
  /** `_NET_WM_WINDOW_TYPE_…` */
  readonly type?: string;
  readonly overrideRedirect?: boolean;
  readonly pid?: number;
  /** What to do when asked to close; without it the window does not support WM_DELETE_WINDOW. */
  readonly onClose?: "destroy" | "ignore";
  readonly answersPing?: boolean;
  readonly map?: boolean;
}

/** A window without a toolkit, painted by the server in one colour. Resolves when it is on the screen. */
export async function openTestWindow(c: Connection, window: TestWindow): Promise<number> {
  const id = createWindow(c, {
    ...window,
    values: {
      backgroundPixel: window.colour ?? 0xcccccc,
      overrideRedirect: window.overrideRedirect ? 1 : 0,
      eventMask: eventMask.structureNotify,
    },
  });
  const atoms = await c.atoms(
    "UTF8_STRING",
    "_NET_WM_NAME",
    "_NET_WM_PID",
    "_NET_WM_WINDOW_TYPE",
    "WM_PROTOCOLS",
    "WM_DELETE_WINDOW",
    "_NET_WM_PING",
  );
  changeProperty(c, id, atoms._NET_WM_NAME, atoms.UTF8_STRING, Buffer.from(window.title ?? "Test"));
  const name = window.className ?? "TestApp";
  changeProperty(c, id, predefined.wmClass, predefined.string, Buffer.from(`${name.toLowerCase()}\0${name}\0`));
  // USPosition | USSize: the window manager leaves the window where it was put.
  const hints = [3, window.x, window.y, window.width, window.height, ...Array.from({ length: 13 }, () => 0)];
  changeProperty(c, id, predefined.wmNormalHints, 41, { u32: hints });
  if (window.pid !== undefined) {
    changeProperty(c, id, atoms._NET_WM_PID, predefined.cardinal, { u32: [window.pid] });
  }
  if (window.type !== undefined) {
    changeProperty(c, id, atoms._NET_WM_WINDOW_TYPE, predefined.atom, { u32: [await c.atom(window.type)] });
  }
  const protocols = [
    ...(window.onClose === undefined ? [] : [atoms.WM_DELETE_WINDOW]),
    ...(window.answersPing ? [atoms._NET_WM_PING] : []),
  ];
  changeProperty(c, id, atoms.WM_PROTOCOLS, predefined.atom, { u32: protocols });
  c.on((event) => {
    if (event.type !== "ClientMessage" || event.window !== id || event.messageType !== atoms.WM_PROTOCOLS) return;
    if (event.data[0] === atoms.WM_DELETE_WINDOW && window.onClose === "destroy") destroyWindow(c, id);
    if (event.data[0] === atoms._NET_WM_PING) {
      const echo = clientMessage(c.root, event.messageType, event.data);
      const mask = eventMask.substructureNotify | eventMask.substructureRedirect;
      sendEvent(c, echo, { to: c.root, mask }).catch(() => {});
    }
  });
  if (window.map === false) {
    await c.sync();
    return id;
  }
  mapWindow(c, id);
  const shown = await poll(
    async () => ((await getWindowAttributes(c, id)).mapState === "viewable" ? true : undefined),
    { timeoutMs: 5000, everyMs: 10 },
  );
  if (!shown) throw new Error(`test window ${window.title ?? ""} did not appear`);
  return id;
}
