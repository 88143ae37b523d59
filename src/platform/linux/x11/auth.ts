import { readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../../base/errors.ts";

export interface DisplayAddress {
  readonly name: string;
  /** Empty for local sockets. */
  readonly host: string;
  readonly display: number;
  readonly screen: number;
}

/** `:99`, `host:0.1`, `unix:0`, `tcp/host:0`, `[::1]:0`. */
export function parseDisplay(name: string | undefined, isWayland = false): DisplayAddress {
  const match = /^(?:(tcp|inet6?|unix|local)\/)?(.*):(\d+)(?:\.(\d+))?$/.exec(name ?? "");
  if (isWayland && (name === undefined || name === "")) {
    throw new ToolError(
      "not_connected",
      "This is a Wayland session without X11: its programs cannot be seen or used yet.",
      {
        hint: 'Let handsight start its own desktop with "--desktop virtual". With Xwayland switched on in the compositor, X11 programs can be used here.',
      },
    );
  }
  if (name === undefined || !match) {
    throw new ToolError(
      "not_connected",
      name === undefined || name === ""
        ? "There is no X display: DISPLAY is not set."
        : `DISPLAY is "${name}", which is not the name of an X display.`,
      { hint: 'Set DISPLAY (for example ":0"), or let handsight start its own desktop with "--desktop virtual".' },
    );
  }
  const [, protocol, rawHost = "", display, screen] = match;
  const isLocal = rawHost === "" || rawHost === "unix" || protocol === "unix" || protocol === "local";
  return {
    name,
    host: isLocal ? "" : rawHost.replace(/^\[(.*)\]$/, "$1"),
    display: Number(display),
    screen: Number(screen ?? 0),
  };
}

export type Endpoint = { readonly path: string } | { readonly host: string; readonly port: number };

/** Where the server may listen, best first. A name starting with a NUL byte is an abstract socket. */
export function endpoints(address: DisplayAddress): readonly Endpoint[] {
  const path = `/tmp/.X11-unix/X${address.display}`;
  const port = 6000 + address.display;
  if (address.host !== "") return [{ host: address.host, port }];
  const local: Endpoint[] = [{ path }, { path: `\0${path}` }];
  return port <= 0xffff ? [...local, { host: "localhost", port }] : local;
}

export interface Credentials {
  readonly name: string;
  readonly data: Buffer;
}

const cookieName = "MIT-MAGIC-COOKIE-1";
const familyLocal = 256;
const familyWild = 65535;

interface Entry {
  readonly family: number;
  readonly address: string;
  readonly display: string;
  readonly name: string;
  readonly data: Buffer;
}

/** The cookie for this display; empty when there is no file or no matching entry, which many servers accept. */
export async function findCredentials(address: DisplayAddress, env: NodeJS.ProcessEnv): Promise<Credentials> {
  const file = env["XAUTHORITY"] || join(env["HOME"] || homedir(), ".Xauthority");
  const bytes = await readFile(file).catch(() => undefined);
  const entry = bytes && chooseEntry(parseAuthority(bytes), address, hostname());
  return entry ? { name: entry.name, data: entry.data } : { name: "", data: Buffer.alloc(0) };
}

/** Xau file format: big-endian u16 family, then four counted strings. A truncated end is ignored. */
export function parseAuthority(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  const counted = (): Buffer => {
    const length = bytes.readUInt16BE(at);
    const value = bytes.subarray(at + 2, at + 2 + length);
    if (value.length < length) throw new RangeError("torn");
    at += 2 + length;
    return value;
  };
  try {
    while (at < bytes.length) {
      const family = bytes.readUInt16BE(at);
      at += 2;
      const [host, display, name, data] = [counted(), counted(), counted(), counted()];
      entries.push({
        family,
        address: host.toString("latin1"),
        display: display.toString("latin1"),
        name: name.toString("latin1"),
        data,
      });
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return entries;
}

/** An exact host beats a wildcard, and a wildcard beats an entry left over from an older host name. */
export function chooseEntry(entries: readonly Entry[], address: DisplayAddress, ownHost: string): Entry | undefined {
  const isLocal = address.host === "" || address.host === "localhost";
  const rank = (entry: Entry): number => {
    if (entry.family === familyWild) return 2;
    if (isLocal) return entry.family === familyLocal && entry.address === ownHost ? 3 : 1;
    return entry.address === address.host || isAddress(entry, address.host) ? 3 : 1;
  };
  return entries
    .filter((entry) => entry.name === cookieName && ["", String(address.display)].includes(entry.display))
    .reduce<Entry | undefined>((best, entry) => (best && rank(best) >= rank(entry) ? best : entry), undefined);
}

function isAddress(entry: Entry, host: string): boolean {
  return entry.family === 0 && [...Buffer.from(entry.address, "latin1")].join(".") === host;
}
