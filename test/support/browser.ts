import { readFile, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSession } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { callTool } from "../../src/tools/call.ts";
import type { Session } from "../../src/tools/session.ts";
import { checkout } from "./checkout.ts";
import { removeFolder } from "./remove-folder.ts";

const folder = join(checkout, "test/fixtures/pages/");

export interface PageServer extends AsyncDisposable {
  readonly port: number;
  /** Cross-site to each other: a frame of one inside the other has its own process. */
  readonly own: string;
  readonly other: string;
}

/** Serves `test/fixtures/pages`, and pages given as text, on two hosts. */
export async function servePages(pages: Readonly<Record<string, string>> = {}): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const name = pathname.slice(1);
    const answer = async (): Promise<void> => {
      if (name === "missing") return void response.writeHead(404).end("no");
      if (name === "file.zip") {
        response.writeHead(200, {
          "content-disposition": "attachment; filename=file.zip",
          "content-type": "application/zip",
        });
        return void response.end("zip");
      }
      if (name === "never") return;
      if (name === "moved") return void response.writeHead(302, { location: searchParams.get("to") ?? "/" }).end();
      const delay = Number(searchParams.get("delay") ?? 0);
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      const text = pages[name] ?? (await readFile(join(folder, name), "utf8"));
      const local = text
        .replaceAll("OTHER", `http://localhost:${port()}`)
        .replaceAll("OWN", `http://127.0.0.1:${port()}`);
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(local);
    };
    answer().catch(() => response.writeHead(404).end("not found"));
  });
  const port = (): number => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: port(),
    own: `http://127.0.0.1:${port()}`,
    other: `http://localhost:${port()}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Data = Record<string, unknown>;

export interface BrowserSession extends AsyncDisposable {
  readonly session: Session;
  readonly profiles: string;
  /** Calls a tool and returns its data; throws the content of the error envelope if it fails. */
  readonly call: (tool: string, args?: unknown, signal?: AbortSignal) => Promise<Data>;
  /** The error of a call. */
  readonly fails: (
    tool: string,
    args?: unknown,
  ) => Promise<{ code: string; message: string; hint?: string; candidates?: string[] }>;
  /** The uid of the best match. */
  readonly find: (query: string, role?: string) => Promise<string>;
}

/** The whole product from `callTool` down, with no browser yet. */
export async function openBrowserSession(flags: Record<string, string> = {}): Promise<BrowserSession> {
  const profiles = await mkdtemp(join(tmpdir(), "handsight-browser-"));
  const config = loadConfig({ flags: { policy: "allow", journal: "off", browserDir: profiles, ...flags }, env: {} });
  const session = openSession(config, {});
  const call: BrowserSession["call"] = async (tool, args = {}, signal) => {
    const result = await callTool(session, { tool, arguments: args, canAsk: false, signal });
    if (result.kind === "done") return result.data;
    throw result.kind === "failed" ? result.envelope.error : new Error("the call asked for permission");
  };
  return {
    session,
    profiles,
    call,
    async fails(tool, args) {
      const error = await call(tool, args).then(
        (data) => {
          throw new Error(`${tool} should have failed, but gave ${JSON.stringify(data)}`);
        },
        (reason: unknown) => reason,
      );
      if (error instanceof Error) throw error;
      return error as Awaited<ReturnType<BrowserSession["fails"]>>;
    },
    async find(query, role) {
      const { matches } = await call("cdp_find_elements", { query, ...(role === undefined ? {} : { role }) });
      const [first] = matches as { uid: string }[];
      if (!first) throw new Error(`nothing on the page is called ${query}`);
      return first.uid;
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await removeFolder(profiles);
    },
  };
}

/** The same with a headless browser running. */
export async function launchHeadless(
  flags: Record<string, string> = {},
): Promise<BrowserSession & { readonly port: number }> {
  const opened = await openBrowserSession(flags);
  const { port } = await opened.call("cdp_launch", { headless: true });
  return { ...opened, port: port as number };
}
