import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import type { Facts, PageDialog, WitnessOptions, Witnessed } from "../page-acts.ts";
import type { PageDocument } from "./document.ts";
import type { Row } from "./inject/rows.ts";
import type { Seen } from "./inject/watch.ts";
import { frameOffset } from "./geometry.ts";
import { DialogOpened, DocumentGone } from "./interrupt.ts";
import { foreseen, type AttachedPage } from "./attached-page.ts";
import { Picture, type Drawn } from "./repaint.ts";
import { FrameBlocked } from "./refusals.ts";
import { toNode } from "./tree.ts";
import type { ElementOwner } from "./element-ids.ts";
import { isTimeout, type SendOptions } from "./wire.ts";

export interface Done<T> {
  readonly value: T;
  readonly via: string;
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  readonly warning?: string | undefined | Promise<string | undefined>;
  /** What the element's own document saw, if that was requested in the same call and is complete. */
  readonly seen?: Seen | undefined;
}

/**
 * What is about to be done. Recorded before, because nothing can be learned after a dialog opens or the document is
 * left.
 */
export type Doing = Pick<Done<unknown>, "via" | "at">;

export type Watched = (doing: Doing) => Promise<void>;

export interface Expected {
  /** Whether the action is meant to move the focus, given the element it acts on. */
  readonly focus: (before: UiNode | undefined) => boolean;
  readonly scroll: boolean;
  /** How long nothing may change before it counts as settled. */
  readonly quietMs: number;
  /** What is compared as a picture if the document reports no change. */
  readonly drawn?: Drawn;
  /** It counts that the text cursor has moved. */
  readonly caret?: boolean;
  /** What a style shows under the pointer is meant. */
  readonly hover?: boolean;
  /** Do not wait for a change: the action may have no visible effect. */
  readonly mayBeQuiet?: boolean;
}

export const never = (): boolean => false;
export const always = (): boolean => true;

// Two frames: by then a page has drawn its response to an event.
export const settled = 34;
// More frames than this are advertisements; each costs a request before and after.
const mostFrames = 12;
const loadMs = 10_000;

/** Nothing was watched, and nothing is known. */
export const unseen: Facts = {
  isWatched: false,
  lines: [],
  isForFocus: false,
  isForScrolling: false,
  hasScrolled: false,
  hasCopied: false,
  hasLeft: false,
  drawn: "no",
  opened: [],
  downloads: [],
  settleMs: 0,
};

/**
 * Acts while the page watches itself, and reports what was seen until it was quiet. The document itself says what
 * changed, so nothing has to be read twice. Input reaches the page on another path than requests do: `work` must not
 * send any before `watched`, or its effect could come before anyone looks.
 */
