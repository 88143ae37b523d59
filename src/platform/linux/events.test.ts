import { expect, test } from "vitest";
import type { ElementEvent } from "../backend.ts";
import type { AccessibilityBus } from "./atspi/bus.ts";
import type { Signal } from "./dbus/signals.ts";
import type { XDisplay } from "./display.ts";
import { AtspiEvents } from "./events.ts";

/** A bus whose signals arrive when the test sends them, from a program whose process id is not known yet. */
async function listen() {
  let send: (signal: Signal) => void = () => {};
  let answer: (pid: number) => void = () => {};
  const pid = new Promise<number>((resolve) => {
    answer = resolve;
  });
  const bus = {
    on: async (_rule: unknown, hear: typeof send) => {
      send = hear;
      return () => {};
    },
    onClose: () => () => {},
    call: async () => [],
    callDaemon: async () => [],
  };
  const apps = {
    bus,
    reusedIds: { mark: (id: string) => id, connection: 0 },
    knownPid: () => undefined,
    pidOf: () => pid,
  };
  const events = new AtspiEvents(
    { apps: async () => apps } as unknown as AccessibilityBus,
    undefined as unknown as XDisplay,
  );
  const heard: ElementEvent[] = [];
  const watch = await events.watch(["children"], (event) => heard.push(event));
  const emit = (path: string) =>
    send({
      sender: ":1.9",
      path,
      interface: "org.a11y.atspi.Event.Object",
      member: "ChildrenChanged",
      body: ["add", 0],
    });
  return { events, heard, watch, emit, answer };
}

test("a flood of events from a program just met is cut, not kept", async () => {
  const { events, heard, emit, answer } = await listen();
  for (let number = 0; number < 50_000; number++) emit(`/${number}`);
  expect(heard).toHaveLength(0);
  answer(77);
  await events.told();
  expect(heard.length).toBeGreaterThan(100);
  expect(heard.length).toBeLessThanOrEqual(1_000);
  expect(heard.slice(0, 3).map(({ runtimeId, pid }) => [runtimeId, pid])).toEqual([
    [":1.9/0", 77],
    [":1.9/1", 77],
    [":1.9/2", 77],
  ]);
  // Later events are delivered again.
  emit("/late");
  await events.told();
  expect(heard.at(-1)).toMatchObject({ runtimeId: ":1.9/late", pid: 77 });
});

test("nothing is reported after the watch has ended", async () => {
  const { events, heard, watch, emit, answer } = await listen();
  emit("/1");
  await watch[Symbol.asyncDispose]();
  emit("/2");
  answer(77);
  await events.told();
  expect(heard).toEqual([]);
});
