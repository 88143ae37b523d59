import { ToolError } from "../base/errors.ts";
import type { Rules } from "./rules.ts";
import { fitsUrl } from "./urls.ts";

const notHost = (text: string, hint: string): ToolError =>
  new ToolError("invalid_argument", `"${text.slice(0, 200)}" is no host.`, { hint });

/**
 * The host as a connection reads it: in lower case, numbers as an address, letters of other scripts in ASCII, without the
 * dot at its end. Throws `invalid_argument` for what is more than a host name or an address, such as a path behind it.
 */
export function toHost(text: string): string {
  const isAddress = /^[0-9a-f:.]+$/i.test(text) && text.includes(":");
  const written = isAddress ? `[${text}]` : text;
  const isPlain = /^\[[0-9a-f:.]+\]$/i.test(written) || /^[\p{L}\p{M}\p{N}._。．｡-]+$/u.test(written);
  const whole = `http://${written}/`;
  const host = isPlain && URL.canParse(whole) ? new URL(whole).hostname.replace(/\.$/, "") : "";
  if (!/^(\[[0-9a-f:]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(host)) {
    throw notHost(text, "Give a host name or an address, such as 127.0.0.1 or ::1, without scheme, port or path.");
  }
  const plain = unmapped(host);
  if (plain !== "0.0.0.0" && plain !== "[::]") return plain;
  throw notHost(text, "It stands for every address of a machine. Use 127.0.0.1 for this one.");
}

/** ::ffff:127.0.0.1 leads where 127.0.0.1 does. */
function unmapped(host: string): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  return [high, low]
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join(".");
}

const isThisMachine = (host: string): boolean => /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(host);
const itsNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The host to connect to. Throws `denied` when the rules for addresses are against it. A browser of this machine need not be
 * among those that are allowed, because its pages are checked one by one; blocked it may be, by any of its names.
 */
export function needHost({ host, port }: { readonly host: string; readonly port: number }, { urls }: Rules): string {
  const own = toHost(host);
  const isHere = isThisMachine(own);
  const addresses = (isHere ? [own, ...itsNames] : [own]).flatMap((name) =>
    ["http", "https", "ws", "wss"].map((scheme) => new URL(`${scheme}://${name}:${port}/json/version`)),
  );
  const find = (patterns: readonly string[]) => patterns.find((each) => addresses.some((url) => fitsUrl(each, url)));
  const blocking = find(urls.block);
  if (blocking !== undefined) {
    throw new ToolError("denied", `${own}:${port} is blocked by the rule urls.block "${blocking}".`, {
      hint: "Only a person can change the rule file.",
    });
  }
  if (isHere || find(urls.allow) !== undefined) return own;
  throw new ToolError("denied", `${own}:${port} fits none of urls.allow.`, {
    hint: `Allowed: ${urls.allow.join(", ")}. A person can add to it in the rule file.`,
  });
}
