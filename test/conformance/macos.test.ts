import type { Rect } from "../../src/base/geometry.ts";
import { toScope } from "../../src/platform/scope.ts";
import { openSimulator, type Simulator } from "../simulators/macos/simulator.ts";
import { expect } from "vitest";
import { titles, type AppCommand, type AppEvent, type KnownApp, type OtherApp, type Stage } from "./stage.ts";
import { conform } from "./suite.ts";

conform("macos", () => openStage(1));

const screen = { width: 1280, height: 900 };
const pids = { app: 501, other: 502 };

/** A simulated Mac with one display. Whatever is not released at the end fails the run. */
async function openStage(scale: number): Promise<Stage & { readonly pixelsPerUnit: number }> {
  const simulator = await openSimulator({ displays: [`0,0,${screen.width},${screen.height},${scale}`] });
  const scaled = new Map<number, ReturnType<typeof openStage>>();
  return {
    backend: simulator.backend,
    screen,
    pixelsPerUnit: scale,
    app: new SimulatedApp(simulator),
    async atScale(other) {
      const opening = scaled.get(other) ?? openStage(other);
      scaled.set(other, opening);
      return opening;
    },
    openOther: () => openOther(simulator),
    clipboard: {
      read: () => simulator.ask("paste"),
      write: async (text) => void (await simulator.ask(`copy ${text}`)),
      writePicture: async () => void (await simulator.ask("picture")),
    },
    launchable: {
      id: "Simulated App",
      args: ["--quiet"],
      unknown: "No Such App",
      isRunning: async (pid) => (await simulator.ask(`running ${pid}`)) === "true",
    },
    async [Symbol.asyncDispose]() {
      for (const stage of scaled.values()) await (await stage)[Symbol.asyncDispose]();
      const { live, objects, held, violations } = await simulator.close();
      expect({ live, objects, held, violations }).toEqual({ live: 0, objects: [], held: false, violations: [] });
    },
  };
}

async function openOther(simulator: Simulator): Promise<OtherApp> {
  await simulator.ask("open");
  return {
    pid: pids.other,
    isOpen: async () => (await simulator.ask("isopen")) === "true",
    freeze: () => freeze(simulator, pids.other),
    [Symbol.asyncDispose]: async () => void (await simulator.ask("close")),
  };
}

async function freeze(simulator: Simulator, pid: number): Promise<AsyncDisposable> {
  await simulator.ask(`freeze ${pid}`);
  return { [Symbol.asyncDispose]: async () => void (await simulator.ask(`thaw ${pid}`)) };
}

class SimulatedApp implements KnownApp {
  readonly title = titles.window;
  readonly pid = pids.app;
  readonly scope = toScope({ pid: pids.app });
  readonly #simulator: Simulator;
  events: readonly AppEvent[] = [];
  #following: NodeJS.Timeout | undefined;

  constructor(simulator: Simulator) {
    this.#simulator = simulator;
  }

  async reset(): Promise<void> {
    clearInterval(this.#following);
    await this.#simulator.ask("reset");
    await this.#read();
    // The suite reads what the app said without waiting for an answer.
    this.#following = setInterval(() => void this.#read().catch(() => {}), 10).unref();
  }

  async act(command: AppCommand): Promise<void> {
    expect(await this.#simulator.ask(`act ${command}`)).toBe("true");
  }

  async pad(): Promise<Rect> {
    return this.place("Pad");
  }

  async place(name: string): Promise<Rect> {
    return this.#json<Rect>(`place ${name}`);
  }

  async window(): Promise<Rect> {
    return this.#json<Rect>("window");
  }

  async text(): Promise<string> {
    return this.#simulator.ask("text");
  }

  freeze(): Promise<AsyncDisposable> {
    return freeze(this.#simulator, this.pid);
  }

  async #read(): Promise<void> {
    this.events = await this.#json<readonly AppEvent[]>("log");
  }

  async #json<T>(order: string): Promise<T> {
    return JSON.parse(await this.#simulator.ask(order)) as T;
  }
}
