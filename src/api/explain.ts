import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { Context, Place } from "./context.ts";

const mostLines = 40;

/** What is on the surface now, one line per element; undefined when it cannot be read. */
export async function snapshotLines(context: Context, place: Place): Promise<string | undefined> {
  try {
    const { data } = await context.call("take_ax_snapshot", { ...place, max_tokens: 1_200, max_nodes: 120 });
    const lines = (data.snapshot ?? "").split("\n");
    const more = lines.length - mostLines;
    return [...lines.slice(0, mostLines), ...(more > 0 ? [`… ${more} more lines`] : [])].join("\n");
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

let taken = 0;

/** A picture of the failure, as a file; undefined when none can be taken. */
export async function failurePicture(context: Context, place: Place): Promise<string | undefined> {
  try {
    await mkdir(context.pictures, { recursive: true });
    const path = join(context.pictures, `failure-${process.pid}-${++taken}.png`);
    const { surface, ...window } = place;
    const area = surface === undefined && Object.keys(window).length === 0 ? { mode: "screen" as const } : window;
    const on = surface === undefined ? {} : { surface };
    const { data } = await context.call("take_screenshot", { ...area, ...on, file_path: path, include_ocr: false });
    return data.file_path;
  } catch (error) {
    if (error instanceof ToolError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}

const indent = (text: string): string => text.replaceAll(/^/gm, "    ");

/** The parts of a report that have something to say, one below the other. */
export function report(head: string, parts: Readonly<Record<string, string | undefined>>): string {
  const told = Object.entries(parts).flatMap(([what, text]) => {
    if (text === undefined || text === "") return [];
    return text.includes("\n") ? [`  ${what}:\n${indent(text)}`] : [`  ${what}: ${text}`];
  });
  return [head, ...told].join("\n");
}

/** Failures of a target; a look at what is there instead explains them. */
const ofTarget: ReadonlySet<string> = new Set(["not_found", "ambiguous_target", "not_dispatchable", "uid_not_found"]);

/** The error of an action, with what it was done to and what is there. */
export async function explained(error: unknown, what: string, context: Context, place: Place): Promise<unknown> {
  if (!(error instanceof ToolError)) return error;
  const { hint, candidates } = error.details;
  const snapshot = ofTarget.has(error.code) ? await snapshotLines(context, place) : undefined;
  const message = report(`${what}: ${error.message}`, { hint, candidates: candidates?.join("\n"), snapshot });
  return new ToolError(error.code, message, {
    ...error.details,
    ...(snapshot === undefined ? {} : { snapshot }),
    cause: error,
  });
}