export async function witness<T>(
  page: AttachedPage,
  owner: (ElementOwner & { readonly ref: string }) | undefined,
  expected: Expected,
  options: WitnessOptions,
  work: (watched: Watched) => Promise<Done<T>>,
): Promise<Witnessed<T | undefined>> {
  page.needResponsive();
  const { signal, settleMs } = options;
  const mark = { navigations: page.navigations, opened: page.opened.length, downloads: page.downloads.length };
  const looks = settleMs > 0;
  const documents = looks ? await watchedDocuments(page, { signal }) : [];
  // All of it is sent at once; the browser answers one after the other.
  const beginning = Promise.all([
    Promise.all(
      documents.map((document) => document.call("begin", [idIn(document, owner)], { signal }).catch(ignoreGone)),
    ),
    owner && !documents.includes(owner.document) ? readRow(owner, options) : undefined,
  ]);
  beginning.catch(() => {});
  let picture: Picture | undefined;
  let doing: Doing | undefined;
  const watched: Watched = async (what) => {
    doing = what;
    const [begun] = await beginning;
    const isDrawn = expected.drawn === "element" || begun.some((each) => each?.draws);
    if (expected.drawn && isDrawn && looks) picture = await Picture.take(page, owner, expected.drawn, { signal });
  };
  let done: Done<T> | undefined;
  let dialog: PageDialog | undefined;
  const wasLoading = page.isLoading;
  // From the moment a document is being left until the next one arrives, if ever, browsers hold back requests to it.
  let isHeldBack = false;
  try {
    done = await work(watched);
  } catch (error) {
    if (error instanceof DialogOpened) dialog = error.dialog;
    else if (doing && isTimeout(error) && page.isLoading && !wasLoading) isHeldBack = true;
    else if (!(error instanceof DocumentGone)) throw foreseen(error, page);
  }
  const [begun, unwatched] = await beginning.catch((error: unknown): Awaited<typeof beginning> => {
    if (!(error instanceof DialogOpened)) throw foreseen(error, page);
    dialog ??= error.dialog;
    return [[], undefined];
  });
  const own = owner && begun[documents.indexOf(owner.document)];
  const before = owner && rowNode(page, owner, own?.row ?? unwatched);
  if (owner && !before && !dialog) {
    const hasLeft = documents.includes(owner.document) && !own;
    throw page.ended ?? (hasLeft ? leftError(owner.ref) : goneError(owner.ref));
  }
  const url = begun[0]?.url ?? page.target.info().url;
  const title = begun[0]?.title ?? page.target.info().title;
  const focusCounts = expected.focus(before);
  const started = performance.now();
  const repainted = dialog ? undefined : picture?.soon({ signal });
  let seen: readonly SeenIn[] = [];
  if (!dialog && looks && !isHeldBack) {
    try {
      const settling = { expected: { ...expected, focus: focusCounts }, owner, settleMs, signal, mark };
      seen =
        owner && done?.seen
          ? [{ ...done.seen, document: owner.document }, ...(await lookAround(documents, settling))]
          : await settle(page, documents, settling);
    } catch (error) {
      if (error instanceof DialogOpened) dialog = error.dialog;
      else if (!(error instanceof DocumentGone)) throw foreseen(error, page);
    }
  }
  dialog ??= page.dialog;
  let warning = await done?.warning;
  if (!dialog && (page.isLoading || page.navigations > mark.navigations) && looks) {
    const came = await page.loaded(isHeldBack ? 0 : loadMs, signal).catch((error: unknown) => {
      if (error instanceof DialogOpened) dialog = error.dialog;
      else throw foreseen(error, page);
      return true;
    });
    if (!came) {
      isHeldBack = true;
      warning = join(warning, `The page is navigating, but the next document is still loading after ${loadMs} ms.`);
    }
  }
  const left = page.navigations > mark.navigations;
  const concluded = done?.seen && owner?.document;
  for (const document of documents)
    if (!dialog && !isHeldBack && document !== concluded) void document.call("end", []).catch(() => undefined);
  // Most pages have already reported all of it in their last answer.
  const ownLast = seen.find(({ document }) => document === owner?.document);
  const mainLast = left ? undefined : seen.find(({ document }) => document.frameId === page.frames.mainId);
  const asks = !dialog && looks && !isHeldBack;
  const [afterRow, now] = await Promise.all([
    owner && asks && !left ? (ownLast ? ownLast.row : readRow(owner, options).catch(ignoreGone)) : undefined,
    asks ? (mainLast ?? placeNow(page, options)) : { url, title },
  ]);
  const after = owner && rowNode(page, owner, afterRow);
  const lines = linesOf(page, seen);
  const focus = seen.find((each) => each.focus !== null)?.focus;
  const opened = page.opened.slice(mark.opened);
  const downloads = await page.downloadsSince(mark.downloads, { signal });
  const hasLeft = left || hasLeftFrame(page, owner) || (isHeldBack && !wasLoading) || now.url !== url;
  const hasScrolled = seen.some((each) => each.scrolled);
  const isShown =
    dialog !== undefined ||
    hasLeft ||
    lines.length + opened.length + downloads.length > 0 ||
    seen.some((each) => isEvidence(each, { ...expected, focus: focusCounts }));
  if (isShown) repainted?.stop();
  const drawn = !isShown && repainted ? await repainted.compare().catch(() => "no" as const) : "no";
  if (drawn === "yes") lines.push(`~ ${expected.drawn === "canvas" ? "canvas" : "element"} redrawn`);
  if (drawn === "restless")
    warning = join(warning, "The picture changes by itself, so it does not show what this did.");
  return {
    value: done?.value,
    via: done?.via ?? doing?.via ?? "cdp",
    before,
    after,
    at: done?.at ?? doing?.at,
    isWatched: looks,
    lines,
    ...(focus ? { focus: { from: focus[0], to: focus[1] } } : {}),
    isForFocus: focusCounts,
    isForScrolling: expected.scroll,
    hasScrolled,
    hasCopied: seen.some((each) => each.copied),
    mayRun: (["texts", "numbers"] as const).find((what) => seen.some((each) => each.mayRun === what)),
    hasLeft,
    drawn,
    ...(now.url === url ? {} : { url: { from: url, to: now.url } }),
    ...(now.title === title ? {} : { title: { from: title, to: now.title } }),
    ...(dialog ? { dialog: { type: dialog.type, message: dialog.message, defaultPrompt: dialog.defaultPrompt } } : {}),
    opened,
    downloads,
    trouble: page.troubles.take(),
    settleMs: Math.round(performance.now() - started),
    warning,
  };
}

