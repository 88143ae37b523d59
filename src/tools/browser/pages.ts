import { isAbsolute } from "node:path";
import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { quote } from "../../base/quote.ts";
import type { BrowserEndpoint, PageInfo } from "../../platform/browser.ts";
import { toHost } from "../../policy/hosts.ts";
import { needDevice } from "../android/schema.ts";
import { definePageTool } from "./act.ts";
import { needBrowsers, pageRecord, pageResult, pageSettle, pageSurface, toPageRecord, toPageResult } from "./schema.ts";
import { defineTool, surfaceOf, type ToolContext } from "../tool.ts";

const browserRecord = z.object({
  message: z.string(),
  browser: z.string().describe("Handle of this browser"),
  product: z.string(),
  port: z.number(),
  pages: z.array(pageRecord),
});

export const cdpConnect = defineTool({
  name: "cdp_connect",
  title: "Connect to a browser",
  summary:
    "Connect to a running Chrome, Chromium, Edge or Electron app by its remote debugging port, or to Chrome on a connected Android " +
    "device (surface), and select its first page. Chrome 136 and later need --remote-debugging-port together with a --user-data-dir " +
    "of their own; cdp_launch does both.",
  set: "browser",
  access: "manage",
  idempotent: true,
  needs: [],
  input: z.strictObject({
    port: z.int().min(1).max(65_535).optional(),
    host: z
      .string()
      .min(1)
      .max(253)
      .default("127.0.0.1")
      .describe("An address of a machine you trust: the port gives full control"),
    surface: z
      .string()
      .max(130)
      .regex(/^android:/)
      .optional()
      .describe("Instead of port: a connected device, e.g. android:emulator-5554"),
    socket: z.string().max(100).optional().describe("On a device: a web view's socket; default: Chrome"),
  }),
  output: browserRecord,
  positional: ["port"],
  check({ port, host, surface }) {
    if ((port === undefined) === (surface === undefined)) {
      throw new ToolError("invalid_argument", "Give a port, or the surface of an Android device.");
    }
    toHost(host);
  },
  connects: ({ host, port }) => (port === undefined ? undefined : { host, port }),
  async run({ port, host, surface, socket }, context) {
    const endpoint: BrowserEndpoint =
      surface === undefined ? { host, port: port ?? 0 } : await deviceEndpoint(surface, socket, context);
    try {
      const info = await (await needBrowsers(context)).connect(endpoint, { signal: context.signal });
      return { data: describeBrowser(info, `Connected to ${info.product} on port ${info.port}`) };
    } catch (error) {
      await endpoint.release?.();
      throw error;
    }
  },
});

async function deviceEndpoint(
  surface: string,
  socket: string | undefined,
  context: ToolContext,
): Promise<BrowserEndpoint> {
  const { device } = await needDevice(context, surface.replace(/^android:/, ""));
  return { host: "127.0.0.1", ...(await device.forwardBrowser(socket, { signal: context.signal })) };
}

export const cdpLaunch = defineTool({
  name: "cdp_launch",
  title: "Launch a browser",
  summary:
    "Start an installed Chrome, Chromium or Edge with a lasting profile of its own and a free debugging port, and connect to it. " +
    "If a browser already runs with the profile, this connects to it and opens the url there.",
  set: "browser",
  access: "manage",
  needs: [],
  urls: ["url"],
  files: { profile: "write" },
  input: z.strictObject({
    url: z.string().max(10_000).optional(),
    headless: z.boolean().optional().describe("Default: only where there is no display"),
    executable: z.string().max(1_000).optional().describe("Program name or path; default: the first installed one"),
    // A relative path would depend on where the server was started.
    profile: z
      .string()
      .max(1_000)
      .refine((path) => isAbsolute(path), "must be an absolute path")
      .optional()
      .describe("Folder of the profile, absolute; default: one that handsight keeps"),
    args: z.array(z.string().max(1_000)).max(50).default([]).describe("Further switches, e.g. --app=https://…"),
    timeout: z.int().min(1_000).max(60_000).default(20_000),
  }),
  output: browserRecord.extend({
    already_running: z.boolean(),
    effect: z.enum(["confirmed", "no_change", "unverifiable"]),
    surface: z.string().optional().describe("The selected page"),
  }),
  positional: ["url"],
  launches: ({ executable, args }) => ({ program: executable, args, isBrowser: true }),
  async run({ timeout, ...request }, context) {
    const browsers = await needBrowsers(context);
    const info = await browsers.launch({ ...request, timeoutMs: timeout }, { signal: context.signal });
    const words = info.alreadyRunning ? "was already running; connected to it" : "started";
    const selected = info.pages.find(({ isSelected }) => isSelected);
    return {
      data: {
        ...describeBrowser(info, `${info.product} ${words} on port ${info.port}`),
        already_running: info.alreadyRunning,
        effect: "confirmed" as const,
        ...(selected ? { surface: selected.id } : {}),
      },
    };
  },
});

