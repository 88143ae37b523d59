import { z } from "zod";
import { findScope } from "../../surface/find-element.ts";
import type { HoverDwell } from "../../surface/hover.ts";
import { underSources } from "../../surface/under-pointer.ts";
import { cut } from "../elements/elements.ts";
import { rect, windowFields } from "../schema.ts";
import { defineTool, surfaceField } from "../tool.ts";
import { indicate } from "./indicate.ts";
import { permitsWindow } from "./permits-window.ts";
import type { HoverSession } from "./hover-session.ts";
import { endings } from "./lasting-session.ts";

const hovered = z.object({
  uid: z.string().optional(),
  role: z.string(),
  name: z.string(),
  label: z.string().optional(),
  bounds: rect,
  app_name: z.string(),
  pid: z.number().optional(),
  source: z.enum(underSources).describe("ocr: no element is there, the text was read from the pixels"),
});
const cursor = z.object({ x: z.number(), y: z.number() });

const hoverEvent = z.object({
  timestamp_ms: z.number().describe("When the pointer came, since the epoch"),
  cursor: cursor.describe("Where it rested; element_at_point tells more about what is there"),
  element: hovered,
  dwell_ms: z.number(),
});

const drained = {
  events: z.array(hoverEvent).describe("Oldest first"),
  more: z.number().optional().describe("Events left for the next call"),
  lost: z.number().optional().describe("Oldest events dropped because nobody read them"),
  skipped: z
    .object({ blocked: z.number(), failed: z.number() })
    .describe("Rests left out since the start because the window is blocked, or its app did not answer"),
};

const max_events = z.int().min(1).max(1_000).default(100);

export const startHoverTracking = defineTool({
  name: "start_hover_tracking",
  title: "Follow the pointer and note what it rests on",
  summary:
    "Note which elements the person's pointer rests on, and for how long, until stop_hover_tracking. Reads no keys; blocked " +
    "windows are left out.",
  set: "observe",
  access: "observe",
  needs: ["input", "windows"],
  captures: true,
  watchesPerson: true,
  isTrusted: true,
  endedBy: "stop_hover_tracking",
  input: z.strictObject({
    app_name: windowFields.app_name.describe("Only this app (default: all)"),
    poll_interval_ms: z
      .int()
      .min(20)
      .max(5_000)
      .default(100)
      .describe("How exact the times are; the place of the pointer is read only while it moves"),
    max_duration_ms: z.int().min(1).max(3_600_000).default(60_000),
    min_dwell_ms: z.int().min(0).max(60_000).default(300).describe("Shorter stays are left out"),
    surface: surfaceField,
  }),
  output: z.object({
    started_at: z.number(),
    poll_interval_ms: z.number(),
    max_duration_ms: z.number(),
    min_dwell_ms: z.number(),
  }),
  positional: ["app_name"],
  async run(input, context) {
    const surface = await context.surface();
    const { session, signal } = context;
    const scope =
      input.app_name === undefined ? undefined : await findScope(surface, { appName: input.app_name }, signal);
    const { poll_interval_ms, max_duration_ms, min_dwell_ms } = input;
    const { startedAt } = await session.hover.start(
      {
        surface,
        pollMs: poll_interval_ms,
        minDwellMs: min_dwell_ms,
        maxDurationMs: max_duration_ms,
        pid: scope?.pid,
        permits: permitsWindow(startHoverTracking, session),
        lasting: context.lasting ?? {},
        indicate: () => indicate(session),
      },
      signal,
    );
    return { data: { started_at: startedAt, poll_interval_ms, max_duration_ms, min_dwell_ms } };
  },
});

export const getHoverEvents = defineTool({
  name: "get_hover_events",
  title: "Get what the pointer rested on",
  summary: "What the pointer has rested on since the last call, and what it rests on now.",
  set: "observe",
  access: "observe",
  needs: [],
  input: z.strictObject({ max_events }),
  output: z.object({
    active: z.boolean(),
    ...drained,
    current: hoverEvent.omit({ dwell_ms: true }).optional().describe("It still rests here"),
    ended: z.enum(endings).optional(),
    message: z.string().optional(),
  }),
  positional: [],
  async run(input, { session }) {
    const tracking = session.hover.need();
    const { current, ending, isGoingOn } = tracking;
    return {
      data: {
        active: isGoingOn,
        ...drain(tracking, input.max_events),
        ...(current ? { current: toStay(current) } : {}),
        ...(ending ? { ended: ending.why, message: ending.message } : {}),
      },
    };
  },
});

export const stopHoverTracking = defineTool({
  name: "stop_hover_tracking",
  title: "End hover tracking",
  summary: "End hover tracking, if it has not ended by itself, and get the events that were not read yet.",
  set: "observe",
  access: "observe",
  needs: [],
  input: z.strictObject({}),
  output: z.object({
    ended: z.enum(endings),
    message: z.string(),
    started_at: z.number(),
    ...drained,
  }),
  positional: [],
  async run(_input, { session }) {
    const tracking = await session.hover.stop();
    const { why, message } = tracking.ending ?? { why: "stopped" as const, message: "" };
    return {
      data: {
        ended: why,
        message,
        started_at: tracking.startedAt,
        ...drain(tracking, mostAtOnce),
      },
      failed: why !== "stopped" && why !== "max_duration",
    };
  },
});

// What fits into one message; a session with more is read with get_hover_events.
const mostAtOnce = 2_000;

function drain(tracking: HoverSession, most: number) {
  const { events, more } = tracking.drain(most);
  return {
    events: events.map((dwell) => ({ ...toStay(dwell), dwell_ms: Math.round(dwell.ms) })),
    ...(more > 0 ? { more } : {}),
    ...(tracking.lost > 0 ? { lost: tracking.lost } : {}),
    skipped: { ...tracking.skipped },
  };
}

function toStay({ at, cursor: { x, y }, thing }: Omit<HoverDwell, "ms">) {
  const { uid, role, name, label, bounds, appName, pid, source } = thing;
  return {
    timestamp_ms: Math.round(at),
    cursor: { x, y },
    element: {
      ...(uid === undefined ? {} : { uid }),
      role,
      name: cut(name),
      ...(label ? { label: cut(label) } : {}),
      bounds,
      app_name: appName,
      ...(pid === undefined ? {} : { pid }),
      source,
    },
  };
}
