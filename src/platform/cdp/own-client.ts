import { findAskers } from "../asking.ts";
import { callerPid } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { listensOn } from "../peer.ts";
import { lineageOf } from "../../base/process.ts";
import type { BrowserEndpoint } from "../browser.ts";

/** If handsight drove its own client, it could make it show, and answer, the questions meant for the person. */
export function refuseOwnClient({ port }: BrowserEndpoint): void {
  // A session runs on its own; what started it for this call are the ancestors of the command.
  const starters = [process.pid, callerPid()].flatMap((pid) => lineageOf(pid).slice(1));
  if (!listensOn(port, starters)) return;
  throw new ToolError("denied", `Port ${port} belongs to the app that started handsight.`, {
    hint: "handsight does not drive its own client. Start another browser: cdp_launch.",
  });
}

// A prompt accepts no answer until it has been shown ten times as long.
const lookEveryMs = 50;

/**
 * Returns why a program must not be used now: a person is being asked in it, for example in the terminal of an
 * editor. Checked before each message, because typing may be in progress when the question appears.
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
