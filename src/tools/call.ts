import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { z } from "zod";
import { ToolError, type ErrorEnvelope } from "../base/errors.ts";
import { cancelled, throwIfCancelled } from "../base/async.ts";
import { answers, type Answer } from "../policy/decide.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { Ability } from "../platform/backend.ts";
import type { Acted } from "../surface/engine/action.ts";
import type { Surface } from "../surface/surface.ts";
import { nearest } from "../base/nearest.ts";
import { aboutCall, needReach, needSame } from "./permission/about.ts";
import type { About } from "./permission/gate.ts";
import { Entered, hidesText, recordCall } from "./call-record.ts";
import { callAsking, errorOf } from "./call-asking.ts";
import type { Question, Questions } from "./permission/questions.ts";
import { toDescriber, type LentModel } from "./lent.ts";
import { patiently, type Glance, type Patience } from "./patience.ts";
import { performer } from "./perform.ts";
import { problemsOf } from "./explain.ts";
import { followUp, readFollow, type Follow } from "./follow-up.ts";
import { needReady } from "./ready.ts";
import type { Session } from "./session.ts";
import { unwrap } from "./meta/call-tool.ts";
import { onSurfaceOfRef } from "./ref-surface.ts";
import {
  forInput,
  isFollowed,
  surfaceOf,
  type AnyTool,
  type Progress,
  type ToolContext,
  type ToolImage,
  type ToolResult,
} from "./tool.ts";
import { markError, markKept, markUntrusted } from "./untrusted.ts";
import { isOfPage, whichSurface } from "./which-surface.ts";

export type { Answer, Glance, Patience, Question, Questions };
export { callAsking, errorOf, markKept };
/** Every answer a person can give to a question. */
export const answerOffers = answers;

export interface CallRequest {
  readonly tool: string;
  readonly arguments: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Who is calling: the MCP client's name, "cli", "agent". */
  readonly client?: string | undefined;
  /** The caller's own vision model, if it lends one; used when none is configured. */
  readonly lent?: LentModel | undefined;
  /** Asks a person during the call, if the front end can. */
  readonly ask?: ToolContext["ask"];
  /** Aborts when the connection of the call has ended; missing if that cannot be known. */
  readonly connection?: AbortSignal | undefined;
  /** Whether this front end can ask a person. */
  readonly canAsk: boolean;
  /** The person's answer, when the previous outcome was `ask`. */
  readonly answer?: Answer | undefined;
  /** The question it answers. */
  readonly questionId?: string | undefined;
  /** Why the question will get no answer any more. */
  readonly unanswered?: ToolError | undefined;
  /** Wait before failing, or until the answer will do. */
  readonly patience?: Patience | undefined;
}

export type CallOutcome =
  | {
      readonly kind: "done";
      /** The tool that ran: with call_tool, the one inside. */
      readonly tool: string;
      readonly stepId: string;
      readonly data: Record<string, unknown>;
      readonly images: readonly ToolImage[];
      /** The data itself reports a failure, as another contract defines it. */
      readonly reportsFailure: boolean;
      /** The data contains text that somebody else put on the screen; front ends label it as such. */
      readonly isUntrusted: boolean;
      /** It entered text that no record may show. */
      readonly hidesText: boolean;
    }
  /** Nothing has been done. Ask the person, then call again with `answer`. */
  | { readonly kind: "ask"; readonly question: Question }
  | {
      readonly kind: "failed";
      readonly tool: string;
      readonly stepId: string;
      readonly envelope: ErrorEnvelope;
      readonly isUntrusted: boolean;
    };

/** The only way in. Never throws. */
export async function callTool(session: Session, received: CallRequest): Promise<CallOutcome> {
  const inner = isOffered(session, received.tool) ? unwrap(received) : undefined;
  const request = inner ? { ...received, ...inner } : received;
  const named = session.tools.find(({ name }) => name === request.tool);
  const tool = named && forInput(named, request.arguments);
  const after: After = { through: inner && received.tool };
  const outcome = await callOnce(session, tool, request, after);
  return outcome.kind === "done" && after.follow ? followed(session, request, outcome, after) : outcome;
}

