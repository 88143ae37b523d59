import { cancelled } from "../../base/async.ts";
import type { Connection } from "../linux/x11/connection.ts";
import { getMonitors, setMonitor } from "../linux/x11/extensions.ts";
import { eventMask } from "../linux/x11/events.ts";
import { changeProperty, changeWindowAttributes, getProperty, predefined, selectInput } from "../linux/x11/requests.ts";
import { RequestWriter } from "../linux/x11/wire.ts";
import { cursorSize, textDpi } from "./environment.ts";
import type { Settings } from "./messages.ts";
import { desktopSettings, publishSettings } from "./xsettings.ts";

/** Calm and unlike any toolkit's window background, so that windows stand out in a picture. */
const background = 0x2f4858;

/**
 * Sets the colour, pointer, scale and monitors of the bare screen, before any other client sees it. Part of it lasts
 * only as long as the connection.
 */
export async function prepareScreen(connection: Connection, settings: Settings): Promise<void> {
  changeWindowAttributes(connection, connection.root, { backgroundPixel: background });
  clearWindow(connection, connection.root);
  setRootPointer(connection);
  const resources = `Xft.dpi:\t${textDpi(settings.scale)}\nXcursor.size:\t${cursorSize(settings.scale)}\n`;
  changeProperty(connection, connection.root, predefined.resourceManager, predefined.string, Buffer.from(resources));
  if (settings.monitors > 1) await divideIntoMonitors(connection, settings);
  await publishSettings(connection, desktopSettings(settings.scale));
}

/** The text of a root window property, as soon as some client has set it. */
export async function awaitRootProperty(connection: Connection, name: string, signal: AbortSignal): Promise<Buffer> {
  const atom = await connection.atom(name);
  await selectInput(connection, connection.root, eventMask.propertyChange);
  const read = async (): Promise<Buffer | undefined> => (await getProperty(connection, connection.root, atom))?.value;
  return new Promise((resolve, reject) => {
    const check = () => {
      read().then(
        (value) => value && finish(() => resolve(value)),
        (error: Error) => finish(() => reject(error)),
      );
    };
    const finish = (settle: () => void) => {
      stopListening();
      signal.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = () => finish(() => reject(cancelled(signal)));
    const stopListening = connection.on((event) => {
      if (event.type === "PropertyNotify" && event.atom === atom) check();
    });
    signal.addEventListener("abort", onAbort, { once: true });
    check();
  });
}

function clearWindow(connection: Connection, window: number): void {
  connection.send("ClearArea", new RequestWriter(61).u32(window).skip(8));
}

/** Without it the root window shows the server's X-shaped pointer until a window manager sets its own. */
function setRootPointer(connection: Connection): void {
  const [font, cursor] = [connection.newId(), connection.newId()];
  const leftPointer = 68; // cursorfont.h; the glyph behind each one is its mask
  const name = Buffer.from("cursor");
  connection.send("OpenFont", new RequestWriter(45).u32(font).u16(name.length).skip(2).bytes(name));
  connection.send(
    "CreateGlyphCursor",
    new RequestWriter(94)
      .u32(cursor)
      .u32(font)
      .u32(font)
      .u16(leftPointer)
      .u16(leftPointer + 1)
      .skip(6)
      .u16(0xffff)
      .u16(0xffff)
      .u16(0xffff),
  );
  const cursorBit = 1 << 14;
  connection.send("ChangeWindowAttributes", new RequestWriter(2).u32(connection.root).u32(cursorBit).u32(cursor));
  connection.send("FreeCursor", new RequestWriter(95).u32(cursor));
  connection.send("CloseFont", new RequestWriter(46).u32(font));
}

async function divideIntoMonitors(connection: Connection, settings: Settings): Promise<void> {
  const { width, height, monitors, scale, monitorScales = [] } = settings;
  const [wholeScreen] = await getMonitors(connection);
  for (let index = 0; index < monitors; index++) {
    const millimetres = (pixels: number) => Math.round((pixels * 25.4) / textDpi(monitorScales[index] ?? scale));
    await setMonitor(connection, {
      name: await connection.atom(`virtual-${index + 1}`),
      isPrimary: index === 0,
      // Taking over the server's only output removes the automatic monitor that spans the whole screen.
      outputs: index === 0 ? (wholeScreen?.outputs ?? []) : [],
      x: index * width,
      y: 0,
      width,
      height,
      size: { width: millimetres(width), height: millimetres(height) },
    });
  }
}
