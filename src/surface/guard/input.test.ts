import { expect, test } from "vitest";
import { screenPoint } from "../../base/geometry.ts";
import type { HeardEvent } from "../../platform/backend.ts";
import { openFake } from "../../platform/fake/index.ts";
import { guardBackend } from "./guard.ts";

const field = (runtimeId: string, more: readonly "password"[], y: number) => ({
  runtimeId,
  role: "textbox",
  name: runtimeId,
  states: ["enabled", "showing", "focusable", "editable", ...more] as const,
  bounds: { x: 10, y, width: 100, height: 20 },
  pid: 1000,
  windowId: 1,
});

function start() {
  const backend = openFake({
    windows: [
      { id: 1, title: "Form", bounds: { x: 0, y: 0, width: 200, height: 200 } },
      { id: 2, title: "Vault", bounds: { x: 300, y: 0, width: 200, height: 200 } },
    ],
    elements: [field("Name", [], 10), field("Password", ["password"], 50)],
  });
  const { desktop } = backend;
  const findBlocked: Parameters<typeof guardBackend>[1]["findBlocked"] = (windows) =>
    new Map(windows.filter(({ title }) => title === "Vault").map((window) => [window, "Vault"]));
  const guarded = guardBackend(backend, { findBlocked, masksFields: true, holdsSecret: undefined });
  const heard: HeardEvent[] = [];
  const { input, pointer, keyboard } = guarded;
  const focus = (id: string) => desktop.elements?.focus(id);
  return { desktop, heard, input, pointer, keyboard, raw: backend, focus };
}

const wordsOf = (heard: readonly HeardEvent[]) =>
  heard.map((event) => (event.kind === "key" ? `key ${event.chord.join("+")}` : event.kind));

test("what is typed into a password field is not heard, that something is typed is", async () => {
  const { input, keyboard, heard, focus } = start();
  await using _listening = await input?.listen?.((event) => void heard.push(event));
  focus("Name");
  await keyboard?.text("a");
  focus("Password");
  await keyboard?.text("xy");
  await keyboard?.down("enter");
  await keyboard?.up("enter");
  await expect.poll(() => heard.length).toBe(4);
  expect(wordsOf(heard)).toEqual(["key a", "key ", "key ", "key enter"]);
  expect(JSON.stringify(heard)).not.toMatch(/"[xy]"/);
});

test("nothing is heard of a blocked window", async () => {
  const { input, raw, heard, desktop } = start();
  await using _listening = await input?.listen?.((event) => void heard.push(event));
  desktop.activate(2);
  await raw.pointer?.move(screenPoint(350, 50));
  await raw.pointer?.down("left");
  await raw.pointer?.up("left");
  await raw.keyboard?.text("s");
  desktop.activate(1);
  await raw.pointer?.move(screenPoint(50, 150));
  await raw.pointer?.down("left");
  await expect.poll(() => heard.length).toBe(1);
  expect(wordsOf(heard)).toEqual(["down"]);
});