/** The tool that was called to call another, and what a call leaves for the time after its action. */
interface After {
  readonly through?: string | undefined;
  input?: Readonly<Record<string, unknown>>;
  follow?: Follow | undefined;
  acted?: Acted;
  /** The call looks at what became of an action that entered hidden text. */
  readonly isAfterHidden?: boolean;
}

type Failed = Extract<CallOutcome, { readonly kind: "failed" }>;
type Done = Extract<CallOutcome, { readonly kind: "done" }>;

/** The answer of an action, with what its caller wants to know about the time after it. */
async function followed(
  session: Session,
  { signal = unlimited(), client, ask }: CallRequest,
  outcome: Done,
  { input = {}, follow = { expect: undefined, observe: "diff" }, acted }: After,
): Promise<CallOutcome> {
  const { hidesText: isAfterHidden } = outcome;
  const failed = (thrown: unknown, tool = outcome.tool): Failed => {
    const about = { request: { tool, arguments: {}, signal, canAsk: false }, mayQuote: isAfterHidden };
    const envelope = session.secrets.conceal(toEnvelope(session, thrown, about));
    return { kind: "failed", tool, stepId: outcome.stepId, envelope, isUntrusted: false };
  };
  const look = (tool: AnyTool, args: Readonly<Record<string, unknown>>) => {
    const request = { tool: tool.name, arguments: args, signal, client, ask };
    return callAsking(session.gate, request, (inner) => callOnce(session, tool, inner, { isAfterHidden })).catch(
      (error: unknown) => failed(error, tool.name),
    );
  };
  const { data, images, isUnmet, ...seen } = await followUp(session, follow, {
    input,
    data: outcome.data,
    acted,
    signal,
    call: look,
    failed,
  });
  const { suspicious_text: own = [] } = outcome.data as { readonly suspicious_text?: readonly string[] };
  const orders = [...own, ...seen.orders];
  const isUntrusted = outcome.isUntrusted || seen.isUntrusted;
  return {
    ...outcome,
    data: {
      ...data,
      ...(isUntrusted ? { untrusted_text: true } : {}),
      ...(orders.length > 0 ? { suspicious_text: orders } : {}),
    },
    images: [...outcome.images, ...images],
    reportsFailure: outcome.reportsFailure || isUnmet,
    isUntrusted,
  };
}

/** Validate → locate → decide → lock → re-check → run → conceal → journal → map errors. Never throws. */
async function callOnce(
  session: Session,
  tool: AnyTool | undefined,
  request: CallRequest,
  after: After,
): Promise<CallOutcome> {
  const started = Date.now();
  const clock = performance.now();
  const stepId = session.journal.nextStep();
  // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
  if (request.signal) setMaxListeners(0, request.signal);
  const entered = new Entered();
  let isValid = false;
  const finish = (ok: boolean, result: unknown, artifacts: readonly string[] = []) => {
    const { isAfterHidden } = after;
    const happened = { tool, arguments: request.arguments, isValid, ok, entered, isAfterHidden };
    const ms = Math.round((performance.now() - clock) * 10) / 10;
    const entry = (): JournalEntry => {
      const record = recordCall({ ...happened, result }, (text) => session.secrets.conceal(text));
      return {
        type: "call",
        step: stepId,
        at: started,
        ms,
        tool: request.tool,
        access: tool?.access ?? "observe",
        ...record,
        ok,
        artifacts,
        ...(request.client === undefined ? {} : { client: request.client }),
      };
    };
    try {
      session.journal.append(entry);
    } catch (error) {
      session.log.error("the journal could not be written", error);
    }
    return hidesText(happened);
  };
  let isAtWork = false;
  try {
    if (after.through !== undefined) session.gate.needNotDenied(after.through);
    if (!tool) throw unknownTool(session, request.tool);
    const valid = validate(tool, request.arguments, session);
    isValid = true;
    const { input: own, follow } = isFollowed(tool) ? readFollow(valid) : { input: valid };
    const given = await needReach(tool, own, session);
    const input = await onSurfaceOfRef(tool, given, session);
    Object.assign(after, { input, follow });
    const note = (acted: Acted) => {
      entered.note(acted);
      after.acted = acted;
    };
    const attempt = async (): Promise<Attempted> => {
      const located = await locateReady(session, tool, input, request);
      const about = await consult(session, tool, input, request);
      if (about !== undefined && "text" in about) return about;
      if (!isAtWork) session.gate.count(tool);
      isAtWork = true;
      const known = about && located && !about.located && !about.isPermitted ? { ...about, located } : about;
      const run = () => runLocked(session, tool, input, { request, stepId, about: known, note });
      return known ? session.gate.during(known, run) : run();
    };
    const result = await withPatience(session, tool, input, request, { attempt, hasBegun: () => isAtWork });
    if ("text" in result) return { kind: "ask", question: result };
    await needStillOpen(session, tool, input, result.data);
    const artifacts = keepArtifacts(session, stepId, result);
    const marked = markUntrusted(tool, session.secrets.conceal(tool.output.parse(result.data)), input);
    session.gate.notice(marked.orders);
    const { images = [], failed: reportsFailure = false } = result;
    const hides = finish(!reportsFailure, result.record ?? marked.data, artifacts);
    const { data, isUntrusted } = marked;
    return { kind: "done", tool: request.tool, stepId, data, images, reportsFailure, isUntrusted, hidesText: hides };
  } catch (thrown) {
    const mayQuote = tool?.enters !== undefined || tool?.keys !== undefined;
    const plain = session.secrets.conceal(toEnvelope(session, thrown, { request, mayQuote }));
    const { envelope, isUntrusted, orders } = markError(isAtWork ? tool : undefined, plain, request.arguments);
    session.gate.notice(orders);
    finish(false, envelope.error);
    return { kind: "failed", tool: request.tool, stepId, envelope, isUntrusted };
  }
}