const mostLines = 20;

/** Each with the ref of its element, which the next call can use. */
function linesOf(page: AttachedPage, seen: readonly SeenIn[]): string[] {
  const all = seen.flatMap(({ lines, document }) =>
    lines.map(([before, local, after]) => {
      const ref = local === 0 ? "" : ` ${page.elementIds.refOf(page.target.id, document, local)}`;
      return `${before}${ref}${after}`;
    }),
  );
  const left = Math.max(0, all.length - mostLines) + seen.reduce((sum, { cut }) => sum + cut, 0);
  return left > 0 ? [...all.slice(0, mostLines), `… ${left} more changes`] : all;
}

export async function watchedDocuments(page: AttachedPage, options: SendOptions): Promise<readonly PageDocument[]> {
  const frames = await page.blocked.open(options);
  const found = await Promise.all(frames.slice(0, mostFrames).map((frame) => frame.document().catch(ignoreGone)));
  return found.filter((document) => document !== undefined);
}

type SeenIn = Seen & { readonly document: PageDocument };

const idIn = (document: PageDocument, owner: ElementOwner | undefined): number =>
  owner?.document === document ? owner.local : 0;

const readRow = (owner: ElementOwner, { signal }: WitnessOptions): Promise<Row | undefined> =>
  owner.document.call("read", [owner.local], { signal });

/** Locating an element inside a frame takes more requests, and callers that act on it do not need its place. */
const rowNode = (page: AttachedPage, owner: ElementOwner, row: Row | undefined): UiNode | undefined =>
  row && toNode(page, { document: owner.document, offset: { x: 0, y: 0 } }, row);

type Wanted = Omit<Expected, "focus"> & { readonly focus: boolean };

interface Settling {
  readonly expected: Wanted;
  readonly owner: ElementOwner | undefined;
  readonly settleMs: number;
  readonly signal: AbortSignal | undefined;
  readonly mark: { readonly navigations: number; readonly opened: number; readonly downloads: number };
}

async function askSeen(
  document: PageDocument,
  waitMs: number,
  { expected: { quietMs, focus, scroll, hover = false, caret = false }, owner, signal }: Settling,
): Promise<SeenIn | undefined> {
  const wanted = { quietMs, waitMs, focus, scroll, hover, caret, id: idIn(document, owner) };
  const answer = await document.call("settle", [wanted], { signal, timeoutMs: waitMs + 5_000 }).catch(ignoreGone);
  return answer && { ...answer, document };
}

/** The frame of the element shows another document now. */
const hasLeftFrame = (page: AttachedPage, owner: ElementOwner | undefined): boolean =>
  owner !== undefined && owner.document.frameId !== page.frames.mainId && owner.document.isGone;

/** What the documents other than the element's own have seen so far. */
async function lookAround(documents: readonly PageDocument[], settling: Settling): Promise<readonly SeenIn[]> {
  const around = documents.filter((document) => document !== settling.owner?.document);
  const seen = await Promise.all(around.map((document) => askSeen(document, 0, settling)));
  return seen.filter((each) => each !== undefined);
}

