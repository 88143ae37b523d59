import { join } from "node:path/win32";

/** What a shortcut of the Start menu starts. */
export interface Shortcut {
  readonly target: string;
  readonly arguments: string;
}

/** [MS-SHLLINK]: which parts follow the header. */
const has = {
  idList: 0x1,
  linkInfo: 0x2,
  name: 0x4,
  relative: 0x8,
  folder: 0x10,
  args: 0x20,
  icon: 0x40,
  unicode: 0x80,
  expanded: 0x200,
};
const headerSize = 0x4c;
const expandedBlock = 0xa0000001;

/** Reads a .lnk file; undefined when it is none, or names no file (a packaged app, a place of the shell). */
export function readShortcut(bytes: Buffer, env: NodeJS.ProcessEnv): Shortcut | undefined {
  try {
    return parse(bytes, env);
  } catch (error) {
    // Cut off in the middle.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parse(bytes: Buffer, env: NodeJS.ProcessEnv): Shortcut | undefined {
  if (bytes.readUInt32LE(0) !== headerSize) return undefined;
  const flags = bytes.readUInt32LE(20);
  let at = headerSize;
  if (flags & has.idList) at += 2 + bytes.readUInt16LE(at);
  let target: string | undefined;
  if (flags & has.linkInfo) {
    target = localPath(bytes.subarray(at, at + bytes.readUInt32LE(at)));
    at += bytes.readUInt32LE(at);
  }
  const strings = new Map<number, string>();
  for (const part of [has.name, has.relative, has.folder, has.args, has.icon]) {
    if (!(flags & part)) continue;
    const length = bytes.readUInt16LE(at);
    const size = flags & has.unicode ? length * 2 : length;
    strings.set(part, bytes.toString(flags & has.unicode ? "utf16le" : "latin1", at + 2, at + 2 + size));
    at += 2 + size;
  }
  if (flags & has.expanded) target ??= expandedTarget(bytes.subarray(at), env);
  return target === undefined || target === "" ? undefined : { target, arguments: strings.get(has.args) ?? "" };
}

/** The path on a drive of this machine, in Unicode where there is one. */
function localPath(info: Buffer): string | undefined {
  const header = info.readUInt32LE(4);
  if ((info.readUInt32LE(8) & 1) === 0) return undefined;
  const wide = header >= 0x24 ? info.readUInt32LE(28) : 0;
  if (wide > 0) return textAt(info.subarray(wide), "utf16le");
  const [base, suffix] = [info.readUInt32LE(16), info.readUInt32LE(24)];
  const rest = textAt(info.subarray(suffix), "latin1");
  const start = textAt(info.subarray(base), "latin1");
  return rest === "" ? start : join(start, rest);
}

function expandedTarget(blocks: Buffer, env: NodeJS.ProcessEnv): string | undefined {
  for (let at = 0; at + 8 <= blocks.length && blocks.readUInt32LE(at) >= 8; at += blocks.readUInt32LE(at)) {
    if (blocks.readUInt32LE(at + 4) !== expandedBlock) continue;
    const path = textAt(blocks.subarray(at + 8 + 260), "utf16le");
    return path.replaceAll(/%([^%]+)%/g, (whole, name: string) => env[name] ?? env[name.toUpperCase()] ?? whole);
  }
  return undefined;
}

function textAt(bytes: Buffer, encoding: "utf16le" | "latin1"): string {
  return bytes.toString(encoding).replace(/\0.*$/s, "");
}
