import { findAskers } from "../asking.ts";
import { ToolError } from "../../base/errors.ts";
import { listensOn } from "../peer.ts";
import { lineageOf } from "../../base/process.ts";
import type { BrowserEndpoint } from "../browser.ts";

/** A client that handsight drives could be made to show, and to answer, the questions that it puts to the person. */
export function refuseOwnClient({ port }: BrowserEndpoint): void {
  if (!listensOn(port, lineageOf(process.pid).slice(1))) return;
  throw new ToolError("denied", `Port ${port} belongs to the app that started handsight.`, {
    hint: "handsight does not drive its own client. Start another browser: cdp_launch.",
  });
}

// A prompt takes no answer before it has been shown for ten times as long.
const lookEveryMs = 50;

/**
 * Says why a program is left alone now: a person is being asked in it, in the terminal of an editor for example. Asked before
 * each message, because typing may be under way when the question comes.
 */
export function whileAsking({ port }: BrowserEndpoint): () => ToolError | undefined {
  let lookedAt = -lookEveryMs;
  let isAsking = false;
  return () => {
    const now = performance.now();
    if (now - lookedAt >= lookEveryMs) {
      const { lineage = [] } = findAskers() ?? {};
      isAsking = lineage.length > 0 && listensOn(port, lineage);
      lookedAt = now;
    }
    if (!isAsking) return undefined;
    return new ToolError("denied", `The program on port ${port} is off limits while handsight asks a person in it.`, {
      hint: "Only the person may answer. Wait for the answer; work elsewhere meanwhile.",
    });
  };
}
