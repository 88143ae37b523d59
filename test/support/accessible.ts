import { poll } from "../../src/base/async.ts";
import { ToolError } from "../../src/base/errors.ts";
import type { NodeAction, UiNode } from "../../src/base/node.ts";
import type { Backend, Elements, Events, Pointer, Tree } from "../../src/platform/backend.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "./fixture.ts";

export const toolkits = ["gtk3", "gtk4", "qt5", "qt6"] as const;
export type Toolkit = (typeof toolkits)[number];

export interface AccessibleDesktop extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly backend: Backend;
  readonly elements: Elements;
  readonly events: Events;
  readonly pointer: Pointer;
  /** Starts `<toolkit>_controls` and waits until it exposes its elements. */
  start(toolkit: Toolkit, args?: readonly string[]): Promise<Controls>;
}

/** A private desktop with an accessibility bus, and the backend looking at it. */
export async function openAccessibleDesktop(scale = 1): Promise<AccessibleDesktop> {
  const desktop = await openVirtualDesktop({ width: 1280 * scale, height: 1000 * scale, monitors: 1, scale });
  // With the address in the environment Qt 6.4 stays silent: it announces itself before it listens to itself.
  const env = { ...desktop.env, AT_SPI_BUS_ADDRESS: undefined };
  const backend = openLinux(env);
  const { elements, events, pointer } = backend;
  if (!elements || !events || !pointer) throw new Error("the backend lacks elements, events or pointer");
  return {
    env,
    backend,
    elements,
    events,
    pointer,
    async start(toolkit, args = []) {
      const fixture = await startFixture(`${toolkit}_controls`, { env, args });
      await fixture.waitFor(({ event }) => event === "ready");
      const controls = new Controls(toolkit, fixture, elements);
      await controls.settled();
      return controls;
    },
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
    },
  };
}

type RunningProgram = Pick<Fixture, "pid" | "events" | "waitFor" | "stop">;

/** A running fixture: what it reports itself, and what its element tree shows. */
export class Controls implements AsyncDisposable {
  readonly toolkit: string;
  readonly fixture: RunningProgram;
  readonly #elements: Elements;

  constructor(toolkit: string, fixture: RunningProgram, elements: Elements) {
    this.toolkit = toolkit;
    this.fixture = fixture;
    this.#elements = elements;
  }

  get pid(): number {
    return this.fixture.pid;
  }

  tree(maxNodes = 5000): Promise<Tree> {
    return this.#elements.tree(this.#elements.scope({ pid: this.pid }), { maxNodes });
  }

  /** The element with that name; of a field and its label, the field. */
  async find(name: string, role?: string): Promise<UiNode> {
    const node = await poll(async () => pick((await this.tree()).nodes, name, role), { timeoutMs: 5000, everyMs: 30 });
    if (node) return node;
    const names = (await this.tree()).nodes.map((each) => `${each.role}:${each.name}`);
    throw new Error(`${this.toolkit} shows no ${role ?? "element"} "${name}", only ${names.join(", ")}`);
  }

  /** The call that did it, or the error code. */
  async perform(name: string, action: NodeAction, role?: string): Promise<string> {
    const { runtimeId } = await this.find(name, role);
    try {
      return (await this.#elements.perform(runtimeId, action)).via;
    } catch (error) {
      if (error instanceof ToolError) return error.code;
      throw error;
    }
  }

  async read(node: UiNode): Promise<UiNode> {
    const [now] = await this.#elements.read([node.runtimeId]);
    if (!now) throw new Error(`${node.name} is gone`);
    return now;
  }

  /** Waits until the app's window has its final place and content. */
  async settled(): Promise<void> {
    let last = "";
    const isSame = await poll(
      async () => {
        const { nodes } = await this.tree().catch(() => ({ nodes: [] as readonly UiNode[] }));
        const now = JSON.stringify(nodes.map(({ name, bounds }) => [name, bounds]));
        const isStill = nodes.length > 3 && nodes[0]?.windowId !== undefined && now === last;
        last = now;
        return isStill ? true : undefined;
      },
      { timeoutMs: 15_000, everyMs: 80 },
    );
    if (!isSame) throw new Error(`${this.toolkit} did not settle: ${last.slice(0, 500)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture.stop();
  }
}

function pick(nodes: readonly UiNode[], name: string, role: string | undefined): UiNode | undefined {
  const named = nodes.filter((node) => node.name === name && (role === undefined || node.role === role));
  return named.find((node) => node.role !== "text") ?? named[0];
}
