import { sleep } from "../../base/async.ts";
import { DialogOpened, DocumentGone } from "./interrupt.ts";
import { foreseen, type AttachedPage } from "./attached-page.ts";
import { FrameBlocked } from "./refusals.ts";

/** Resolves with the first of the texts that any frame shows. If a document is replaced, it waits in the new one. */
export async function waitForText(
  page: AttachedPage,
  texts: readonly string[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly text: string; readonly ms: number } | undefined> {
  const started = performance.now();
  const left = (): number => timeoutMs - (performance.now() - started);
  for (let look = 0; look === 0 || left() > 0; look++) {
    page.needResponsive();
    // A frame that appears later is searched in the next round.
    const waitMs = Math.max(0, Math.min(left(), 500));
    try {
      const found = await firstText(page, texts, waitMs, signal);
      if (found !== undefined) return { text: found, ms: Math.round(performance.now() - started) };
    } catch (error) {
      if (error instanceof DialogOpened) page.needResponsive();
      if (!(error instanceof DocumentGone)) throw foreseen(error, page);
      await sleep(20, signal);
    }
  }
  return undefined;
}

async function firstText(
  page: AttachedPage,
  texts: readonly string[],
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const frames = await page.blocked.open({ signal });
  const asked = frames.map(async (frame) => {
    const document = await frame.document({ signal });
    return document.call("waitText", [texts, waitMs], { signal, timeoutMs: waitMs + 5_000 });
  });
  if (asked.length === 0) throw new DocumentGone("the page has no frames");
  const shown = asked.map(async (each) => {
    const text = await each;
    if (text === undefined) throw new NotShown();
    return text;
  });
  return Promise.any(shown).catch((error: unknown) => {
    const failures = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    const failure = failures.find((each) => !(each instanceof NotShown || each instanceof FrameBlocked));
    if (failure !== undefined) throw failure;
    return undefined;
  });
}

class NotShown extends Error {}