const isOffered = ({ tools }: Session, name: string): boolean => tools.some((tool) => tool.name === name);

function keepArtifacts(
  session: Session,
  stepId: string,
  { images = [], tree }: ToolResult<unknown>,
): readonly string[] {
  const save = (name: string, bytes: Uint8Array | (() => Uint8Array)) =>
    session.journal.saveArtifact(`${stepId}-${name}`, bytes);
  const pictures = images.map((image, index) => save(`${index + 1}.${extension(image.mimeType)}`, image.bytes));
  return tree === undefined
    ? pictures
    : [...pictures, save("tree.json", () => Buffer.from(JSON.stringify(session.secrets.conceal(tree))))];
}

type Attempted = Question | ToolResult<Record<string, unknown>>;

/** With these nothing was done, and the target may still come, or become what it has to be. */
const passing: ReadonlySet<string> = new Set(["not_found", "uid_not_found", "ambiguous_target", "not_dispatchable"]);
/** An app that has just started, or is busy, gives no elements yet. */
const silent: ReadonlySet<string> = new Set(["timeout", "ax_error", "not_supported", "window_gone"]);

async function withPatience(
  session: Session,
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  { patience, signal = unlimited() }: CallRequest,
  { attempt, hasBegun }: { readonly attempt: () => Promise<Attempted>; readonly hasBegun: () => boolean },
): Promise<Attempted> {
  const { until, ms = 0 } = patience ?? {};
  const isLook = tool.access === "observe" && until !== undefined;
  if (!patience || (!isLook && !tool.acts)) return attempt();
  const surface = async () => session.surface(await whichSurface(session, tool, input));
  const mayPass = ({ code }: ToolError) => {
    if (passing.has(code)) return isLook || input["uid"] === undefined; // A ref that is gone does not come back.
    // Once it has begun, such an error may come from what it has done.
    return silent.has(code) && (isLook || (!hasBegun() && code !== "window_gone"));
  };
  return patiently({ patience: { ms }, signal, surface, mayPass }, attempt, (attempted) => {
    if (!isLook) return "value" in attempted;
    if ("error" in attempted) return until({ error: attempted.error });
    return "text" in attempted.value || until({ data: tool.output.parse(attempted.value.data) });
  });
}

/** Where the call acts, if it waits for that; nothing is looked at for a caller who may not look yet. */
async function locateReady(
  session: Session,
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  { patience, signal = unlimited() }: CallRequest,
): Promise<About["located"]> {
  if (!patience || !session.gate.mayLook()) return undefined;
  const surface = async () => session.surface(await whichSurface(session, tool, input));
  return needReady(tool, input, { session, signal, surface });
}

