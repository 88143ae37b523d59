import { expect, test } from "vitest";
import { splitArguments } from "./installed.ts";
import { readShortcut } from "./shortcut.ts";

/** A shortcut as [MS-SHLLINK] lays it out: header, place of the file, arguments. */
function shortcut(target: string, args: string): Buffer {
  const header = Buffer.alloc(0x4c);
  header.writeUInt32LE(0x4c, 0);
  header.writeUInt32LE(0x2 | 0x20 | 0x80, 20);
  const path = Buffer.from(`${target}\0`, "latin1");
  const info = Buffer.alloc(0x1c);
  info.writeUInt32LE(0x1c + path.length + 1, 0);
  info.writeUInt32LE(0x1c, 4);
  info.writeUInt32LE(1, 8);
  info.writeUInt32LE(0x1c, 16);
  info.writeUInt32LE(0x1c + path.length, 24);
  const text = Buffer.alloc(2 + args.length * 2);
  text.writeUInt16LE(args.length, 0);
  text.write(args, 2, "utf16le");
  return Buffer.concat([header, info, path, Buffer.from([0]), text]);
}

test("a shortcut of the Start menu names its program and arguments", () => {
  const bytes = shortcut("C:\\Program Files\\App\\app.exe", '--new "a file"');
  expect(readShortcut(bytes, {})).toEqual({ target: "C:\\Program Files\\App\\app.exe", arguments: '--new "a file"' });
});

test.each([0, 10, 0x4c, 0x60])("a shortcut that is cut off after %i bytes is none", (length) => {
  expect(readShortcut(shortcut("C:\\app.exe", "x").subarray(0, length), {})).toBeUndefined();
});

test("quoted arguments are one word", () => {
  expect(splitArguments('--new "a file" last')).toEqual(["--new", "a file", "last"]);
});
