import { afterAll, beforeAll, expect, test } from "vitest";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../simulators/android/lab.ts";
import { small } from "../simulators/android/session.ts";
import { eachKey, enterAll, secretKinds, startRecorded, type RecordedHandsight } from "../support/secret-kinds.ts";

let lab: AndroidLab;
let server: RecordedHandsight;
let device: AndroidTarget;
beforeAll(async () => {
  lab = await startAndroid(small);
  device = lab.devices[0] as AndroidTarget;
  server = await startRecorded(lab.env);
  await server.handsight.call("android_connect", { serial: device.serial });
  device.open("Sign up");
}, 90_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

const ask = (tool: string, args: object) => server.handsight.ask(tool, args);

async function pointOf(text: string): Promise<{ readonly x: number; readonly y: number }> {
  const { matches } = await server.handsight.call("android_find_text", { text });
  const { x, y } = (matches as { x: number; y: number }[])[0] ?? { x: 0, y: 0 };
  return { x, y };
}

async function uidOf(name: string): Promise<string> {
  const { elements } = await server.handsight.call("find_elements", {
    surface: `android:${device.serial}`,
    selector: `TextBox:"${name}"`,
  });
  return (elements as { uid: string }[])[0]?.uid ?? "";
}

test("what is typed into a password field of a device is found in no record", { timeout: 120_000 }, async () => {
  const kinds = secretKinds("phone").filter(({ kind }) => kind !== "100 kB");
  const surface = `android:${device.serial}`;
  const at = await pointOf("Password");
  /** Enter and Tab lead to another field. */
  const atCursor = (tool: string, argsOf: (text: string) => object) => async (text: string) => {
    device.phone.touch(at.x, at.y, "tap");
    return ask(tool, argsOf(text));
  };
  const enter = atCursor("android_type_text", (text) => ({ text }));
  const uid = await uidOf("Password");
  await enterAll(kinds, {
    android_type_text: { enter },
    android_press_key: eachKey(atCursor("android_press_key", (key) => ({ key: `KEYCODE_${key}` }))),
    type_text: { enter: atCursor("type_text", (text) => ({ surface, text })) },
    ax_set_value: { enter: (text) => ask("ax_set_value", { surface, uid, text }) },
    "act set_value": { enter: (value) => ask("act", { surface, action: "set_value", uid, value }) },
    press_key: eachKey(atCursor("press_key", (key) => ({ surface, key }))),
    "a misspelt tool": { enter: (text) => ask("android_typetext", { text }) },
  });
  const answers = [
    await ask("android_snapshot", {}),
    await ask("take_ax_snapshot", { surface, format: "json" }),
    await ask("android_find_text", { text: "Password" }),
    await ask("read_text", { surface, uid: await uidOf("Password") }),
  ];
  const told = JSON.stringify(answers.map(({ data }) => data));
  for (const { pieces } of kinds) for (const piece of pieces) expect(told.includes(piece), piece).toBe(false);
  expect(await server.hits(kinds)).toEqual([]);
  // Keys that write nothing tell nothing.
  await ask("android_press_key", { key: "KEYCODE_DPAD_UP" });
  expect(await server.written()).toContain('"key":"KEYCODE_DPAD_UP"');
});

test("what is typed into a field of a device that shows it is kept", async () => {
  const { x, y } = await pointOf("Full name");
  await server.handsight.call("android_click", { x, y });
  await server.handsight.call("android_type_text", { text: "Ada Lovelace" });
  const written = await server.written();
  expect(written.includes('"text":"Ada Lovelace"')).toBe(true);
  expect(written.split("\n").filter((line) => /\[UI\].*Lovelace/.test(line))).toEqual([]);
});
