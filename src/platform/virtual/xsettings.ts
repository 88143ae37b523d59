import type { Connection } from "../linux/x11/connection.ts";
import { changeProperty, createWindow, getSelectionOwner, setSelectionOwner } from "../linux/x11/requests.ts";
import { cursorSize } from "./environment.ts";

/**
 * The settings that every GTK program reads at startup. They carry the scale because this is the only form that GTK
 * 3, GTK 4 and what builds on them agree on: with GDK_SCALE and Xft.dpi together GTK 4 scales its text twice.
 */
export function desktopSettings(scale: number): Readonly<Record<string, number | string>> {
  const windowScale = Math.floor(scale);
  return {
    "Gdk/WindowScalingFactor": windowScale,
    // In 1024ths. GTK itself multiplies it by the window scale.
    "Gdk/UnscaledDPI": Math.round((96 * scale * 1024) / windowScale),
    "Xft/DPI": Math.round(96 * scale * 1024),
    "Gtk/CursorThemeSize": cursorSize(scale),
    // Animations after an action delay the moment at which its effect can be read.
    "Gtk/EnableAnimations": 0,
    "Net/EnableEventSounds": 0,
  };
}

/** Publishes the settings for as long as the connection stays open. */
export async function publishSettings(
  connection: Connection,
  settings: Readonly<Record<string, number | string>>,
): Promise<void> {
  const atoms = await connection.atoms("_XSETTINGS_S0", "_XSETTINGS_SETTINGS");
  const window = createWindow(connection, { x: -1, y: -1, width: 1, height: 1, isInputOnly: true });
  const property = atoms._XSETTINGS_SETTINGS;
  changeProperty(connection, window, property, property, encodeSettings(settings));
  setSelectionOwner(connection, window, atoms._XSETTINGS_S0);
  const owner = await getSelectionOwner(connection, atoms._XSETTINGS_S0);
  if (owner !== window) throw new Error("Another program has taken over the XSETTINGS of the new desktop.");
}

/** Format of the XSETTINGS specification 0.5, little-endian. */
export function encodeSettings(settings: Readonly<Record<string, number | string>>): Buffer {
  const entries = Object.entries(settings);
  const header = Buffer.alloc(12);
  header.writeUInt32LE(entries.length, 8);
  return Buffer.concat([header, ...entries.map(([name, value]) => encodeSetting(name, value))]);
}

function encodeSetting(name: string, value: number | string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(typeof value === "number" ? 0 : 1);
  head.writeUInt16LE(name.length, 2);
  const serial = Buffer.alloc(4);
  const number = Buffer.alloc(4);
  number.writeInt32LE(typeof value === "number" ? value : Buffer.byteLength(value));
  const text = typeof value === "string" ? padded(value) : Buffer.alloc(0);
  return Buffer.concat([head, padded(name), serial, number, text]);
}

function padded(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}
