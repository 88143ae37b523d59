import type { Facts } from "../platform/backend.ts";
import type { Effect } from "./judge.ts";

/** Judges the facts a surface saw for itself. The verdicts are the same as for two compared readings. */
export function judgeFacts(facts: Facts): Effect {
  if (facts.isTold) return "confirmed";
  if (!facts.isWatched || facts.drawn === "restless") return "unverifiable";
  const isSeen =
    facts.dialog !== undefined ||
    facts.hasLeft ||
    facts.hasCopied ||
    facts.lines.length > 0 ||
    facts.opened.length > 0 ||
    facts.downloads.length > 0 ||
    facts.drawn === "yes" ||
    (facts.isForFocus && facts.focus !== undefined) ||
    (facts.isForScrolling && facts.hasScrolled);
  return isSeen ? "confirmed" : "no_change";
}
