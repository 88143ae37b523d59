import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runAgent, type AgentResult } from "../src/agent/run.ts";
import type { Where } from "../src/agent/workplace.ts";
import { openSession } from "../src/app.ts";
import { loadConfig } from "../src/config/load.ts";
import { callTool } from "../src/tools/call.ts";
import type { Session } from "../src/tools/session.ts";
import { overview, shop, type Chapter } from "./demo-pages.ts";

/**
 * The main job, end to end and with no API key: the agent follows plain instructions on a private desktop, in a
 * calculator, a form and a web page. Each chapter is checked by what the app shows, and has a report to look at.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const results = join(root, "demo-result");

async function main(): Promise<void> {
  const started = performance.now();
  const work = await mkdtemp(join(tmpdir(), "handsight-demo-"));
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { recursive: true });
  const flags = {
    desktop: "virtual",
    size: "1280x800",
    policy: "allow",
    runsDir: join(work, "runs"),
    browserDir: join(work, "browser"),
  };
  try {
    await using session = openSession(loadConfig({ flags, env: {} }));
    await using pages = await servePage(shop);
    const chapters = [
      await chapter(session, work, {
        title: "A calculator",
        file: "calculator.html",
        goal: "click 2, then click +, then click 2 and click =",
        open: async () => ({ app: "galculator" }),
        check: () =>
          need(session, "wait_for", { condition: "element", selector: "TextBox[value=4]", app_name: "galculator" }),
        shows: "the display says 4",
      }),
      await chapter(session, work, {
        title: "A form, and the dashboard behind it",
        file: "form.html",
        goal: 'Type "testuser" into Username, type "password123" into Password, click the Submit button, then wait for "Welcome, testuser"',
        open: async () => {
          const args = [join(root, "test/fixtures/gtk3_login.py")];
          const { pid } = await need(session, "launch_app", { app_name: "/usr/bin/python3", args });
          return { pid: Number(pid) };
        },
        check: () => need(session, "wait_for", { condition: "window", window_title: "Dashboard" }),
        shows: "the dashboard is open",
      }),
      await chapter(session, work, {
        title: "A web page",
        file: "web-page.html",
        goal: 'Type "Ada" into Your name, choose Large from the Size list, tick "Gift wrap", click the Order button and wait for "Thank you, Ada"',
        open: async () => ({ url: pages.url }),
        check: async (result) => {
          const surface = result.history[0]?.surface;
          return need(session, "wait_for", { condition: "element", text: "one large pot, gift-wrapped", surface });
        },
        shows: "the page thanks for one large pot, gift-wrapped",
      }),
    ];
    const index = join(results, "index.html");
    await writeFile(index, overview(chapters));
    say(`\nDone in ${seconds(performance.now() - started)}. What was seen, done and verified:\n`);
    for (const path of [index, ...chapters.map(({ file }) => join(results, file))])
      say(`  ${relative(process.cwd(), path)}\n`);
    show(index);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Plan {
  readonly title: string;
  readonly file: string;
  readonly goal: string;
  readonly open: () => Promise<Where>;
  readonly check: (result: AgentResult) => Promise<unknown>;
  readonly shows: string;
}

async function chapter(session: Session, work: string, plan: Plan): Promise<Chapter> {
  say(`\n${plan.title}\n  "${plan.goal}"\n`);
  const where = await plan.open();
  const result = await runAgent(session, {
    goal: plan.goal,
    model: "rules",
    where,
    onStep({ state, step, actions }) {
      if (state !== "done") return;
      const [first] = actions;
      const last = actions.at(-1);
      const changes = last?.changes[0] === undefined ? "" : `: ${last.changes[0]}`;
      say(
        `  ${step}. ${actions.map(({ action }) => String(action["action"])).join(", ")} ${first?.element ?? ""} — ${last?.effect ?? ""}${changes}\n`,
      );
    },
  });
  const { status, message, hint, evidence } = result.verdict;
  if (status !== "done") throw new Error(`${plan.title}: ${status}, ${message}${hint === null ? "" : `\n  ${hint}`}`);
  await plan.check(result);
  say(`  ✓ ${plan.shows}; ${evidence.confirmed} effects confirmed in ${seconds(result.ms)}\n`);
  const report = await readFile(join(work, "runs", result.run_id, result.report ?? ""), "utf8");
  await writeFile(join(results, plan.file), report);
  const picture = evidence.shot?.file
    ? await readFile(join(work, "runs", result.run_id, evidence.shot.file))
    : undefined;
  return { title: plan.title, goal: plan.goal, file: plan.file, shows: plan.shows, result, picture };
}

async function need(session: Session, tool: string, args: unknown): Promise<Record<string, unknown>> {
  const outcome = await callTool(session, { tool, arguments: args, canAsk: false, client: "demo" });
  if (outcome.kind === "done") return outcome.data;
  throw new Error(`${tool}: ${outcome.kind === "failed" ? outcome.envelope.error.message : outcome.question.text}`);
}

async function servePage(html: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Only where a person sits at a display: a build machine has nobody to look. */
function show(file: string): void {
  const hasDisplay = process.platform === "darwin" || process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"];
  if (!process.stdout.isTTY || !hasDisplay || process.env["CI"]) return;
  const child = spawn(process.platform === "darwin" ? "open" : "xdg-open", [file], { detached: true, stdio: "ignore" });
  // Without an opener the path above is enough.
  child.on("error", () => {});
  child.unref();
}

const say = (line: string): boolean => process.stdout.write(line);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

try {
  say("handsight demo: an agent without a model follows plain instructions\n");
  await main();
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