function describeBrowser(
  info: { readonly id: string; readonly product: string; readonly port: number; readonly pages: readonly PageInfo[] },
  message: string,
) {
  const selected = info.pages.find(({ isSelected }) => isSelected);
  return {
    message: `${message}.${selected ? ` Selected ${selected.id} ${quote(selected.title)}.` : " It has no page open."}`,
    browser: info.id,
    product: info.product,
    port: info.port,
    pages: info.pages.map(toPageRecord),
  };
}

export const cdpDisconnect = defineTool({
  name: "cdp_disconnect",
  title: "Disconnect from the browser",
  summary: "Disconnect from one browser, or from all by default. It stays open; its tools then return not_connected.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({ browser: z.string().max(40).optional().describe("From cdp_connect; default: all") }),
  output: z.object({ message: z.string(), disconnected: z.number() }),
  positional: [],
  async run({ browser }, context) {
    const count = await (await needBrowsers(context)).disconnect(browser);
    return { data: { message: count === 0 ? "There was no connection." : "Disconnected.", disconnected: count } };
  },
});

export const cdpClose = defineTool({
  name: "cdp_close",
  title: "Close the browser",
  summary: "Close one browser that cdp_launch started, or all by default. A browser that you connected to stays open.",
  set: "browser",
  access: "manage",
  idempotent: true,
  needs: [],
  input: z.strictObject({ browser: z.string().max(40).optional().describe("From cdp_launch; default: all") }),
  output: z.object({ message: z.string(), closed: z.number() }),
  positional: [],
  async run({ browser }, context) {
    const closed = await (await needBrowsers(context)).quit(browser, { signal: context.signal });
    return { data: { message: `Closed ${closed.join(" and ")}.`, closed: closed.length } };
  },
});

export const cdpListPages = defineTool({
  name: "cdp_list_pages",
  title: "List pages",
  summary: "The open pages (tabs, windows of an Electron app) with their indices; the selected one is marked *.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({}),
  output: z.object({ text: z.string(), pages: z.array(pageRecord) }),
  positional: [],
  async run(_input, context) {
    const pages = await (await needBrowsers(context)).pages({ signal: context.signal });
    const text = pages
      .map(
        ({ title, url, isSelected, id }, index) =>
          `${isSelected ? "*" : " "}[${index}] ${title || "(no title)"} ${url} (${id})`,
      )
      .join("\n");
    return { data: { text, pages: pages.map(toPageRecord) } };
  },
});

const pageIndex = z.int().min(0).max(10_000).describe("From cdp_list_pages");

/** The page that had the index when the call was decided on. */
async function pageAt(context: ToolContext, input: { readonly page_idx: number }): Promise<PageInfo> {
  const pages = await (await needBrowsers(context)).pages({ signal: context.signal });
  const index = input.page_idx;
  const surface = surfaceOf(input);
  const page = surface === "desktop" ? undefined : pages.find(({ id }) => id === surface);
  if (page) return page;
  throw new ToolError("not_found", `There is no page ${index}; there are ${pages.length}, counted from 0.`, {
    hint: "See cdp_list_pages.",
    candidates: pages.map(({ title, url }, each) => `${each} ${title} ${url}`),
  });
}

