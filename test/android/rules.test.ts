import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const rules = join(mkdtempSync(join(tmpdir(), "handsight-rules-")), "policy.json");
writeFileSync(rules, JSON.stringify({ packages: { block: ["org.example.vault"] } }));
const session = useAndroid({ ...small, args: ["--rules", rules] });
beforeEach(() => {
  session.device.open("Settings");
  session.device.forget();
});

const codeOf = ({ data }: { readonly data: Record<string, unknown> }): unknown =>
  (data["error"] as { code?: string } | undefined)?.code;

test.each([
  ["android_click", { x: 300, y: 300, settle_ms: 0 }],
  ["android_swipe", { start_x: 300, start_y: 900, end_x: 300, end_y: 300, settle_ms: 0 }],
  ["android_type_text", { text: "x", settle_ms: 0 }],
  ["android_press_key", { key: "KEYCODE_ENTER", settle_ms: 0 }],
])("%s does nothing in a blocked app that came to the front since the last look", async (tool, args) => {
  // From here on, the app in front is known.
  await session.handsight.call("android_get_current_activity");
  session.device.open("Vault");
  session.device.forget();
  expect(codeOf(await session.handsight.ask(tool, args))).toBe("denied");
  expect(session.device.events()).toEqual([]);
});

test.each([
  ["click", { x: 360, y: 300, settle_ms: 0 }],
  ["drag", { start_x: 300, start_y: 900, end_x: 300, end_y: 300, settle_ms: 0 }],
  ["type_text", { text: "x", settle_ms: 0 }],
  ["press_key", { key: "enter", settle_ms: 0 }],
  ["take_ax_snapshot", {}],
  ["find_text", { text: "Balance" }],
  ["wait_for", { text: "Balance", timeout_ms: 500 }],
])("%s neither uses nor reads a blocked app that came to the front since the last look", async (tool, args) => {
  await session.handsight.call("android_get_current_activity");
  session.device.open("Vault");
  session.device.forget();
  const { data } = await session.handsight.ask(tool, { surface: `android:${session.device.serial}`, ...args });
  expect([codeOf({ data }), JSON.stringify(data).includes("1234")]).toEqual(["denied", false]);
  expect(session.device.events()).toEqual([]);
});

test("input goes to an app that came to the front since the last look, if that is allowed", async () => {
  await session.handsight.call("android_get_current_activity");
  session.device.open("Notes");
  session.device.forget();
  await session.handsight.call("android_click", { x: 300, y: 300, settle_ms: 0 });
  expect(session.device.events().filter(({ kind }) => kind === "tap")).toHaveLength(1);
});

test("a blocked app is neither seen nor read, and can be left", async () => {
  session.device.open("Vault");
  const { images, ...shot } = await session.handsight.ask("android_screenshot");
  expect([codeOf(shot), images]).toEqual(["denied", []]);
  const { data } = await session.handsight.ask("android_snapshot");
  expect([codeOf({ data }), JSON.stringify(data).includes("Balance")]).toEqual(["denied", false]);
  await session.handsight.call("android_press_key", { key: "KEYCODE_HOME", settle_ms: 0 });
  expect(session.device.phone.front.label).toBe("Launcher");
});
