import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocket } from "ws";
import { findAskers } from "../../src/platform/asking.ts";
import { displayOf } from "../../src/platform/open.ts";
import { poll } from "../../src/base/async.ts";
import { placeVariable } from "../../src/base/runtime.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { mainFile, startHandsight, type Handsight } from "../support/handsight.ts";
import { openTestWindow } from "../support/windows.ts";
import { kill } from "../support/xvfb.ts";

/** The result of a call, as the agent sees it. */
export interface Seen {
  readonly tool: string;
  /** The error code; "ok" when there is none; "waits" when the call had to be given up. */
  readonly code: string;
  readonly text: string;
}

export interface Lab extends AsyncDisposable {
  readonly folder: string;
  readonly approvalPort: number;
  readonly debugPort: number;
  /** Serves /redirect, /frame, /fetch, /form, /refresh and /upload, aimed at `to`. */
  readonly evil: (what: string, to: string) => string;
  readonly windows: { readonly page: number; readonly prompt: number; readonly client: number };
  /** One call by the agent that has asked. */
  readonly call: (tool: string, args?: object) => Promise<Seen>;
  /** A call that has to ask for itself, given up soon. */
  readonly askAgain: (tool: string, args?: object) => Promise<Seen>;
  /** The same by another server on the same display, to which everything is allowed. */
  readonly other: (tool: string, args?: object) => Promise<Seen>;
  readonly agent: Handsight;
  /** Whether somebody has said yes. */
  readonly isApproved: () => boolean;
  readonly isPending: () => boolean;
  /** The agent asks for something that it may not do by itself. */
  readonly beginAsking: () => void;
  /** Whether any handsight on this display reports that a person is being asked. */
  readonly isAsked: () => boolean;
  /** The person brings the browser page with this title to the front. */
  readonly showPage: (title: string) => Promise<void>;
  /** The person presses this button of the page, through another connection to their browser than handsight's. */
  readonly press: (label: string) => Promise<void>;
  /** Files that are handsight's own. */
  readonly ownFiles: () => readonly string[];
  /** What only the person may know. */
  readonly secrets: readonly string[];
  /** Everything the agent was shown so far. */
  readonly shown: () => string;
}

const rules = {
  askSeconds: 3_000,
  // All files of the machine: what must not be read is protected by more than its place.
  files: { read: ["/"], write: ["/"] },
  rules: [{ access: "execute", verdict: "ask" }, { verdict: "allow" }],
};

/**
 * A person's desktop with their browser, which shows the approval page, and a terminal, in which `handsight approve`
 * waits; and an agent on the same desktop and in the same browser that may do everything except run code, and will
 * ask for that.
 */
export async function openLab(): Promise<Lab> {
  const ends: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each();
  };
  try {
    return await build(ends, end);
  } catch (error) {
    await end();
    throw error;
  }
}