interface Permitted {
  readonly request: CallRequest;
  readonly stepId: string;
  readonly about: About | undefined;
  readonly note: (acted: Acted) => void;
}

async function runLocked(
  session: Session,
  tool: AnyTool,
  input: unknown,
  { request, stepId, about, note }: Permitted,
): Promise<ToolResult<Record<string, unknown>>> {
  const { signal = unlimited() } = request;
  throwIfCancelled(signal);
  const surface = async () => needAbilities(tool, await session.surface(await whichSurface(session, tool, input)));
  const context: ToolContext = {
    session,
    signal,
    stepId,
    describer: async () => (await session.describer?.()) ?? (request.lent && toDescriber(request.lent)),
    lent: request.lent,
    ask: request.ask,
    lasting: { connection: request.connection },
    surface,
    perform: performer({ session, surface, about, tool: tool.name, title: tool.title, note }),
    progress: (progress) => request.progress?.(progress),
  };
  const run = () => tool.run(input as never, context);
  // A tool that starts or ends a background activity must not wait for other calls, nor other calls for a person.
  const isApart = tool.callsTools || tool.endedBy !== undefined || tool.watchesPerson || endsSomething(session, tool);
  if (isApart) return run();
  if (tool.access === "observe") return session.lock.run("shared", signal, run);
  const turns = session.turns?.(await actedOn(session, tool, input));
  const end = await turns?.take(
    { client: request.client ?? "handsight", tool: tool.name },
    {
      signal,
      timeoutMs: session.gate.rules.turnSeconds * 1_000,
      onWait: (holder) => request.progress?.({ done: 0, message: `Waiting for ${holder}` }),
    },
  );
  try {
    return await session.lock.run("exclusive", signal, run);
  } finally {
    if (end) {
      afterAnswer(session, () => {
        end();
        // Nobody takes turns on what is gone, and its folder would stay.
        if (tool.closes && turns?.isFree) turns[Symbol.dispose]();
      });
    }
  }
}

/**
 * Ending a turn removes a file, which on some systems takes longer than the rest of the call, so the answer goes out
 * first.
 */
function afterAnswer({ log }: Session, endTurn: () => void): void {
  setImmediate(() => {
    try {
      endTurn();
    } catch (error) {
      log.error("the turn could not be ended", error);
    }
  });
}

const endsSomething = ({ tools }: Session, { name }: AnyTool): boolean => tools.some(({ endedBy }) => endedBy === name);

/**
 * The surface an action takes its turn on: a page or device blocks neither the desktop nor another page or device.
 */
async function actedOn(session: Session, tool: AnyTool, input: unknown): Promise<string> {
  const surface = surfaceOf(input);
  const { serial, uid } = input as { readonly serial?: string; readonly uid?: string };
  if (tool.set === "android") {
    const device = (await session.devices?.())?.find(serial);
    return device?.id ?? `android:${serial ?? ""}`;
  }
  if (!surface.startsWith("page:") && !isOfPage(tool)) return surface;
  const of = { ref: tool.set === "browser" ? uid : undefined, id: surface === "desktop" ? undefined : surface };
  const target = (await session.browsers?.())?.target(of);
  return target === undefined ? "desktop" : `page:${target}`;
}

/**
 * The page may have taken on a blocked title while it was read, or because of the action. A page reports its title
 * before it answers, so by now it is known.
 */
async function needStillOpen(
  session: Session,
  tool: AnyTool,
  input: unknown,
  { surface: told }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const asked = surfaceOf(input);
  const isRead = tool.access === "observe";
  const isInPage = isRead ? asked.startsWith("page:") || isOfPage(tool) : String(told).startsWith("page:");
  if (!isInPage) return;
  const page = isRead ? asked : String(told);
  try {
    await (await session.browsers?.())?.page(page === "desktop" ? undefined : page, {});
  } catch (error) {
    // If the page is gone by now, what was read may still be returned.
    if (!(error instanceof ToolError) || error.code !== "denied") return;
    if (isRead) throw error;
    throw new ToolError("denied", `${tool.name} was done, but its result is hidden. ${error.message}`, {
      hint: "The page can no longer be seen or used; cdp_close_page closes it. Only a person can change that, in the rule file (--rules).",
    });
  }
}

