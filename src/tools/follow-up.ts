import type { Acted } from "../surface/engine/action.ts";
import { androidSnapshot } from "./android/look.ts";
import { cdpTakeDomSnapshot } from "./browser/look.ts";
import type { CallOutcome } from "./call.ts";
import { waitFor } from "./desktop/wait.ts";
import { takeAxSnapshot } from "./elements/elements.ts";
import {
  aboutElement,
  expectedWords,
  isAboutOwn,
  looksIn,
  readExpectation,
  type Expectation,
} from "./expect/expectation.ts";
import type { Observation } from "./expect/field.ts";
import type { Session } from "./session.ts";
import type { AnyTool, ToolImage } from "./tool.ts";
import { markRegions } from "./vision/regions.ts";

type Data = Readonly<Record<string, unknown>>;

/** What a call says about the time after its action. */
export interface Follow {
  readonly expect: Expectation | undefined;
  readonly observe: Observation;
}

/** An action that was done. */
export interface Action {
  readonly input: Data;
  readonly data: Data;
  readonly acted: Acted | undefined;
  readonly signal: AbortSignal;
  /** Makes a call of its own, so that policy, rates and journal see the look. */
  readonly call: (tool: AnyTool, args: Data) => Promise<Ended>;
  /** The outcome of a look that could not even begin. */
  readonly failed: (thrown: unknown) => Failed;
}

type Ended = Exclude<CallOutcome, { readonly kind: "ask" }>;
type Failed = Extract<CallOutcome, { readonly kind: "failed" }>;

export interface Followed {
  readonly data: Record<string, unknown>;
  readonly images: readonly ToolImage[];
  readonly isUntrusted: boolean;
  readonly orders: readonly string[];
  readonly isUnmet: boolean;
}

const expectMs = 5_000;

/** Separates what a call says about the time after its action from what the tool itself takes. */
export function readFollow({ expect, observe, ...input }: Data): {
  readonly input: Data;
  readonly follow: Follow | undefined;
} {
  if (expect === undefined && (observe === undefined || observe === "diff")) return { input, follow: undefined };
  return {
    input,
    follow: { expect: expect as Expectation | undefined, observe: (observe as Observation | undefined) ?? "diff" },
  };
}

/**
 * Waits for what the caller expects of an action, and looks at what is there then. Never throws: a caller who is told
 * that the action failed does it again.
 */
export async function followUp(session: Session, { expect, observe }: Follow, action: Action): Promise<Followed> {
  const place = await placeOf(session, action).catch(action.failed);
  const waited = expect === undefined ? undefined : await awaitExpected(session, expect, place, action);
  const looked = await lookNow(observe, place, action);
  const outcomes = [waited?.outcome, looked].filter((outcome) => outcome !== undefined);
  const isUnmet = waited?.expected["met"] === false;
  const kept = observe === "none" ? outcomeOnly(action.data) : action.data;
  return {
    data: {
      ...kept,
      ...(isUnmet ? { ok: false } : {}),
      ...(waited ? { expected: waited.expected } : {}),
      ...(looked ? { now: nowOf(looked) } : {}),
    },
    images: looked?.kind === "done" ? looked.images : [],
    isUntrusted: outcomes.some((outcome) => outcome.isUntrusted),
    orders: outcomes.flatMap(ordersOf),
    isUnmet,
  };
}

/** What says how it went, without what else was seen. */
function outcomeOnly({ changes: _changes, node_before: _before, node_after: _after, ...outcome }: Data): Data {
  return outcome;
}

interface Place {
  readonly surface: string;
  /** The app acted on, where it is not the active one. */
  readonly app: Data;
}

async function placeOf(session: Session, { data, acted, signal }: Action): Promise<Place> {
  const surface = typeof data["surface"] === "string" ? data["surface"] : "desktop";
  const pid = acted?.node?.pid;
  // Input goes to the active app. A native action may reach another one, which stays in the background unless it
  // opens a window.
  if (surface !== "desktop" || pid === undefined || acted?.method !== "ax" || acted.changes.windows) {
    return { surface, app: {} };
  }
  const all = await (await session.surface(surface)).need("windows").list({ signal });
  const isElsewhere =
    all.some((window) => window.pid === pid) && !all.some((each) => each.isForeground && each.pid === pid);
  return { surface, app: isElsewhere ? { pid } : {} };
}

interface Waited {
  readonly expected: Readonly<Record<string, unknown>>;
  readonly outcome?: Ended;
}

async function awaitExpected(
  session: Session,
  given: Expectation,
  place: Place | Failed,
  action: Action,
): Promise<Waited> {
  const what = expectedWords(given);
  if (readExpectation(given).is === "changed") {
    return { expected: { met: action.data["effect"] === "confirmed", what, after_ms: 0 } };
  }
  const started = performance.now();
  const outcome = "kind" in place ? place : await waitAt(session, given, place, action).catch(action.failed);
  if (outcome.kind === "failed") {
    const { message, candidates } = outcome.envelope.error;
    const after = Math.round(performance.now() - started);
    return {
      outcome,
      expected: { met: false, what, after_ms: after, seen: message, ...(candidates ? { candidates } : {}) },
    };
  }
  const { waited_ms: after, element, match, window } = outcome.data;
  const found = { ...(element ? { element } : {}), ...(match ? { match } : {}), ...(window ? { window } : {}) };
  return { outcome, expected: { met: true, what, after_ms: after, ...found } };
}

async function waitAt(session: Session, given: Expectation, { surface, app }: Place, action: Action): Promise<Ended> {
  const uid = isAboutOwn(given) ? await ownUid(session, surface, action) : undefined;
  const expect = uid === undefined ? given : aboutElement(given, uid);
  // An action in a page may be expected to open a dialog of the desktop, and one on the desktop to change a page.
  const isElsewhere = looksIn(given).surface !== undefined;
  const where = isElsewhere ? {} : { ...(surface === "desktop" ? {} : { surface }), ...app };
  return action.call(waitFor, { expect, timeout_ms: expectMs, ...where });
}

async function ownUid(session: Session, surface: string, { input, acted }: Action): Promise<string | undefined> {
  const { uid } = input;
  if (typeof uid === "string") return uid;
  const node = acted?.node ?? acted?.before;
  return node ? (await session.surface(surface)).snapshots.refOf(node) : undefined;
}

async function lookNow(observe: Observation, place: Place | Failed, { call }: Action): Promise<Waited["outcome"]> {
  if (observe !== "marks" && observe !== "snapshot") return undefined;
  if ("kind" in place) return place;
  const { surface, app } = place;
  if (observe === "marks") return call(markRegions, { surface, ...app });
  if (surface.startsWith("page:")) return call(cdpTakeDomSnapshot, { surface, max_tokens: snapshotTokens });
  if (surface.startsWith("android:")) return call(androidSnapshot, { serial: surface.slice("android:".length) });
  return call(takeAxSnapshot, { surface, ...app });
}

// As much as the other snapshots take.
const snapshotTokens = 2_000;

/** What was seen, or why nothing was: the action itself is done either way. */
function nowOf(outcome: NonNullable<Waited["outcome"]>): Data {
  if (outcome.kind === "failed") return { warning: outcome.envelope.error.message };
  const { untrusted_text: _marked, suspicious_text: _orders, ...seen } = outcome.data;
  return seen;
}

function ordersOf(outcome: NonNullable<Waited["outcome"]>): readonly string[] {
  const { suspicious_text: orders } =
    outcome.kind === "done" ? outcome.data : { suspicious_text: outcome.envelope.suspicious_text };
  return Array.isArray(orders) ? orders.filter((each) => typeof each === "string") : [];
}