async function build(ends: (() => unknown)[], end: () => Promise<void>): Promise<Lab> {
  const desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  ends.push(() => desktop[Symbol.asyncDispose]());
  const sandbox = openSandbox(desktop.env);
  ends.push(() => sandbox[Symbol.dispose]());
  const { env, folder } = sandbox;
  const c = await openConnection(env["DISPLAY"], { env });
  ends.push(() => c.close());
  // The agent's server was started by this process, so this is its client's window.
  const client = await openTestWindow(c, { x: 900, y: 20, width: 300, height: 120, title: "Client", pid: process.pid });

  const profile = join(folder, "profile");
  const switches = ["--no-sandbox", "--test-type", "--no-first-run", "--password-store=basic", "--disable-gpu"];
  const browser = spawn(
    "chromium",
    [
      ...switches,
      "--ozone-platform=x11",
      "--force-renderer-accessibility",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "--window-position=20,20",
      "--window-size=800,600",
      "about:blank",
    ],
    { env, stdio: "ignore" },
  );
  ends.push(() => kill(browser));
  const portFile = join(profile, "DevToolsActivePort");
  const debugPort = await poll(
    async () => (existsSync(portFile) ? Number(readFileSync(portFile, "utf8").split("\n")[0]) || undefined : undefined),
    { timeoutMs: 30_000, everyMs: 50 },
  );
  if (debugPort === undefined) throw new Error("the browser did not open its port");

  const ruleFile = join(folder, "policy.json");
  writeFileSync(ruleFile, JSON.stringify(rules));
  mkdirSync(join(folder, "tmp", "own"), { recursive: true });
  const flags = ["--policy", "ask", "--rules", ruleFile, "--tools", "all"];
  const agent = await startHandsight(env, flags, join(folder, "tmp"));
  ends.push(() => agent[Symbol.asyncDispose]());
  const second = await startHandsight(env, ["--tools", "all"], join(folder, "tmp"));
  ends.push(() => second[Symbol.asyncDispose]());

  const mark = join(folder, "approved");
  const ask = () => agent.ask("launch_app", { app_name: "/bin/sh", args: ["-c", `touch '${mark}'`], timeout_ms: 0 });
  // Nobody can be asked yet; from now on somebody can answer.
  await ask();

  const opener = join(folder, "open");
  const words = [...switches, `--user-data-dir='${profile}'`].join(" ");
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${folder}/link'\nexec chromium ${words} "$1"\n`);
  chmodSync(opener, 0o700);
  const opened = await sandbox.run(["approve", "--open"], { env: { BROWSER: opener } });
  const link = await poll(
    async () =>
      existsSync(join(folder, "link")) ? readFileSync(join(folder, "link"), "utf8") || undefined : undefined,
    { timeoutMs: 10_000, everyMs: 50 },
  );
  if (link === undefined) throw new Error(`no page was opened: ${opened.stdout}${opened.stderr}`);
  const terminal = spawn(
    "xterm",
    ["-title", "Prompt", "-geometry", "60x10+20+650", "-e", process.execPath, mainFile, "approve"],
    {
      env,
      stdio: "ignore",
    },
  );
  ends.push(() => kill(terminal));

  const windowOf = async (title: string) => {
    const found = await poll(
      async () => {
        const { windows } = await second.call("list_windows");
        return (windows as { window_id: number; title: string }[]).find((each) => each.title === title)?.window_id;
      },
      { timeoutMs: 20_000, everyMs: 100 },
    );
    if (found === undefined) throw new Error(`there is no window ${title}`);
    return found;
  };
  const prompt = await windowOf("Prompt");
  const page = await windowOf("[blocked]");

  let state: "none" | "pending" | "ended" = "none";
  const beginAsking = (): void => {
    state = "pending";
    const asking = agent.client
      .callTool(
        {
          name: "launch_app",
          arguments: { app_name: "/bin/sh", args: ["-c", `touch '${mark}'`], timeout_ms: 0 },
        },
        { timeout: 600_000 },
      )
      .catch(() => {})
      .finally(() => {
        state = "ended";
      });
    ends.push(() => asking);
    ends.push(() => agent[Symbol.asyncDispose]());
  };

  const evil = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const to = searchParams.get("to") ?? "";
    const html = (body: string) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>Evil</title><h1>Evil</h1>${body}`);
    };
    if (pathname === "/redirect") return void response.writeHead(302, { location: to }).end();
    if (pathname === "/frame") return html(`<iframe src="${to}" width=700 height=400></iframe>`);
    if (pathname === "/refresh") return html(`<meta http-equiv=refresh content="0;url=${to}">`);
    if (pathname === "/form") {
      return html(
        `<form id=f method=post enctype="text/plain" action="${to}"><input name='{"id":"' value='"}'></form><script>f.submit()</script>`,
      );
    }
    if (pathname === "/upload")
      return html(
        `<input type=file id=f aria-label=File><pre id=o></pre><script>f.onchange=async()=>o.textContent=await f.files[0].text()</script>`,
      );
    return html(
      `<pre id=o>…</pre><script>fetch(${JSON.stringify(to)},{method:"POST",mode:"no-cors",body:"{}"}).then(async r=>o.textContent=r.type+await r.text(),e=>o.textContent=e)</script>`,
    );
  });
  await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    evil.closeAllConnections();
    evil.close();
  });
  const evilPort = (evil.address() as AddressInfo).port;

  let shown = "";
  const caller =
    (handsight: Handsight, patienceMs = 20_000) =>
    async (tool: string, args: object = {}): Promise<Seen> => {
      try {
        const { isError, data, text: told } = await handsight.ask(tool, args, AbortSignal.timeout(patienceMs));
        const text = JSON.stringify(data) + told;
        shown += text;
        const { error } = data as { error?: { code: string } };
        return { tool, code: isError ? (error?.code ?? "error") : "ok", text };
      } catch (error) {
        return { tool, code: "waits", text: String(error) };
      }
    };
  return {
    folder,
    approvalPort: Number(new URL(link).port),
    debugPort,
    evil: (what, to) => `http://127.0.0.1:${evilPort}/${what}?to=${encodeURIComponent(to)}`,
    windows: { page, prompt, client },
    call: caller(agent),
    askAgain: caller(agent, 1_000),
    other: caller(second),
    agent,
    isApproved: () => existsSync(mark),
    isPending: () => state === "pending",
    beginAsking,
    isAsked: () => findAskers(displayOf(env), join(env[placeVariable] ?? "", "asking"))?.isAsked === true,
    showPage: async (title) => {
      const { id } = await findTarget(debugPort, title);
      await fetch(`http://127.0.0.1:${debugPort}/json/activate/${id}`);
    },
    press: (label) => pressButton(debugPort, label),
    ownFiles: () => [
      ruleFile,
      ...[env[placeVariable] ?? "", agent.runsDir].flatMap((place) =>
        readdirSync(place, { recursive: true, withFileTypes: true })
          .filter((entry) => !entry.isDirectory())
          .map((entry) => join(entry.parentPath, entry.name)),
      ),
    ],
    secrets: [
      new URL(link).hash.slice(1),
      "webSocketDebuggerUrl",
      "Allow this kind until handsight stops",
      // What an agent's page gets from the approval page, which it cannot reach.
      "Forbidden",
      "opaque",
    ],
    shown: () => shown,
    [Symbol.asyncDispose]: end,
  };
}

