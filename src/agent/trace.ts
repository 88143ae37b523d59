import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import type { Rect, Size } from "../base/geometry.ts";
import { writeZip, type ZipEntry } from "../base/zip.ts";
import type { CallEntry } from "../journal/journal.ts";
import { readRun } from "../journal/read.ts";
import { stepRecord, type StepRecord } from "./record.ts";
import { actionSnapshot, type Frame } from "./trace-snapshot.ts";

/**
 * The version of Playwright's trace format to write. Viewers read older versions but not newer ones, so an older one
 * opens in more of them; this is the first in which actions can have any name.
 */
const traceVersion = 8;
const page = "page@1";

type TraceEvent = Readonly<Record<string, unknown>>;

/** A run folder as a file that the standard viewer opens: `npx playwright show-trace trace.zip`. */
export function exportTrace(folder: string): Buffer {
  const { entries } = readRun(folder);
  const [first] = entries;
  if (first === undefined) {
    throw new ToolError("not_found", `The run ${basename(folder)} has no calls to show.`, {
      hint: "handsight log lists the runs that are kept.",
    });
  }
  const start = Math.min(...entries.map(({ at }) => at));
  const frames = entries.flatMap((entry) => framesOf(folder, entry, start));
  const steps = readSteps(folder);
  const events = [
    contextOf(titleOf(folder) ?? basename(folder), start, frames),
    ...frames.map(({ name, size, time }) => ({
      type: "screencast-frame",
      pageId: page,
      sha1: name,
      ...size,
      timestamp: time,
      frameSwapWallTime: start + time,
    })),
    ...stepEvents(steps, entries, start),
    ...entries.flatMap((entry) => callEvents(entry, { start, frames, steps })),
    ...verdictOf(folder),
  ];
  const files: ZipEntry[] = [
    { name: "trace.trace", bytes: Buffer.from(`${events.map((event) => JSON.stringify(event)).join("\n")}\n`) },
    { name: "trace.network", bytes: Buffer.alloc(0) },
    ...frames.map(({ name, bytes }) => ({ name: `resources/${name}`, bytes })),
  ];
  return writeZip(files);
}

function contextOf(title: string, start: number, frames: readonly Frame[]): TraceEvent {
  const viewport = frames[0]?.size ?? { width: 1280, height: 800 };
  return {
    version: traceVersion,
    type: "context-options",
    origin: "library",
    browserName: "handsight",
    platform: "desktop",
    wallTime: start,
    monotonicTime: 0,
    sdkLanguage: "javascript",
    title,
    contextId: "context@1",
    options: { viewport },
  };
}

const shot = z.object({
  bounds: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  screenshot_pixel_width: z.number(),
  screenshot_pixel_height: z.number(),
});

/** The pictures of one call that are still on disk. */
function framesOf(folder: string, { artifacts, result, at, ms, step }: CallEntry, start: number): readonly Frame[] {
  const told = shot.safeParse(result).data;
  if (told === undefined) return [];
  const size: Size = { width: told.screenshot_pixel_width, height: told.screenshot_pixel_height };
  const bounds: Rect = told.bounds;
  return artifacts
    .filter((name) => name.startsWith("frames/") && existsSync(join(folder, name)))
    .map((name) => ({
      name: basename(name),
      bytes: readFileSync(join(folder, name)),
      size,
      bounds,
      step,
      time: at + ms - start,
    }));
}

interface Telling {
  readonly start: number;
  readonly frames: readonly Frame[];
  readonly steps: readonly StepRecord[];
}

function callEvents(entry: CallEntry, { start, frames, steps }: Telling): readonly TraceEvent[] {
  const { step, tool, at, ms, ok, result } = entry;
  const [startTime, endTime] = [at - start, at + ms - start];
  const before = frames.findLast(({ time }) => time <= startTime);
  const after = frames.find((frame) => frame.step === step) ?? frames.find(({ time }) => time >= endTime) ?? before;
  const point = pointOf(result);
  const told = { callId: step, pageId: page, start, point };
  const parent = stepOf(entry, steps);
  return [
    {
      type: "before",
      callId: step,
      stepId: step,
      startTime,
      title: titleOfCall(entry),
      class: "Handsight",
      method: tool,
      params: entry.arguments,
      pageId: page,
      ...(parent === undefined ? {} : { parentId: stepName(parent) }),
      ...(before ? { beforeSnapshot: `before@${step}` } : {}),
    },
    ...(before ? [actionSnapshot({ ...told, phase: "before", frame: before, time: startTime, isMarked: false })] : []),
    ...(before && point
      ? [
          { type: "input", callId: step, inputSnapshot: `input@${step}` },
          actionSnapshot({ ...told, phase: "input", frame: before, time: startTime, isMarked: true }),
        ]
      : []),
    ...logOf(result).map((message) => ({ type: "log", callId: step, time: endTime, message })),
    {
      type: "after",
      callId: step,
      endTime,
      ...(ok ? { result: withoutTrees(result) } : { error: errorOf(result) }),
      ...(after ? { afterSnapshot: `after@${step}` } : {}),
    },
    ...(after ? [actionSnapshot({ ...told, phase: "after", frame: after, time: endTime, isMarked: false })] : []),
  ];
}

