import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { poll } from "../../src/base/async.ts";
import type { FixtureEvent } from "./fixture.ts";
import { kill } from "./xvfb.ts";
import { removeFolder } from "./remove-folder.ts";

export const browsers = ["chromium", "firefox"] as const;
export type BrowserName = (typeof browsers)[number];

export interface Browser extends AsyncDisposable {
  readonly pid: number;
  /** Everything the page has reported so far, oldest first. */
  readonly events: readonly FixtureEvent[];
  waitFor(fits: (event: FixtureEvent) => boolean, timeoutMs?: number): Promise<FixtureEvent>;
  stop(): Promise<void>;
}

export interface BrowserOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The query of the page's address: "rows=500". */
  readonly query?: string;
  /** A page of `test/fixtures` that reports as `page.html` does. */
  readonly page?: string;
  /** Device pixels per CSS pixel. */
  readonly scale?: number;
}

/** Starts a real browser with its own profile on a page of `test/fixtures`, which reports everything that happens to it. */
export async function startBrowser(name: BrowserName, options: BrowserOptions): Promise<Browser> {
  const log = await servePage(options.page ?? "page.html");
  const profile = await mkdtemp(join(tmpdir(), `handsight-${name}-`));
  const child = await launchers[name](profile, `${log.url}?${options.query ?? ""}`, options);
  const stop = async (): Promise<void> => {
    await kill(child);
    log.server.closeAllConnections();
    log.server.close();
    await removeFolder(profile);
  };
  const waitFor: Browser["waitFor"] = async (fits, timeoutMs = 10_000) => {
    const found = await poll(async () => log.events.find(fits), { timeoutMs, everyMs: 10 });
    if (found) return found;
    throw new Error(`${name} did not say it; it said ${JSON.stringify(log.events.slice(-5))}`);
  };
  try {
    await waitFor(({ event }) => event === "ready", 40_000);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, events: log.events, waitFor, stop, [Symbol.asyncDispose]: stop };
}

const launchers: Record<BrowserName, (profile: string, url: string, options: BrowserOptions) => Promise<ChildProcess>> =
  {
    async chromium(profile, url, { env, scale = 1 }) {
      const args = [
        // The tests may run as root, where Chromium refuses to start with its sandbox.
        "--no-sandbox",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--password-store=basic",
        `--user-data-dir=${profile}`,
        "--force-renderer-accessibility",
        "--window-size=1200,960",
        ...(scale === 1 ? [] : [`--force-device-scale-factor=${scale}`]),
        url,
      ];
      return start("chromium", args, env);
    },
    async firefox(profile, url, { env, scale = 1 }) {
      const preferences = {
        "browser.shell.checkDefaultBrowser": false,
        "browser.aboutwelcome.enabled": false,
        "browser.startup.homepage_override.mstone": "ignore",
        "datareporting.policy.dataSubmissionEnabled": false,
        "toolkit.telemetry.reportingpolicy.firstRun": false,
        "termsofuse.bypassNotification": true,
        "layout.css.devPixelsPerPx": scale === 1 ? "-1.0" : String(scale),
      };
      const lines = Object.entries(preferences).map(([key, value]) => `user_pref("${key}", ${JSON.stringify(value)});`);
      await writeFile(join(profile, "user.js"), lines.join("\n"));
      return start(
        "firefox-esr",
        ["--no-remote", "--profile", profile, "--width", "1200", "--height", "960", url],
        env,
      );
    },
  };

async function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(command, args, { env, stdio: "ignore" });
  await once(child, "spawn");
  return child;
}

async function servePage(page: string): Promise<{
  readonly url: string;
  readonly events: readonly FixtureEvent[];
  readonly server: Server;
}> {
  const events: FixtureEvent[] = [];
  const html = await readFile(fileURLToPath(new URL(`../fixtures/${page}`, import.meta.url)));
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.setHeader("content-type", "text/html").end(html);
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      events.push(JSON.parse(Buffer.concat(chunks).toString()) as FixtureEvent);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, events, server };
}
