import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Backend } from "../../src/platform/backend.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";

let desktop: VirtualDesktop;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  env = { ...desktop.env, AT_SPI_BUS_ADDRESS: undefined };
});

afterAll(async () => {
  await desktop[Symbol.asyncDispose]();
});

describe.each(["3", "4"])("places of GTK %s elements that were read before", (version) => {
  let app: Fixture;
  let backend: Backend;
  beforeAll(async () => {
    app = await startFixture("gtk_rows", { env, args: [version] });
    await app.waitFor(({ event }) => event === "ready");
    backend = openLinux(env);
    await untilStill();
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
    await app.stop();
  });

  const placesBy = async (reader: Backend): Promise<readonly string[]> => {
    const { nodes } = (await reader.elements?.tree(reader.elements.scope({ pid: app.pid }), { maxNodes: 5000 })) ?? {
      nodes: [],
    };
    return nodes.map(({ role, name, bounds }) => `${role} ${name} ${JSON.stringify(bounds)}`);
  };

  /** What a fresh observer sees, once the app has come to rest. */
  async function untilStill(): Promise<readonly string[]> {
    let last: readonly string[] = [];
    const still = await poll(
      async () => {
        await using fresh = openLinux(env);
        const now = await placesBy(fresh);
        const isSame = now.length > 30 && now.join() === last.join();
        last = now;
        return isSame ? now : undefined;
      },
      { timeoutMs: 15_000, everyMs: 100 },
    );
    if (!still) throw new Error(`the app did not come to rest: ${last.join("; ").slice(0, 500)}`);
    return still;
  }

  test.each(["Longer", "Margin", "Hide", "Swap", "Trade", "Scroll"])("are right after %s", async (how) => {
    const before = await placesBy(backend);
    const { nodes } = (await backend.elements?.tree(backend.elements.scope({ pid: app.pid }), { maxNodes: 5000 })) ?? {
      nodes: [],
    };
    const control = nodes.find(({ name, role }) => name === how && role === "button");
    await backend.elements?.perform(control?.runtimeId ?? "", { name: "press" });
    await app.waitFor(({ event, how: said }) => event === "changed" && said === how);
    const truth = await untilStill();
    expect(truth).not.toEqual(before);
    expect(await placesBy(backend)).toEqual(truth);
  });

  test("are right after the window was moved and resized", async () => {
    const before = await placesBy(backend);
    const window = (await backend.windows?.list())?.find(({ pid }) => pid === app.pid);
    await backend.windows?.change(window?.id ?? 0, { to: "move", x: 120, y: 140 });
    const moved = await untilStill();
    expect(moved).not.toEqual(before);
    expect(await placesBy(backend)).toEqual(moved);
    await backend.windows?.change(window?.id ?? 0, { to: "resize", width: 1260, height: 200 });
    const resized = await untilStill();
    expect(resized).not.toEqual(moved);
    expect(await placesBy(backend)).toEqual(resized);
  });
});