interface Target {
  readonly id: string;
  readonly title: string;
  readonly webSocketDebuggerUrl: string;
}

async function findTarget(port: number, title: string): Promise<Target> {
  const list = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly Target[];
  const found = list.find((target) => target.title === title);
  if (found) return found;
  throw new Error(`there is no page "${title}" among ${list.map((target) => target.title).join(", ")}`);
}

/** A trusted click in the approval page, over our own socket. */
async function pressButton(port: number, label: string): Promise<void> {
  const page = await findTarget(port, "handsight approval");
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  await once(socket, "open");
  let last = 0;
  const send = async (method: string, params: object): Promise<{ readonly result?: { readonly value?: unknown } }> => {
    const id = ++last;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = (await once(socket, "message")) as [Buffer];
      const message = JSON.parse(data.toString()) as { readonly id?: number; readonly result: never };
      if (message.id === id) return message.result;
    }
  };
  const button = `[...document.querySelectorAll("button")].find((each) => each.textContent === ${JSON.stringify(label)})`;
  await send("Page.bringToFront", {});
  const expression = `(() => { const button = ${button}; if (!button || button.disabled) return; button.scrollIntoView({ block: "center" });
    const { x, y, width, height } = button.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`;
  const at = await poll(
    async () =>
      (await send("Runtime.evaluate", { expression, returnByValue: true })).result?.value as
        | [number, number]
        | undefined,
    { timeoutMs: 10_000, everyMs: 100 },
  );
  if (!at) throw new Error(`there is no button ${label}`);
  const [x, y] = at;
  for (const type of ["mousePressed", "mouseReleased"]) {
    await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  }
  socket.close();
}