export const cdpSelectPage = defineTool({
  name: "cdp_select_page",
  title: "Select a page",
  summary: "Make a page the one the other cdp tools work on. Nothing changes in the browser's window.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({ page_idx: pageIndex }),
  output: z.object({ message: z.string(), page: pageRecord }),
  positional: ["page_idx"],
  async run(input, context) {
    const { page_idx } = input;
    const browsers = await needBrowsers(context);
    const info = await browsers.select((await pageAt(context, input)).id, { signal: context.signal });
    return {
      data: {
        message: `Selected [${page_idx}] ${info.title} ${info.url}`,
        page: toPageRecord({ ...info, isSelected: true }, page_idx),
      },
    };
  },
});

export const cdpNewPage = defineTool({
  name: "cdp_new_page",
  title: "Open a page",
  summary: "Open a new page (tab) with a URL; it becomes the selected one.",
  set: "browser",
  access: "act",
  needs: [],
  urls: ["url"],
  input: z.strictObject({
    url: z.string().min(1).max(10_000),
    browser: z.string().max(40).optional().describe("From cdp_connect; default: the selected page's"),
    timeout: z.int().min(0).max(60_000).default(15_000),
  }),
  output: pageResult,
  positional: ["url"],
  async run({ url, browser, timeout }, context) {
    const { signal } = context;
    const { id } = await (await needBrowsers(context)).open(url, browser, { signal });
    const deed = { name: "navigate", to: { url }, timeoutMs: timeout } as const;
    const acted = await context.perform(
      { do: "page", deed },
      { settleMs: undefined, signal, on: await context.session.surface(id) },
    );
    const message = `Opened ${id} at ${acted.witnessed?.url?.to ?? url}`;
    return { data: toPageResult(acted, id, context.stepId, message) };
  },
});

export const cdpClosePage = defineTool({
  name: "cdp_close_page",
  title: "Close a page",
  summary: "Close a page by its index. The last page of a browser cannot be closed.",
  set: "browser",
  access: "act",
  needs: [],
  closes: true,
  input: z.strictObject({ page_idx: pageIndex }),
  output: z.object({ message: z.string(), pages: z.array(pageRecord) }),
  positional: ["page_idx"],
  async run(input, context) {
    const { page_idx } = input;
    const { signal } = context;
    const browsers = await needBrowsers(context);
    const { id, title } = await pageAt(context, input);
    await browsers.close(id, { signal });
    return {
      data: { message: `Closed [${page_idx}] ${title}`, pages: (await browsers.pages({ signal })).map(toPageRecord) },
    };
  },
});

export const cdpNavigate = definePageTool({
  name: "cdp_navigate",
  title: "Navigate",
  summary: "Go to a URL, back, forward, or reload, and wait for the document. Uids of the old document expire.",
  urls: ["url"],
  goesAway: ({ url }) => url !== undefined,
  input: z.strictObject({
    url: z.string().min(1).max(100_000).optional(),
    type: z.enum(["url", "back", "forward", "reload"]).default("url"),
    timeout: z.int().min(0).max(60_000).default(15_000).describe("How long to wait for the document"),
    surface: pageSurface,
    settle_ms: pageSettle,
  }),
  output: pageResult,
  positional: ["url"],
  does({ url, type, timeout: timeoutMs }) {
    if ((type === "url") !== (url !== undefined)) {
      throw new ToolError("invalid_argument", type === "url" ? "Give a url, or a type." : `${type} takes no url.`);
    }
    return { name: "navigate", to: type === "url" ? { url: url ?? "" } : { go: type }, timeoutMs };
  },
  async leaves({ url, surface, timeout: timeoutMs }, context) {
    if (url === undefined) return undefined;
    return (await needBrowsers(context)).leave(surface, url, { timeoutMs, signal: context.signal });
  },
  says({ type }, { witnessed }) {
    const words = witnessed?.dialog
      ? "A dialog is open on"
      : type === "url"
        ? "Navigated to"
        : type === "reload"
          ? "Reloaded"
          : `Went ${type} to`;
    return `${words} ${String(witnessed?.value)}`;
  },
});
