import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { openSession } from "../app.ts";
import { ToolError } from "../base/errors.ts";
import { writeOwnFile } from "../base/own-file.ts";
import { formatOf } from "../base/image-file.ts";
import type { Config } from "../config/options.ts";
import { answerTexts, formOf } from "../tools/answers.ts";
import { callTool, type CallOutcome, type CallRequest } from "../tools/call.ts";
import { allTools } from "../tools/registry.ts";
import type { Session } from "../tools/session.ts";
import type { AnyTool, ToolImage } from "../tools/tool.ts";
import { ownCaller, type Caller } from "./caller.ts";
import { EmergencyStop } from "./emergency.ts";
import { exitCodeOf, exitCodes } from "./exit.ts";
import { renderError } from "./print.ts";
import { openProgress } from "./progress.ts";

export interface CallOptions {
  readonly json: boolean;
  /** Where to save the picture of the result. */
  readonly out?: string | undefined;
}

type Ended = Exclude<CallOutcome, { kind: "ask" }>;

/** Makes one call in its own session, prints the result and returns the exit code. */
export async function runTool(
  tool: AnyTool,
  given: unknown,
  config: Config,
  { before, ...options }: CallOptions & { readonly before?: { readonly tool: AnyTool; readonly args: unknown } },
): Promise<number> {
  const emergency = new EmergencyStop();
  // On a real desktop, what `set_clipboard` put there should outlive the command.
  await using session = openSession(config, { tools: emergency.guard(allTools), handsOver: true });
  emergency.protect(session);
  const caller = ownCaller();
  const finish = (ran: AnyTool, started: Ended): Promise<Ended> | Ended =>
    started.kind === "done" && ran.endedBy ? finishOngoing(session, ran.endedBy, caller) : started;
  const prepared = before && (await callFromTerminal(session, before.tool, before.args, caller));
  if (prepared?.kind === "failed") return printFailure(prepared.envelope, options.json, caller);
  return await makeCall(session, tool, given, { ...options, caller, finish });
}

interface Making extends CallOptions {
  readonly caller: Caller;
  /** What else belongs to the command, such as waiting for the end of what the tool has started. */
  readonly finish?: (ran: AnyTool, started: Ended) => Promise<Ended> | Ended;
}

/** Makes one call for this caller, prints the result and returns the exit code. */
export async function makeCall(
  session: Session,
  tool: AnyTool,
  given: unknown,
  { json, out, caller, finish = (_, ended) => ended }: Making,
): Promise<number> {
  const args = withFormat(tool, given, out);
  const started = await callFromTerminal(withPassingText(session, json), tool, args, caller);
  // With call_tool, the tool inside.
  const ran = allTools.find(({ name }) => name === started.tool) ?? tool;
  const outcome = await finish(ran, started);
  if (outcome.kind === "failed") return printFailure(outcome.envelope, json, caller);
  const isJson = json || formOf(ran, "text") === "json";
  caller.out.write(`${isJson ? toJson(outcome.data) : toText(ran, outcome, caller)}\n`);
  // Last: the call is done and reported, even if its picture cannot be saved.
  const isSaved = saveImages(outcome.images, { json, out }, caller);
  if (outcome.data["ended"] === "emergency_stop") return exitCodes.cancelled.code;
  return isSaved && !outcome.reportsFailure ? exitCodes.ok.code : exitCodes.failed.code;
}

/** Nobody has asked for the text in a screenshot unless they say so, and JSON leaves it out: the picture must not wait for it. */
const withPassingText = (session: Session, json: boolean): Session => ({
  ...session,
  limits: { ...session.limits, includeOcr: session.limits.includeOcr && !json && "in passing" },
});

/** The file name determines the format of the picture, unless --format does. */
function withFormat(tool: AnyTool, args: unknown, out: string | undefined): unknown {
  const isSaid = typeof args !== "object" || args === null || "format" in args;
  if (out === undefined || isSaid || !("format" in tool.input.shape)) return args;
  const format = formatOf(out);
  if (format !== undefined) return { ...args, format };
  throw new ToolError("invalid_argument", `"${out}" does not say which picture format to use.`, {
    hint: "End it with .png, .jpg or .webp, or pass --format.",
  });
}