/** Asks all documents what they saw; ends when one of them, or the browser, shows an effect. */
async function settle(
  page: AttachedPage,
  documents: readonly PageDocument[],
  settling: Settling,
): Promise<readonly SeenIn[]> {
  const { expected, settleMs, signal, mark } = settling;
  const { quietMs } = expected;
  const until = performance.now() + settleMs;
  // A frame from another site that is out of view has its timers throttled to one tick a second, so it is only looked
  // at once.
  const leading = documents.filter(
    (document) => document === settling.owner?.document || document.frameId === page.frames.mainId,
  );
  const others = documents.filter((document) => !leading.includes(document));
  let waitMs = expected.mayBeQuiet ? quietMs : Math.max(quietMs * 2, 60);
  let seen: readonly SeenIn[] = [];
  for (;;) {
    const limit = Math.max(1, Math.min(waitMs, until - performance.now()));
    const answers = leading.map((document) => askSeen(document, limit, settling));
    // As soon as one document has seen something, there is no need to wait for the others.
    const first = await firstOf(answers, (each) => each !== undefined && isEvidence(each, expected));
    const rest = first
      ? []
      : await Promise.all([...answers, ...others.map((document) => askSeen(document, 0, settling))]);
    seen = first ? [first] : rest.filter((each) => each !== undefined);
    const isElsewhere =
      page.isLoading ||
      hasLeftFrame(page, settling.owner) ||
      page.navigations > mark.navigations ||
      page.opened.length > mark.opened ||
      page.downloads.length > mark.downloads;
    if (isElsewhere || seen.some((each) => isEvidence(each, expected)) || expected.mayBeQuiet) return seen;
    if (performance.now() >= until || documents.length === 0) return seen;
    if (documents.every((document) => document.isGone)) {
      await sleep(20, signal);
      return seen;
    }
    waitMs = Math.min(waitMs * 2, 250);
  }
}

const isEvidence = (seen: Seen, { focus, scroll }: Wanted): boolean =>
  seen.lines.length > 0 || seen.copied || (focus && seen.focus !== null) || (scroll && seen.scrolled);

function firstOf<T>(promises: readonly Promise<T>[], fits: (value: T) => boolean): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let left = promises.length;
    if (left === 0) resolve(undefined);
    for (const promise of promises) {
      promise.then((value) => {
        if (fits(value)) resolve(value);
        if (--left === 0) resolve(undefined);
      }, reject);
    }
  });
}

async function placeNow(
  page: AttachedPage,
  { signal }: WitnessOptions,
): Promise<{ readonly url: string; readonly title: string }> {
  try {
    const document = await page.mainDocument({ signal, timeoutMs: 3_000 });
    return await document.call("place", [], { signal, timeoutMs: 3_000 });
  } catch (error) {
    if (signal?.aborted) throw error;
    return { url: page.frames.main?.url ?? page.target.info().url, title: page.target.info().title };
  }
}

export async function readNode(page: AttachedPage, owner: ElementOwner, options: SendOptions) {
  const frame = page.frames.get(owner.frameId);
  if (!frame) return undefined;
  const [row, offset] = await Promise.all([
    owner.document.call("read", [owner.local], options),
    frameOffset(page, frame, options),
  ]);
  return row ? toNode(page, { document: owner.document, offset }, row) : undefined;
}

export const goneError = (ref: string): ToolError =>
  new ToolError("uid_not_found", `The element ${ref} is no longer on the page.`, {
    hint: "Call cdp_find_elements or cdp_take_dom_snapshot again and use the new uid.",
  });

const leftError = (ref: string): ToolError =>
  new ToolError("snapshot_expired", `${ref} belongs to an earlier document.`, {
    hint: "The page has navigated since: call cdp_find_elements or cdp_take_dom_snapshot again.",
  });

export function ignoreGone(error: unknown): undefined {
  if (error instanceof DocumentGone || error instanceof FrameBlocked) return undefined;
  throw error;
}

const join = (a: string | undefined, b: string): string => (a === undefined ? b : `${a} ${b}`);
