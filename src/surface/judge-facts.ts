import type { Facts } from "../platform/backend.ts";
import type { Effect } from "./judge.ts";

/** What the facts that a surface has seen for itself say: the same three words as two readings of it. */
export function judgeFacts(facts: Facts): Effect {
  if (facts.isTold) return "confirmed";
  if (!facts.isWatched || facts.drawn === "restless") return "unverifiable";
  const isSeen =
    facts.dialog !== undefined ||
    facts.hasLeft ||
    facts.lines.length > 0 ||
    facts.opened.length > 0 ||
    facts.downloads.length > 0 ||
    facts.drawn === "yes" ||
    (facts.isForFocus && facts.focus !== undefined) ||
    (facts.isForScrolling && facts.hasScrolled);
  return isSeen ? "confirmed" : "no_change";
}
