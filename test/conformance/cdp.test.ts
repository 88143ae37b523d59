import { once } from "node:events";
import { toScope } from "../../src/platform/scope.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { PrivatePorts } from "../../src/base/private-ports.ts";
import type { Rect, Size } from "../../src/base/geometry.ts";
import { openBrowsers } from "../../src/platform/cdp/index.ts";
import { pagePid } from "../../src/platform/cdp/identity.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { servePages } from "../support/browser.ts";
import { checkout } from "../support/checkout.ts";
import { titles, type AppCommand, type AppEvent, type KnownApp, type Stage } from "./stage.ts";
import { conform } from "./suite.ts";

conform("cdp", () => openStage(1));

/** A headless Chromium with the known app as a page, and our own debugger beside the backend. */
async function openStage(scale: number): Promise<Stage & { readonly pixelsPerUnit: number }> {
  const profiles = await mkdtemp(join(tmpdir(), "handsight-conformance-"));
  const pages = await servePages({
    "page.html": await readFile(join(checkout, "test/conformance/page.html"), "utf8"),
  });
  const open = () =>
    openBrowsers({
      decode: decodePicture,
      profiles,
      env: async () => process.env,
      ports: new PrivatePorts(),
      ruleAgainstFrame: () => undefined,
      keepRunning: false,
    });
  const browsers = open();
  const { port } = await browsers.launch(
    { headless: true, args: [`--force-device-scale-factor=${scale}`, "--window-size=1000,800"], timeoutMs: 30_000 },
    {},
  );
  const page = await browsers.page(undefined, {});
  const to = { url: `${pages.own}/page.html` };
  await page.backend.page?.perform({ name: "navigate", to, timeoutMs: 20_000 }, { settleMs: 0 });
  const outside = await Outside.connect(port, "page.html");
  const app = new PageApp(outside);
  const screen = await outside.ask<Size>("window");
  const scaled = new Map<number, ReturnType<typeof openStage>>();
  return {
    backend: page.backend,
    screen: { width: screen.width, height: screen.height },
    app,
    pixelsPerUnit: scale,
    async atScale(other) {
      const opening = scaled.get(other) ?? openStage(other);
      scaled.set(other, opening);
      return opening;
    },
    async reopen() {
      const second = open();
      const { pages: known } = await second.connect({ host: "127.0.0.1", port }, {});
      const own = known.find(({ url }) => url.endsWith("page.html"));
      const { backend } = await second.page(own?.id, {});
      return { ...backend, [Symbol.asyncDispose]: () => second[Symbol.asyncDispose]() };
    },
    async [Symbol.asyncDispose]() {
      for (const each of await Promise.all(scaled.values())) await each[Symbol.asyncDispose]();
      outside.close();
      await browsers.quit(undefined, {});
      await browsers[Symbol.asyncDispose]();
      await pages[Symbol.asyncDispose]();
      await rm(profiles, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** The page through a separate connection, which shares nothing with the backend. */
class Outside {
  readonly events: AppEvent[] = [];
  readonly #port: number;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (answer: { readonly result: unknown }) => void>();
  #count = 0;

  private constructor(port: number, socket: WebSocket) {
    this.#port = port;
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#hear(JSON.parse(data.toString()) as Message));
  }

  static async connect(port: number, ending: string): Promise<Outside> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Target[];
    const own = targets.find(({ url }) => url.endsWith(ending));
    const outside = new Outside(port, await openSocket(own?.webSocketDebuggerUrl ?? ""));
    for (const domain of ["Runtime", "Page"]) await outside.send(`${domain}.enable`);
    await outside.send("Runtime.addBinding", { name: "tell" });
    return outside;
  }

  send(method: string, params: object = {}): Promise<{ readonly result: unknown }> {
    const id = ++this.#count;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  /** The answer of the page's own script. */
  async ask<T = void>(command: string, ...args: readonly unknown[]): Promise<T> {
    const expression = `answer(${[command, ...args].map((each) => JSON.stringify(each)).join(", ")})`;
    const evaluate = { expression, returnByValue: true, awaitPromise: true, userGesture: true };
    const { result } = (await this.send("Runtime.evaluate", evaluate)) as { readonly result: Evaluated };
    if (result.exceptionDetails) throw new Error(`${command}: ${JSON.stringify(result.exceptionDetails)}`);
    return result.result.value as T;
  }

  /** The processes that run pages. */
  async renderers(): Promise<readonly number[]> {
    const version = (await (await fetch(`http://127.0.0.1:${this.#port}/json/version`)).json()) as Target;
    const browser = new Outside(this.#port, await openSocket(version.webSocketDebuggerUrl));
    const { result } = (await browser.send("SystemInfo.getProcessInfo")) as { readonly result: Processes };
    browser.close();
    return result.processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  }

  close(): void {
    this.#socket.close();
  }

  #hear(message: Message): void {
    if (message.method === "Runtime.bindingCalled") this.events.push(JSON.parse(message.params.payload) as AppEvent);
    if (message.id !== undefined) this.#answers.get(message.id)?.(message);
  }
}

interface Target {
  readonly url: string;
  readonly webSocketDebuggerUrl: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params: { readonly payload: string };
  readonly result: unknown;
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: unknown;
}

interface Processes {
  readonly processInfo: readonly { readonly id: number; readonly type: string }[];
}

async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  return socket;
}

class PageApp implements KnownApp {
  readonly title = titles.window;
  readonly pid = pagePid;
  readonly scope = toScope({ pid: pagePid });
  readonly #outside: Outside;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  get events(): readonly AppEvent[] {
    return this.#outside.events;
  }

  async reset(): Promise<void> {
    await this.#outside.send("Page.handleJavaScriptDialog", { accept: true });
    await this.#outside.ask("reset");
    this.#outside.events.length = 0;
  }

  act(command: AppCommand): Promise<void> {
    return this.#outside.ask(command);
  }

  pad(): Promise<Rect> {
    return this.#outside.ask("pad");
  }

  place(name: string): Promise<Rect> {
    return this.#outside.ask("place", name);
  }

  window(): Promise<Rect> {
    return this.#outside.ask("window");
  }

  text(): Promise<string> {
    return this.#outside.ask("text");
  }

  async freeze(): Promise<AsyncDisposable> {
    const pids = await this.#outside.renderers();
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    return {
      async [Symbol.asyncDispose]() {
        for (const pid of pids) process.kill(pid, "SIGCONT");
      },
    };
  }
}
