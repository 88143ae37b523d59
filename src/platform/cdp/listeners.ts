import type { AttachedPage } from "./attached-page.ts";
import type { PageDocument } from "./document.ts";
import { elementsIn } from "./told-names.ts";
import type { SendOptions } from "./wire.ts";

const presses = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"]);
// A fifth of a millisecond each, once per element.
const mostNew = 500;
// Each costs a request per reading.
const mostRoots = 50;

interface Known {
  /** The document, then its shadow roots, as objects of the page's own world. */
  readonly roots: Promise<readonly string[]>[];
  /** False: not an element. */
  numbers: Map<number, boolean>;
  told: string;
}
const known = new WeakMap<PageDocument, Known>();

/**
 * Asks the browser which elements have listeners for presses, and tells our agent. A page can add one to anything, and
 * nothing in the document shows it. False when that changes nothing.
 */
export async function learnListeners(
  page: AttachedPage,
  document: PageDocument,
  { hasNewRoots, ...options }: SendOptions & { readonly hasNewRoots: boolean },
): Promise<boolean> {
  const memory: Known = known.get(document) ?? {
    roots: [documentRoot(page, document, options)],
    numbers: new Map(),
    told: "",
  };
  known.set(document, memory);
  if (hasNewRoots) memory.roots.push(shadowRoots(page, document, options));
  const roots = (await Promise.all(memory.roots).catch(forgetAll(document))).flat();
  const heard = await numbersIn(page, document, roots.slice(0, mostRoots), options);
  const told = heard.join(" ");
  if (told === memory.told) return false;
  const fresh = heard.filter((number) => !memory.numbers.has(number)).slice(0, mostNew);
  const added = await resolve(page, document, fresh, options);
  const isNew = new Set(fresh);
  const isKnown = (number: number): boolean => memory.numbers.get(number) === true && !isNew.has(number);
  for (const number of fresh) memory.numbers.set(number, added.has(number));
  const numbers = [...heard.filter(isKnown), ...added.keys()];
  const handles = [...added.values()].map((objectId) => ({ objectId }));
  const { value } = await document.handle("hear", [{ value: numbers }, ...handles], options);
  for (const { objectId } of handles) void forget(document, objectId);
  const current = new Set(heard);
  memory.numbers = new Map([...memory.numbers].filter(([number]) => current.has(number)));
  memory.told = heard.every((number) => memory.numbers.has(number)) ? told : "";
  return value;
}

/**
 * From our own world the browser reports listeners only together with those of the frames inside, and an element of a
 * frame must never become an object of another frame's world: the page crashes.
 */
async function documentRoot(
  page: AttachedPage,
  document: PageDocument,
  options: SendOptions,
): Promise<readonly string[]> {
  const { session, frameId } = document;
  const parent = page.frames.get(page.frames.get(frameId)?.parentId ?? "");
  if (parent?.session === session) {
    const { objectId } = await document.handle("ownDocument", [], options);
    return objectId === undefined ? [] : inOwnWorld(page, document, [objectId], options);
  }
  const asked = session.attempt("Runtime.evaluate", { expression: "document" }, options);
  const objectId = (await page.interrupts.race(asked))?.result.objectId;
  return objectId === undefined ? [] : [objectId];
}

async function shadowRoots(
  page: AttachedPage,
  document: PageDocument,
  options: SendOptions,
): Promise<readonly string[]> {
  const list = await document.handle("takeRoots", [{ value: mostRoots }], options);
  if (list.objectId === undefined) return [];
  const own = await inOwnWorld(page, document, await elementsIn(page, document, list.objectId, options), options);
  void forget(document, list.objectId);
  return own;
}

async function inOwnWorld(
  page: AttachedPage,
  { session }: PageDocument,
  handles: readonly string[],
  options: SendOptions,
): Promise<readonly string[]> {
  const found = await page.interrupts.race(
    Promise.all(
      handles.map(async (objectId) => {
        const node = (await session.attempt("DOM.describeNode", { objectId }, options))?.node;
        const own = node && (await session.attempt("DOM.resolveNode", { backendNodeId: node.backendNodeId }, options));
        return own?.object.objectId === undefined ? [] : [own.object.objectId];
      }),
    ),
  );
  return found.flat();
}

/** A request that was cancelled must not fail every later one. */
const forgetAll =
  (document: PageDocument) =>
  (error: unknown): never => {
    known.delete(document);
    throw error;
  };

async function numbersIn(
  page: AttachedPage,
  { session }: PageDocument,
  roots: readonly string[],
  options: SendOptions,
): Promise<readonly number[]> {
  const answers = await page.interrupts.race(
    Promise.all(
      roots.map((objectId) => session.attempt("DOMDebugger.getEventListeners", { objectId, depth: -1 }, options)),
    ),
  );
  const all = answers.flatMap((answer) => answer?.listeners ?? []);
  return [
    ...new Set(
      all.flatMap(({ type, backendNodeId: number }) => (presses.has(type) && number !== undefined ? [number] : [])),
    ),
  ];
}

/** The elements in our own world, by their number. */
async function resolve(
  page: AttachedPage,
  { session, contextId }: PageDocument,
  numbers: readonly number[],
  options: SendOptions,
): Promise<ReadonlyMap<number, string>> {
  const found = await page.interrupts.race(
    Promise.all(
      numbers.map(async (backendNodeId): Promise<[number, string][]> => {
        const asked = { backendNodeId, executionContextId: contextId };
        const objectId = (await session.attempt("DOM.resolveNode", asked, options))?.object.objectId;
        return objectId === undefined ? [] : [[backendNodeId, objectId]];
      }),
    ),
  );
  return new Map(found.flat());
}

const forget = ({ session }: PageDocument, objectId: string): Promise<unknown> =>
  session.attempt("Runtime.releaseObject", { objectId }).catch(() => undefined);
