import { z } from "zod";
import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { quote } from "../../base/quote.ts";
import type { RunningApp, WindowInfo } from "../../platform/backend.ts";
import { filterWindows } from "../../surface/list-windows.ts";
import { findRunning } from "../../surface/running-apps.ts";
import type { Surface } from "../../surface/surface.ts";
import { actionDone } from "../action.ts";
import { actionResult, timeoutMs } from "../schema.ts";
import { defineTool } from "../tool.ts";
import { toRecord, windowRecord } from "./windows.ts";

const appName = z.string().min(1).max(500);

export const listApps = defineTool({
  name: "list_apps",
  title: "List apps",
  summary: "Running apps that have windows; with installed: true also what launch_app can start.",
  set: "desktop",
  access: "observe",
  needs: ["apps"],
  input: z.strictObject({
    installed: z.boolean().default(false),
    filter: z.string().max(200).optional().describe("Part of the name, any case"),
  }),
  output: z.object({
    running: z.array(
      z.object({ name: z.string(), pid: z.number(), executable: z.string(), window_ids: z.array(z.number()) }),
    ),
    installed: z.array(z.object({ id: z.string(), name: z.string(), executable: z.string() })).optional(),
  }),
  positional: ["filter"],
  async run(input, { surface, signal }) {
    const apps = (await surface()).need("apps");
    const wanted = (name: string) => name.toLowerCase().includes((input.filter ?? "").toLowerCase());
    const running = (await apps.running({ signal })).filter((app) => wanted(app.name) || wanted(app.executable));
    const installed = input.installed
      ? (await apps.installed({ signal })).filter((app) => wanted(app.name))
      : undefined;
    return {
      data: {
        running: running.map(({ name, pid, executable, windowIds }) => ({
          name,
          pid,
          executable,
          window_ids: [...windowIds],
        })),
        ...(installed ? { installed: [...installed] } : {}),
      },
    };
  },
});

export const launchApp = defineTool({
  name: "launch_app",
  title: "Launch an app",
  summary:
    "Start an app by name, command or path and wait for its window. A running app is brought to the front; with args that is an error.",
  set: "desktop",
  access: "manage",
  needs: ["apps", "windows"],
  input: z.strictObject({
    app_name: appName,
    args: z.array(z.string().max(4_000)).max(100).default([]),
    timeout_ms: timeoutMs.default(10_000).describe("How long to wait for its window; 0 does not wait"),
  }),
  output: actionResult.extend({ pid: z.number(), already_running: z.boolean(), window: windowRecord.nullable() }),
  positional: ["app_name", "args"],
  launches: ({ app_name, args }) => ({ program: app_name, args, reuses: true }),
  async run(input, context) {
    const surface = await context.surface();
    const { signal } = context;
    const [running] = await findRunning(surface, { name: input.app_name }, signal);
    if (running && input.args.length > 0) {
      throw new ToolError(
        "app_already_running",
        `${running.name} is running (pid ${running.pid}); it would not see the arguments.`,
        {
          hint: "Call quit_app first.",
        },
      );
    }
    const known = new Set((await surface.need("windows").list({ signal })).map(({ id }) => id));
    const pid = running ? running.pid : (await surface.need("apps").launch(input.app_name, input.args, { signal })).pid;
    const topmost = running?.windowIds[0];
    if (topmost !== undefined) await surface.need("windows").change(topmost, { to: "focus" }, { signal });
    const windowId = topmost ?? (await newWindow(surface, known, { pid, timeoutMs: input.timeout_ms, signal }));
    const window = windowId === undefined ? undefined : await surface.need("windows").get(windowId, { signal });
    const done = actionDone({
      surface,
      context,
      via: running ? "window manager" : "process",
      method: "system",
      ...(window ? { seen: true } : {}),
      warning: window || input.timeout_ms === 0 ? undefined : `No window appeared within ${input.timeout_ms} ms.`,
    });
    return { data: { ...done, pid, already_running: running !== undefined, window: window ? toRecord(window) : null } };
  },
});

export const quitApp = defineTool({
  name: "quit_app",
  title: "Quit an app",
  summary: "Close an app by name or pid: politely by default, force: true kills it and loses unsaved work.",
  set: "desktop",
  access: "manage",
  idempotent: true,
  needs: ["apps", "windows"],
  input: z.strictObject({
    app_name: appName.optional(),
    pid: z.int().positive().optional(),
    force: z.boolean().default(false),
    timeout_ms: timeoutMs.default(5_000),
  }),
  output: actionResult.extend({ pid: z.number() }),
  positional: ["app_name"],
  check: needOneName,
  quits: ({ app_name: name, pid }) => ({ name, pid }),
  async run(input, context) {
    const surface = await context.surface();
    const { signal } = context;
    const app = await oneRunning(surface, input, signal);
    await surface.need("apps").quit(app.pid, { signal, force: input.force, timeoutMs: input.timeout_ms });
    return {
      data: {
        ...actionDone({ surface, context, via: input.force ? "kill" : "close", method: "system", seen: true }),
        pid: app.pid,
      },
    };
  },
});

interface AppQuery {
  readonly app_name?: string | undefined;
  readonly pid?: number | undefined;
}

function needOneName({ app_name, pid }: AppQuery): void {
  if ((app_name === undefined) === (pid === undefined))
    throw new ToolError("invalid_argument", "Give app_name or pid.");
}

async function oneRunning(surface: Surface, query: AppQuery, signal: AbortSignal): Promise<RunningApp> {
  needOneName(query);
  const { app_name, pid } = query;
  const matches = await findRunning(surface, { name: app_name, pid }, signal);
  const [app, ...rest] = matches;
  if (!app) {
    const running = await surface.need("apps").running({ signal });
    throw new ToolError("process_not_running", `No app with a window matches ${app_name ?? `pid ${pid}`}.`, {
      hint: "Only apps with a window can be quit.",
      candidates: running.map((each) => `${each.name} (pid ${each.pid})`),
    });
  }
  if (rest.length === 0) return app;
  throw new ToolError("ambiguous_target", `${matches.length} running apps match ${quote(app_name ?? "")}.`, {
    hint: "Pass pid.",
    candidates: matches.map((each) => `${quote(each.name)} (pid ${each.pid})`),
  });
}

/**
 * The window that the new process opened, or one that it started. Some launchers ask a program that is running already, so
 * if neither shows a window, any new one counts.
 */
async function newWindow(
  surface: Surface,
  known: ReadonlySet<number>,
  { pid, timeoutMs, signal }: { readonly pid: number; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  let bare: number | undefined;
  const found = await poll(
    async () => {
      const all = await surface.need("windows").list({ signal });
      const fresh = filterWindows(all, { hidden: false, system: false }).windows.filter(({ id }) => !known.has(id));
      if (fresh.length === 0) return undefined;
      const own = new Set((await findRunning(surface, { pid }, signal)).flatMap(({ windowIds }) => windowIds));
      const [first] = fresh.toSorted((a, b) => Number(own.has(b.id)) - Number(own.has(a.id)) || isBare(a) - isBare(b));
      bare = first?.id;
      return first && !isBare(first) ? first.id : undefined;
    },
    { timeoutMs, everyMs: 40, signal },
  );
  return found ?? bare;
}

/** It bypasses the window manager and says no kind, as the pictures do that some apps show while they load. */
const isBare = ({ kind }: WindowInfo): number => Number(kind === "unknown");