/** Groups of calls: what the model decided, and what came of it. */
function stepEvents(steps: readonly StepRecord[], entries: readonly CallEntry[], start: number): readonly TraceEvent[] {
  return steps.flatMap((step) => {
    const calls = entries.filter((entry) => stepOf(entry, steps) === step);
    const callId = stepName(step);
    const startTime = Math.min(step.at, ...calls.map(({ at }) => at)) - start;
    const endTime = Math.max(step.at, ...calls.map(({ at, ms }) => at + ms)) - start;
    const lines = [
      `in ${step.place}`,
      ...step.actions.map(({ action, effect }) => `${JSON.stringify(action)} → ${effect}`),
      `${step.usage.input_tokens} tokens read, ${step.usage.output_tokens} written, ${step.usage.cached_tokens} cached`,
    ];
    const failed = step.actions.find(({ error }) => error !== null)?.error;
    return [
      {
        type: "before",
        callId,
        stepId: callId,
        startTime,
        title: `Step ${step.step}: ${reasonOf(step)}`,
        class: "Tracing",
        method: "tracingGroup",
        params: {},
      },
      ...lines.map((message) => ({ type: "log", callId, time: startTime, message })),
      {
        type: "after",
        callId,
        endTime,
        ...(failed ? { error: { name: failed.code, message: failed.message } } : {}),
      },
    ];
  });
}

const stepName = (step: StepRecord): string => `step@${step.at}-${step.step}`;

/** A step begins when the screen was looked at for it, and ends where the next one begins. */
const stepOf = ({ at, client }: CallEntry, steps: readonly StepRecord[]): StepRecord | undefined =>
  client === "agent" ? steps.findLast((step) => step.at <= at) : undefined;

function reasonOf({ actions }: StepRecord): string {
  const [first] = actions;
  const { why, action } = (first?.action ?? {}) as { readonly why?: unknown; readonly action?: unknown };
  return typeof why === "string" ? why : typeof action === "string" ? action : "nothing was decided";
}

function titleOfCall({ tool, result }: CallEntry): string {
  const { target, effect } = (result ?? {}) as {
    readonly target?: { readonly element?: unknown };
    readonly effect?: unknown;
  };
  const where = typeof target?.element === "string" ? ` ${target.element}` : "";
  return `${tool}${where}${typeof effect === "string" ? ` → ${effect}` : ""}`;
}

/** Where on the screen the call acted. */
function pointOf(result: unknown): { x: number; y: number } | undefined {
  const { target } = (result ?? {}) as { readonly target?: Readonly<Record<string, unknown>> };
  const { x, y, element } = target ?? {};
  if (typeof x === "number" && typeof y === "number") return { x, y };
  const [, left, top] = / at (-?\d+),(-?\d+)$/.exec(typeof element === "string" ? element : "") ?? [];
  return left === undefined ? undefined : { x: Number(left), y: Number(top) };
}

/** What changed, one line each. */
function logOf(result: unknown): readonly string[] {
  const { changes, warning } = (result ?? {}) as {
    readonly changes?: { readonly tree?: unknown; readonly windows?: unknown };
    readonly warning?: unknown;
  };
  const lines = [changes?.tree, changes?.windows].flatMap((list) => (Array.isArray(list) ? list : []));
  return [...lines, warning].filter((line) => typeof line === "string");
}

/** Trees are long, and are in the run folder anyway. */
function withoutTrees(result: unknown): unknown {
  const { elements: _elements, snapshot: _snapshot, ...rest } = (result ?? {}) as Readonly<Record<string, unknown>>;
  return rest;
}

function errorOf(result: unknown): TraceEvent {
  const { code, message, hint } = (result ?? {}) as Readonly<Record<string, unknown>>;
  return { name: code, message: [message, hint].filter((text) => typeof text === "string").join(" ") };
}

function readSteps(folder: string): readonly StepRecord[] {
  return readJson(folder, /step-\d+\.json$/)
    .flatMap((value) => stepRecord.safeParse(value).data ?? [])
    .toSorted((a, b) => a.at - b.at);
}

function titleOf(folder: string): string | undefined {
  const goals = readJson(folder, /run\.json$/).map((run) => (run as { readonly goal?: unknown }).goal);
  return goals.find((goal) => typeof goal === "string");
}

/** The reason for runs that did not end well. */
function verdictOf(folder: string): readonly TraceEvent[] {
  return readJson(folder, /run\.json$/).flatMap((run) => {
    const { verdict } = run as { readonly verdict?: { readonly status?: unknown; readonly message?: unknown } | null };
    if (!verdict || verdict.status === "done" || typeof verdict.message !== "string") return [];
    return [{ type: "error", message: `${String(verdict.status)}: ${verdict.message}` }];
  });
}

function readJson(folder: string, name: RegExp): readonly unknown[] {
  const notes = join(folder, "agent");
  if (!existsSync(notes)) return [];
  return readdirSync(notes)
    .filter((each) => name.test(each))
    .toSorted()
    .map((each) => JSON.parse(readFileSync(join(notes, each), "utf8")) as unknown);
}
