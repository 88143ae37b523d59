import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const rules = join(mkdtempSync(join(tmpdir(), "handsight-rules-")), "policy.json");
writeFileSync(rules, JSON.stringify({ rules: [{ window: "*NotesActivity", access: "act", verdict: "deny" }] }));
const session = useAndroid({ ...small, args: ["--rules", rules] });

const codeOf = ({ data }: { readonly data: Record<string, unknown> }): unknown =>
  (data["error"] as { code?: string } | undefined)?.code;

test("a rule about a window's title holds for the app in front with that activity, in every family of tools", async () => {
  const on = { surface: `android:${session.device.serial}`, settle_ms: 0 };
  const calls = [
    ["android_click", { x: 300, y: 300, settle_ms: 0 }],
    ["android_long_press", { x: 300, y: 300, settle_ms: 0 }],
    ["android_swipe", { start_x: 300, start_y: 900, end_x: 300, end_y: 300, settle_ms: 0 }],
    ["android_type_text", { text: "x", settle_ms: 0 }],
    ["android_press_key", { key: "KEYCODE_ENTER", settle_ms: 0 }],
    ["click", { x: 300, y: 300, ...on }],
    ["drag", { start_x: 300, start_y: 900, end_x: 300, end_y: 300, ...on }],
    ["type_text", { text: "x", ...on }],
    ["press_key", { key: "enter", ...on }],
  ] as const;
  session.device.open("Notes");
  session.device.forget();
  for (const [tool, args] of calls) {
    expect([tool, codeOf(await session.handsight.ask(tool, args))]).toEqual([tool, "denied"]);
  }
  expect(session.device.events()).toEqual([]);
  session.device.open("Settings");
  session.device.forget();
  for (const [tool, args] of calls) {
    expect([tool, codeOf(await session.handsight.ask(tool, args))]).toEqual([tool, undefined]);
  }
});
