import type { ElementEvent, ElementEventKind } from "../backend.ts";
import { isNotice } from "./agent-shapes.ts";
import { parseJson } from "./checks.ts";
import { worldName } from "./document.ts";
import { ignoreGone } from "./witness.ts";
import type { AttachedPage } from "./attached-page.ts";
import { pagePid } from "./identity.ts";

const binding = "handsightNotice";

/** Reports changes in the page's documents until disposed. */
export async function watchPage(
  page: AttachedPage,
  kinds: readonly ElementEventKind[],
  listener: (event: ElementEvent) => void,
  signal: AbortSignal | undefined,
): Promise<AsyncDisposable> {
  const frames = await page.blocked.open({ signal });
  const sessions = new Set(frames.map((frame) => frame.session));
  const documents = await Promise.all(frames.map((frame) => frame.document({ signal }).catch(ignoreGone)));
  const stops = [...sessions].map((session) =>
    session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
      if (name !== binding) return;
      const notice = parseJson(payload);
      if (!isNotice(notice)) return;
      const [kind, detail, local] = notice;
      if (!kinds.includes(kind)) return;
      const document = documents.find((each) => each?.session === session && each.contextId === executionContextId);
      const frame = document && page.frames.get(document.frameId);
      if (frame && !page.blocked.isOpen(frame)) return;
      listener({
        kind,
        detail,
        // An element that nobody was shown has no ref yet.
        runtimeId: (document && page.elementIds.peek(document, local)) ?? "",
        pid: pagePid,
        at: Date.now(),
      });
    }),
  );
  for (const document of documents) {
    if (!document) continue;
    await document.session.attempt(
      "Runtime.addBinding",
      { name: binding, executionContextName: worldName },
      { signal },
    );
    await document.call("notice", [1], { signal }).catch(ignoreGone);
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      const open = documents.filter((document) => document !== undefined && !document.isGone && !page.dialog);
      await Promise.allSettled(open.map(async (document) => document?.call("notice", [-1])));
    },
  };
}
