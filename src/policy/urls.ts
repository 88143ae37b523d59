import { posix } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { PrivatePorts } from "../base/private-ports.ts";
import { fits } from "./patterns.ts";
import type { Rules } from "./rules.ts";

type Addresses = Pick<Rules, "urls"> & { readonly ports?: PrivatePorts | undefined };

/**
 * Throws `denied` unless the page may be opened. What counts is the address as a browser reads it, not as it is
 * written.
 */
export function needUrl(text: string, addresses: Addresses): URL {
  if (!URL.canParse(text)) {
    throw new ToolError("invalid_argument", `"${text.slice(0, 200)}" is not a full address.`, {
      hint: "Give one with its scheme, e.g. https://example.com/.",
    });
  }
  const url = new URL(text);
  const refusal = refusalOf(url, addresses);
  if (!refusal) return url;
  throw new ToolError("denied", `"${text.slice(0, 200)}" ${refusal.why}.`, { hint: refusal.hint });
}

/**
 * The rule that keeps a page that is shown already (after a redirect, in a frame) from being seen and used. Says nothing
 * of the address, nor which pattern fits it: whoever asks may not know it.
 */
export function ruleAgainstUrl(text: string, addresses: Addresses): string | undefined {
  return URL.canParse(text) ? refusalOf(new URL(text), addresses)?.rule : undefined;
}

interface Refusal {
  readonly rule: string;
  readonly why: string;
  readonly hint: string;
}

function refusalOf(url: URL, { urls, ports }: Addresses): Refusal | undefined {
  if (url.username !== "" || url.password !== "") {
    return {
      rule: "built in",
      why: "has a user name in front of its host",
      hint: "Leave it out: it makes a page look like another one.",
    };
  }
  const secret = ports?.find(url.href);
  if (secret !== undefined) {
    const why = `leads to ${secret}, which no page may reach`;
    return { rule: "built in", why, hint: "No rule can allow it." };
  }
  const blocking = urls.block.find((pattern) => fitsUrl(pattern, url));
  if (blocking !== undefined) {
    const why = `is blocked by the rule urls.block "${blocking}"`;
    return { rule: "urls.block", why, hint: "Only a person can change the rule file." };
  }
  if (urls.allow.some((pattern) => fitsUrl(pattern, url))) return undefined;
  return {
    rule: "urls.allow",
    why: "fits none of urls.allow",
    hint: `Allowed: ${urls.allow.join(", ")}. A person can add to it in the rule file.`,
  };
}

/**
 * `scheme://host:port/path`, each part with stars. `*.example.com` also matches `example.com`; without a scheme, it
 * matches any web page of that host. A star in one part never extends into the next.
 */
export function fitsUrl(pattern: string, url: URL): boolean {
  const [, scheme, authority = "", path] = /^(?:([a-z*][a-z0-9+.*-]*):\/\/)?([^/]*)(\/.*)?$/i.exec(pattern) ?? [];
  if (scheme === undefined && /^[a-z][a-z0-9+.-]*:/i.test(pattern) && !/^[^/:]+:\d+(\/|$)/.test(pattern)) {
    // about:blank, data:…: no host to compare.
    return url.host === "" && fits(pattern, url.href);
  }
  const isWeb = ["http:", "https:"].includes(url.protocol);
  if (scheme === undefined ? !isWeb : !fits(`${scheme}:`, url.protocol)) return false;
  if (url.host === "" && authority !== "") return false;
  const [, host = "", port] = /^(.*?)(?::(\d+|\*))?$/.exec(authority) ?? [];
  if (!fitsHost(host, url.hostname.replace(/\.$/, ""))) return false;
  const ownPort = url.port || { "http:": "80", "https:": "443" }[url.protocol] || "";
  if (port !== undefined && port !== "*" && port !== ownPort) return false;
  return path === undefined || path === "/" || fits(path, decoded(url.pathname));
}

function fitsHost(pattern: string, host: string): boolean {
  return fits(pattern, host) || (pattern.startsWith("*.") && fits(pattern.slice(2), host));
}

// %2e%2e and double slashes must not get past a rule about a path.
function decoded(path: string): string {
  try {
    return posix.normalize(decodeURIComponent(path));
  } catch {
    return path;
  }
}

export function needPackage(name: string, { packages }: Pick<Rules, "packages">): void {
  const isName = /^[A-Za-z][\w]*(\.[A-Za-z_][\w]*)*$/.test(name);
  const blocking = packages.block.find((pattern) => fits(pattern, name));
  if (isName && blocking === undefined && packages.allow.some((pattern) => fits(pattern, name))) return;
  const why = !isName
    ? "is not a package name"
    : blocking === undefined
      ? "matches none of packages.allow"
      : `is blocked by the rule packages.block "${blocking}"`;
  throw new ToolError("denied", `Package "${name.slice(0, 200)}" ${why}.`, {
    hint: "Only a person can change the rule file.",
  });
}
