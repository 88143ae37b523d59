import { readFile } from "node:fs/promises";
import { toScope } from "../../src/platform/scope.ts";
import type { ElementScope } from "../../src/platform/backend.ts";
import { poll } from "../../src/base/async.ts";
import { sameRect, type Rect } from "../../src/base/geometry.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openEye } from "../support/eye.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import {
  titles,
  type AppCommand,
  type AppEvent,
  type KnownApp,
  type MenuApp,
  type OtherApp,
  type Stage,
} from "./stage.ts";
import { conform } from "./suite.ts";

conform("linux", () => openStage(1));

/** A private desktop with the known app in GTK and the other one in Qt. */
async function openStage(scale: number): Promise<Stage & { readonly pixelsPerUnit: number }> {
  // At twice the scale everything is twice as large.
  const screen = { width: 1280 * scale, height: 900 * scale };
  const desktop = await openVirtualDesktop({ ...screen, monitors: 1, scale });
  // With the address in the environment Qt 6.4 stays silent: it announces itself before it listens to itself.
  const env = { ...desktop.env, AT_SPI_BUS_ADDRESS: undefined };
  const fixture = await startFixture("gtk3_conformance", { env });
  await fixture.waitFor(({ event }) => event === "ready");
  const app = new GtkApp(fixture);
  const backend = openLinux(env);
  const eye = await openEye(env);
  const scaled = new Map<number, ReturnType<typeof openStage>>();
  return {
    backend,
    screen,
    app,
    // The screen's units are its pixels, at whatever scale apps draw.
    pixelsPerUnit: 1,
    async atScale(other) {
      const opening = scaled.get(other) ?? openStage(other);
      scaled.set(other, opening);
      return opening;
    },
    reopen: async () => openLinux(env),
    openOther: () => openOther(env),
    openMenus: () => openMenus(env),
    seen: (point) => eye.colourAt(point),
    clipboard: {
      read: () => app.ask<string>("paste"),
      write: (text) => app.ask("copy", text),
      writePicture: () => app.ask("copy picture"),
    },
    launchable: {
      id: "/usr/bin/python3",
      args: ["-c", "import time; time.sleep(60)"],
      unknown: "no-such-app-anywhere",
      isRunning: async (pid) => (await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("time.sleep(60)"),
    },
    async [Symbol.asyncDispose]() {
      for (const each of await Promise.all(scaled.values())) await each[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
      eye[Symbol.dispose]();
      await fixture.stop();
      await desktop[Symbol.asyncDispose]();
    },
  };
}

async function openOther(env: NodeJS.ProcessEnv): Promise<OtherApp> {
  // Covers all of the known app.
  const fixture = await startFixture("qt5_editor", {
    env,
    args: ["--title", titles.other, "--geometry", "1000x700+10+10"],
  });
  await fixture.waitFor(({ event }) => event === "focus");
  return {
    pid: fixture.pid,
    isOpen: async () => isAlive(fixture.pid),
    freeze: async () => freeze(fixture.pid),
    [Symbol.asyncDispose]: () => fixture.stop(),
  };
}

async function openMenus(env: NodeJS.ProcessEnv): Promise<MenuApp> {
  const fixture = await startFixture("qt5_controls", { env });
  await fixture.waitFor(({ event }) => event === "ready", 30_000);
  return {
    pid: fixture.pid,
    chosen: () => fixture.events.filter(({ event }) => event === "menu").map(({ name }) => String(name)),
    [Symbol.asyncDispose]: () => fixture.stop(),
  };
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return stat !== "" && !stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
}

async function freeze(pid: number): Promise<AsyncDisposable> {
  process.kill(pid, "SIGSTOP");
  return {
    async [Symbol.asyncDispose]() {
      if (await isAlive(pid)) process.kill(pid, "SIGCONT");
    },
  };
}

/** The app's log is its standard output; commands go to its standard input. */
class GtkApp implements KnownApp {
  readonly title = titles.window;
  readonly pid: number;
  readonly scope: ElementScope;
  readonly #fixture: Fixture;
  #asked = 0;
  #forgotten = 0;
  #frame: Rect | undefined;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.pid = fixture.pid;
    this.scope = toScope({ pid: fixture.pid });
  }

  get events(): readonly AppEvent[] {
    return this.#fixture.events
      .slice(this.#forgotten)
      .filter(({ event }) => event !== "answer") as unknown as readonly AppEvent[];
  }

  async ask<T = void>(command: string, ...args: readonly unknown[]): Promise<T> {
    const number = ++this.#asked;
    this.#fixture.tell(JSON.stringify([number, command, ...args]));
    const answer = await this.#fixture.waitFor((event) => event.event === "answer" && event["number"] === number);
    return answer["value"] as T;
  }

  async reset(): Promise<void> {
    await this.ask("reset");
    let last: Rect | undefined;
    const isReady = await poll(
      async () => {
        const [isInFront, frame] = [await this.ask<boolean>("ready"), await this.window()];
        const isStill = sameRect(frame, this.#frame ?? last ?? { ...frame, x: -1 });
        last = frame;
        return isInFront && isStill ? true : undefined;
      },
      { timeoutMs: 10_000, everyMs: 15 },
    );
    if (!isReady) throw new Error(`the app did not come back to where it was: ${JSON.stringify(last)}`);
    this.#frame ??= last;
    this.#forgotten = this.#fixture.events.length;
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

  freeze(): Promise<AsyncDisposable> {
    return freeze(this.pid);
  }
}