export async function callFromTerminal(
  session: Session,
  tool: Pick<AnyTool, "name" | "title">,
  args: unknown,
  caller: Caller = ownCaller(),
): Promise<Ended> {
  using interrupt = caller.interrupt();
  using progress = openProgress(tool.title, caller.err);
  const request: CallRequest = {
    tool: tool.name,
    arguments: args,
    signal: interrupt.signal,
    progress: (step) => progress.report(step),
    client: "cli",
    canAsk: caller.canAsk,
    ...(caller.canAsk ? { ask: (question, signal) => progress.without(() => caller.ask(question, signal)) } : {}),
  };
  const first = await callTool(session, request);
  if (first.kind !== "ask") return first;
  const answer = await progress.without(() => caller.ask(first.question, interrupt.signal));
  const second = await callTool(session, { ...request, answer, questionId: first.question.id });
  if (second.kind !== "ask") return second;
  throw new ToolError("timeout", "The question was open for too long; nothing was done.", { hint: "Run it again." });
}

interface Ongoing {
  readonly doing: string;
  /** What is counted meanwhile. */
  readonly unit: string;
  readonly of: (session: Session) => { readonly done: Promise<void>; readonly count: number } | undefined;
}

/** What goes on after a call, by the tool that ends it. */
const ongoing: Readonly<Record<string, Ongoing>> = {
  stop_recording: {
    doing: "Recording",
    unit: "frames",
    of: ({ recorder: { current } }) => current && { done: current.done, count: current.frames.length },
  },
  stop_demonstration: {
    doing: "Recording what you do",
    unit: "steps",
    of: ({ demonstrations }) => demonstrations.current,
  },
  stop_watching: { doing: "Watching", unit: "events", of: ({ watches }) => watches.current },
  stop_hover_tracking: { doing: "Following the pointer", unit: "rests", of: ({ hover }) => hover.current },
  hide_overlay: { doing: "Showing the overlay", unit: "regions", of: ({ overlay }) => overlay.current },
};

/** What a call starts would end with this process, so the process stays until it is over or Ctrl-C ends it. */
async function finishOngoing(session: Session, endedBy: string, caller: Caller): Promise<Ended> {
  const { doing, unit, of } = ongoing[endedBy] ?? { doing: "Running", unit: "", of: () => undefined };
  const title = `Ending: ${doing.toLowerCase()}`;
  {
    using interrupt = caller.interrupt(title);
    using progress = openProgress(`${doing}; Ctrl-C ends it:`, caller.err);
    const report = (): void => progress.report({ done: of(session)?.count ?? 0, message: unit });
    const count = setInterval(report, 250);
    const interrupted = new Promise<void>((resolve) => {
      interrupt.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([of(session)?.done, interrupted]);
    clearInterval(count);
  }
  return callFromTerminal(session, { name: endedBy, title }, {}, caller);
}

export function printFailure(
  envelope: Extract<Ended, { kind: "failed" }>["envelope"],
  json: boolean,
  caller: Caller,
): number {
  if (json) caller.out.write(`${JSON.stringify(envelope)}\n`);
  else caller.err.write(`${renderError(envelope)}\n`);
  return exitCodeOf(envelope.error.code);
}

/** The text in the picture is not part of it: a program that wants it calls `ocr`. */
function toJson(data: Record<string, unknown>): string {
  const { texts: _, texts_note: _note, ...rest } = data;
  return JSON.stringify(rest);
}

/** The lines a model gets over MCP. A person at a terminal needs no marks around them. */
function toText({ name }: AnyTool, { data, isUntrusted }: Extract<Ended, { kind: "done" }>, { out }: Caller): string {
  const isMarked = isUntrusted && out.isTTY !== true;
  return answerTexts(name, { data, isUntrusted: isMarked }, "text").join("\n");
}

/** Without --out a picture goes to a new private file; with --json only if --out asks for it. */
function saveImages(images: readonly ToolImage[], { json, out }: CallOptions, caller: Caller): boolean {
  if (out === undefined && json) return true;
  if (out !== undefined && images.length === 0) caller.err.write("handsight: The result has no picture to save.\n");
  try {
    for (const [index, image] of images.entries()) {
      const file = out === undefined ? join(tmpdir(), freshName(image)) : numbered(resolve(caller.folder, out), index);
      if (out === undefined) writeFileSync(file, image.bytes, { flag: "wx", mode: 0o600 });
      else writeOwnFile(file, image.bytes);
      if (!json) caller.out.write(`saved: ${file}\n`);
    }
    return true;
  } catch (error) {
    caller.err.write(`handsight: The picture could not be saved: ${(error as Error).message}.\n`);
    return false;
  }
}

const freshName = ({ mimeType }: ToolImage): string =>
  `handsight-${randomBytes(6).toString("hex")}.${mimeType === "image/jpeg" ? "jpg" : mimeType.replace("image/", "")}`;

function numbered(file: string, index: number): string {
  if (index === 0) return file;
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${index + 1}${extension}`;
}
