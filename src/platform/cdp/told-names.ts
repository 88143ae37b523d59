import type { AttachedPage } from "./attached-page.ts";
import type { PageDocument } from "./document.ts";
import type { SendOptions } from "./wire.ts";

// Half a millisecond each, and the browser builds its own tree of the page first.
const mostNames = 200;

/**
 * Asks the browser for the names that our agent cannot compute, such as those with a counter in them, and tells it. False when
 * there are none to learn.
 */
export async function learnNames(page: AttachedPage, document: PageDocument, options: SendOptions): Promise<boolean> {
  const { session } = document;
  const list = await document.handle("takeUnsure", [{ value: mostNames }], options);
  if (list.objectId === undefined) return false;
  const elements = await elementsIn(page, document, list.objectId, options);
  // Otherwise the browser would build its tree anew for each of them.
  const enabled = session.attempt("Accessibility.enable", undefined, options);
  const names = await page.interrupts.race(
    Promise.all(
      elements.map(async (objectId) => {
        const asked = { objectId, fetchRelatives: false };
        const answer = await session.attempt("Accessibility.getPartialAXTree", asked, options);
        const value = answer?.nodes[0]?.name?.value;
        return typeof value === "string" ? value : null;
      }),
    ),
  );
  await enabled;
  void session.attempt("Accessibility.disable", undefined).catch(() => undefined);
  void session.attempt("Runtime.releaseObject", { objectId: list.objectId }).catch(() => undefined);
  await document.call("learn", [names], options);
  return names.some((name) => name !== null);
}

/** Handles of the elements in a list that stays in the page. */
export async function elementsIn(
  page: AttachedPage,
  { session }: PageDocument,
  objectId: string,
  options: SendOptions,
): Promise<readonly string[]> {
  const { result } = await page.interrupts.race(
    session.send("Runtime.getProperties", { objectId, ownProperties: true }, options),
  );
  return result.flatMap(({ name, value }) => (/^\d+$/.test(name) && value?.objectId ? [value.objectId] : []));
}
