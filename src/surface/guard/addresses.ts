import type { PrivatePorts } from "../../base/private-ports.ts";
import type { RuleAgainstFrame } from "../../platform/browser.ts";
import type { Rules } from "../../policy/rules.ts";
import { ruleAgainstUrl } from "../../policy/urls.ts";
import { ruleAgainstTitle } from "../../policy/windows.ts";

export type PageRules = Rules & { readonly ports: PrivatePorts };

// Shown by the browser itself, they are files of this machine.
const ofFiles: ReadonlySet<string> = new Set(["file:", "filesystem:", "view-source:", "ftp:"]);

/** Pages of the browser itself (a new tab) are no web pages; only the rules that block apply to them. */
export function ruleAgainstAddress(text: string, rules: PageRules): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  if (/^https?:$/.test(protocol) || ofFiles.has(protocol)) return ruleAgainstUrl(text, rules);
  const blocking = { ports: rules.ports, urls: { ...rules.urls, allow: ["*://*", "about:*", "data:*", "blob:*"] } };
  // A blob belongs to the site that made it.
  const maker = protocol === "blob:" ? ruleAgainstUrl(href.slice("blob:".length), blocking) : undefined;
  return maker ?? ruleAgainstUrl(text, blocking);
}

/**
 * The one judge of frames. Few frames have a title, so a list of allowed titles does not mean them; the page they are in is
 * held to it.
 */
export const ruleAgainstFrame =
  (rules: PageRules): RuleAgainstFrame =>
  ({ url, title }) =>
    ruleAgainstTitle(title, { ...rules, allowedWindowPatterns: ["*"] }) ?? ruleAgainstAddress(url, rules);
