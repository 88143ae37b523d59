import { z } from "zod";
import { uiEventKinds, type UiEvent } from "../../surface/watch/telling.ts";
import { cut } from "../elements/elements.ts";
import { readWindowQuery, rect, windowFields } from "../schema.ts";
import { defineTool, surfaceField } from "../tool.ts";
import { indicate } from "./indicate.ts";
import { endings } from "./lasting-session.ts";
import type { WatchSession } from "./watch-session.ts";
import { permitsWindow } from "./permits-window.ts";

const line = z.string().describe("As in a snapshot");

const uiEvent = z.object({
  seq: z.number().describe("Without gaps, except where events were missed"),
  timestamp_ms: z.number().describe("Since the epoch"),
  kind: z.enum(uiEventKinds).describe("focus: of a window, or with an element of that"),
  surface: z.string(),
  app_name: z.string().optional(),
  window_id: z.number().optional(),
  title: z.string().optional(),
  was: z.string().optional().describe("The title before"),
  bounds: rect.optional(),
  uid: z.string().optional(),
  was_uid: z.string().optional().describe("The uid before, if it is another row now"),
  parent: z.string().optional().describe("The uid of what it is in"),
  after: z.string().optional().describe("The uid of the line before the added one; missing: it is the first"),
  element: line.optional(),
  change: z.string().optional(),
  elements: z
    .array(z.object({ uid: z.string(), parent: z.string().optional(), element: line }))
    .optional()
    .describe("snapshot: everything that is there; later events build on it"),
  cut: z.number().optional().describe("Elements of the snapshot left out for max_nodes"),
});

const drained = {
  events: z.array(uiEvent).describe("Oldest first"),
  more: z.number().optional().describe("Events left for the next call"),
  missed: z.number().optional().describe("Events dropped because nobody read them; a snapshot replaces them"),
};

const watch = z.string().max(20).optional().describe("From start_watching; default: the latest");
const max_events = z.int().min(1).max(1_000).default(100);
const max_nodes = z.int().min(0).max(20_000).default(300).describe("Elements listed in a snapshot event");

export const startWatching = defineTool({
  name: "start_watching",
  title: "Watch windows and elements",
  summary:
    "Report what changes in a window or app (default: whatever is active) until stop_watching: focus, windows, dialogs, popups, " +
    "elements and texts. Read it with get_ui_events.",
  set: "observe",
  access: "observe",
  needs: ["elements", "windows"],
  watchesPerson: true,
  endedBy: "stop_watching",
  input: z.strictObject({
    ...windowFields,
    app_name: windowFields.app_name.describe("All windows of this app"),
    max_duration_ms: z.int().min(1).max(86_400_000).default(600_000),
    surface: surfaceField,
  }),
  output: z.object({
    watch: z.string(),
    resource: z.string().describe("The elements as they are, for resources/read and resources/subscribe"),
    started_at: z.number(),
    max_duration_ms: z.number(),
    app_name: z.string().optional(),
    window_id: z.number().optional(),
    nodes: z.number().describe("Elements watched"),
    source: z
      .enum(["events", "polling"])
      .optional()
      .describe("polling: the surface reports nothing, so it is read again and again"),
    warning: z.string().optional(),
  }),
  positional: ["app_name"],
  async run(input, context) {
    const { session, signal, lasting = {} } = context;
    const { max_duration_ms } = input;
    const surface = await context.surface();
    const started = await session.watches.start(
      {
        surface,
        query: readWindowQuery(input),
        permits: permitsWindow(startWatching, session),
        maxDurationMs: max_duration_ms,
        lasting,
        indicate: () => indicate(session),
      },
      signal,
    );
    const { window, nodes, source, problem } = started.watcher;
    return {
      data: {
        watch: started.id,
        resource: `handsight://watches/${started.id}`,
        started_at: started.startedAt,
        max_duration_ms,
        ...(window ? { app_name: window.appName, window_id: window.id } : {}),
        nodes: nodes.length,
        ...(source ? { source } : {}),
        ...(window ? {} : { warning: warningOf(problem?.message) }),
      },
    };
  },
});

const warningOf = (problem = "There is no such window."): string =>
  `Only windows are watched until there are elements: ${problem}`;

export const getUiEvents = defineTool({
  name: "get_ui_events",
  title: "Get what has changed",
  summary: "What has happened since the last call. With wait_ms it waits for the next event.",
  set: "observe",
  access: "observe",
  needs: [],
  input: z.strictObject({
    watch,
    max_events,
    max_nodes,
    wait_ms: z.int().min(0).max(60_000).default(0).describe("Wait this long for an event"),
  }),
  output: z.object({
    active: z.boolean(),
    ...drained,
    ended: z.enum(endings).optional(),
    message: z.string().optional(),
  }),
  positional: [],
  async run(input, { session, signal }) {
    const watching = session.watches.need(input.watch);
    await watching.wait(input.wait_ms, signal);
    const { ending, isGoingOn } = watching;
    return {
      data: {
        active: isGoingOn,
        ...drain(watching, input),
        ...(ending ? { ended: ending.why, message: ending.message } : {}),
      },
    };
  },
});

export const stopWatching = defineTool({
  name: "stop_watching",
  title: "Stop watching",
  summary: "End a watch, if it has not ended by itself, and get the events that were not read yet.",
  set: "observe",
  access: "observe",
  needs: [],
  input: z.strictObject({ watch, max_nodes }),
  output: z.object({ ended: z.enum(endings), message: z.string(), started_at: z.number(), ...drained }),
  positional: [],
  async run(input, { session }) {
    // What happens while it ends would be told from a tree that is gone.
    const told = drain(session.watches.need(input.watch), { ...input, max_events: mostAtOnce });
    const watching = await session.watches.stop(input.watch);
    const { why, message } = watching.ending ?? { why: "stopped" as const, message: "" };
    return {
      data: { ended: why, message, started_at: watching.startedAt, ...told },
      failed: why !== "stopped" && why !== "max_duration",
    };
  },
});

// What fits into one message; a watch with more is read with get_ui_events.
const mostAtOnce = 1_000;

interface Reading {
  readonly max_events: number;
  readonly max_nodes: number;
}

function drain(watching: WatchSession, { max_events: most, max_nodes: nodes }: Reading) {
  const { events, more, missed } = watching.drain(most);
  return {
    events: events.map((event) => toRecord(event, watching.surface.id, nodes)),
    ...(more > 0 ? { more } : {}),
    ...(missed > 0 ? { missed } : {}),
  };
}

function toRecord(event: UiEvent, surface: string, mostNodes: number): z.input<typeof uiEvent> {
  const { seq, at, kind, appName, windowId, wasUid, title, was, elements, ...rest } = event;
  const left = Math.max(0, (elements?.length ?? 0) - mostNodes);
  return {
    seq,
    timestamp_ms: at,
    kind,
    surface,
    ...(appName === undefined ? {} : { app_name: appName }),
    ...(windowId === undefined ? {} : { window_id: windowId }),
    ...(title === undefined ? {} : { title: cut(title) }),
    ...(was === undefined ? {} : { was: cut(was) }),
    ...(wasUid === undefined ? {} : { was_uid: wasUid }),
    ...rest,
    ...(elements ? { elements: elements.slice(0, mostNodes) } : {}),
    ...(left > 0 ? { cut: left } : {}),
  };
}
