import { pathToFileURL } from "node:url";
import { ToolError } from "../base/errors.ts";
import type { PrivatePorts } from "../base/private-ports.ts";
import { needFile } from "./files.ts";
import type { Rules } from "./rules.ts";
import { needUrl } from "./urls.ts";

/**
 * Switches that change how a browser looks, and the values they may have; "" for none. Whatever is not listed may start
 * programs, load extensions, write files, take the browser's guards down or send its pages elsewhere.
 */
const harmless: Readonly<Record<string, RegExp>> = {
  "accept-lang": /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(,[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)*$/,
  "disable-extensions": /^$/,
  "disable-gpu": /^$/,
  "disable-notifications": /^$/,
  "disable-smooth-scrolling": /^$/,
  "disable-sync": /^$/,
  "force-color-profile": /^(srgb|generic-rgb|color-spin-gamma24|display-p3-d65)$/,
  "force-dark-mode": /^$/,
  "force-device-scale-factor": /^\d(\.\d{1,4})?$/,
  "force-prefers-reduced-motion": /^$/,
  "force-renderer-accessibility": /^(|basic|form-controls|complete)$/,
  guest: /^$/,
  headless: /^(|new|old)$/,
  "hide-scrollbars": /^$/,
  incognito: /^$/,
  kiosk: /^$/,
  lang: /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/,
  "mute-audio": /^$/,
  "new-window": /^$/,
  "no-default-browser-check": /^$/,
  "no-first-run": /^$/,
  "start-fullscreen": /^$/,
  "start-maximized": /^$/,
  "window-position": /^-?\d{1,5},-?\d{1,5}$/,
  "window-size": /^\d{1,5}[,x]\d{1,5}$/,
};

/** Set by handsight itself. Anybody else's value would open the browser to others, or have it keep its files elsewhere. */
const own = /^(remote-(debugging|allow)-|user-data-dir$)/;

interface Switch {
  readonly name: string;
  readonly value: string | undefined;
}

/** As a browser reads it: blanks around it do not count, and one dash is as good as two. */
function toSwitch(argument: string): Switch | undefined {
  const [, name, value] = /^\s*--?([^=\s]*)(?:=(.*))?$/s.exec(argument) ?? [];
  return name === undefined ? undefined : { name, value };
}

/** Whether a browser that is started with it is still no more than a browser. Addresses are checked by `needSwitch`. */
export function isHarmlessSwitch(argument: string): boolean {
  if (!argument.startsWith("-")) return isAddress(argument);
  const [, name = "", value] = /^--([a-z-]+)(?:=([^\n]*))?$/.exec(argument) ?? [];
  if (name === "app") return value !== undefined && isAddress(value);
  return Object.hasOwn(harmless, name) && harmless[name]?.test(value ?? "") === true;
}

const isAddress = (text: string): boolean => URL.canParse(text);

type Reach = Rules & { readonly ports?: PrivatePorts | undefined };

/**
 * The argument as the browser gets it. Throws `denied` for a switch that is handsight's own, and for an address or folder
 * that the rules keep from every tool, whoever has permitted the call: `--app=file:///…`, `--load-extension=/…`.
 */
export async function needSwitch(argument: string, rules: Reach): Promise<string> {
  const { name, value } = toSwitch(argument) ?? {};
  if (name === undefined) return needPage(argument, rules);
  if (own.test(name.toLowerCase())) {
    throw new ToolError("denied", `--${name.slice(0, 100)} is set by handsight itself.`, {
      hint: "Leave it out. profile names the folder of the profile; no other switch may lead to the browser's port.",
    });
  }
  if (name === "app" && value !== undefined) return `--app=${needPage(value, rules)}`;
  const plain = unquoted(value ?? "");
  if (isPath(plain)) for (const path of plain.split(",")) await needFile(path, "write", rules.files.write);
  else if (/^[a-z][a-z0-9+.-]+:/i.test(plain)) needUrl(plain, rules);
  return argument;
}

/** The address of the page. A path is one too: the browser would show the file. */
function needPage(text: string, rules: Reach): string {
  const plain = unquoted(text);
  return needUrl(isPath(plain) ? pathToFileURL(plain).href : plain, rules).href;
}

// Browsers drop control characters from an address wherever they stand: fi\tle:///etc/passwd.
const unquoted = (text: string): string =>
  text
    .replaceAll(/\p{Cc}/gu, "")
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2");

const isPath = (text: string): boolean => /^[\\/~]|(^|[\\/])\.\.([\\/]|$)/.test(text) && !/^[a-z]+:/i.test(text);