function unlimited(): AbortSignal {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return signal;
}

function validate(tool: AnyTool, value: unknown, session: Session): Readonly<Record<string, unknown>> {
  const parsed = tool.input.safeParse(value ?? {});
  if (parsed.success) {
    tool.check?.(parsed.data as never);
    return parsed.data;
  }
  throw new ToolError("invalid_argument", `${tool.name}: ${explain(parsed.error, tool)}`, {
    hint: `Arguments of ${tool.name}: ${Object.keys(tool.input.shape).join(", ") || "none"}.${whereDescribed(tool, session)}`,
  });
}

/** A caller that has not seen the definition can look it up. */
const whereDescribed = (tool: AnyTool, session: Session): string =>
  session.showing?.(tool) === "unlisted" && isOffered(session, "find_tools")
    ? ` find_tools {"query": "${tool.name}"} describes them.`
    : "";

/** The only wording for bad arguments. */
function explain({ issues }: z.ZodError, tool: AnyTool): string {
  const known = Object.keys(tool.input.shape);
  const own = issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys" || issue.path.length > 0) return problemsOf([issue]);
    return issue.keys.map((key) => {
      const near = nearest(key, known);
      return `unknown argument "${key}"${near ? `, did you mean "${near}"?` : ""}`;
    });
  });
  return own.slice(0, 5).join("; ");
}

/** The question to ask a person, or what the call may do. */
async function consult(
  session: Session,
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  { canAsk, client, answer, questionId, unanswered, signal = unlimited() }: CallRequest,
): Promise<Question | About | undefined> {
  if (unanswered) throw unanswered;
  // Whoever was allowed to start something may always end it.
  if (endsSomething(session, tool)) return undefined;
  const about = await aboutCall(tool, input, session, signal);
  const { question, permitted } = await session.gate.consult(about, { canAsk, client, answer, questionId, signal });
  if (question) return question;
  if (!permitted) return about;
  // An action is compared with what was permitted when it is located again, in its turn.
  return tool.acts ? { ...permitted, isPermitted: true } : needSame(permitted, { tool, input, session, signal });
}

function needAbilities(tool: AnyTool, surface: Surface): Surface {
  const missing = tool.needs.filter((ability: Ability) => !surface.can(ability));
  if (missing.length === 0) return surface;
  throw new ToolError(
    "not_supported",
    `${tool.name} needs ${missing.join(" and ")}, which ${surface.platform} lacks.`,
    {
      hint: 'Call "capabilities" to see what works here and how to get the rest.',
    },
  );
}

function unknownTool(session: Session, name: string): ToolError {
  const near = nearest(
    name,
    session.tools.map((tool) => tool.name),
  );
  const search = isOffered(session, "find_tools") ? ' "find_tools" searches all tools.' : "";
  return new ToolError("not_found", `There is no tool "${name}".`, {
    hint: (near ? `Did you mean "${near}"?` : 'It may belong to a set that is off; see "--tools".') + search,
  });
}

interface Failure {
  readonly request: CallRequest;
  /** What was thrown may quote text that was to be entered. */
  readonly mayQuote: boolean;
}

function toEnvelope(session: Session, thrown: unknown, { request, mayQuote }: Failure): ErrorEnvelope {
  if (request.signal?.aborted) return cancelled(request.signal).toEnvelope();
  if (thrown instanceof ToolError) return thrown.toEnvelope();
  const id = randomBytes(4).toString("hex");
  session.log.error(`internal error ${id} in ${request.tool}`, mayQuote ? stackOf(thrown) : thrown);
  return new ToolError("internal", `handsight failed inside ${request.tool} (${id}).`, {
    hint: `Look for ${id} in the log, and report it.`,
  }).toEnvelope();
}

const extension = (mimeType: string): string => (mimeType === "image/jpeg" ? "jpg" : mimeType.replace("image/", ""));

/** Where it was thrown, without its message. */
function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^ {4}at /.test(line));
  return [thrown.name, ...frames].join("\n");
}
