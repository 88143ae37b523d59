import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const session = useAndroid(small);
beforeEach(() => {
  session.device.phone.stop("com.android.settings");
  session.device.open("Sign up");
  session.device.forget();
});

test("does several steps on a device in one call", async () => {
  const result = await session.handsight.call("run_steps", {
    surface: `android:${session.device.serial}`,
    steps: [
      { fill: { into: { id: "email" }, text: "ada@example.org" } },
      { press: "enter" },
      { expect: { value: "ada@example.org", of: { id: "email" } } },
    ],
  });
  expect(result).toMatchObject({ ok: true, ran: 3 });
  session.device.open("Settings");
  const toggled = await session.handsight.call("run_steps", {
    surface: `android:${session.device.serial}`,
    steps: [{ check: { role: "switch", name: "Bluetooth" } }, { check: { role: "switch", name: "Bluetooth" } }],
  });
  expect(toggled).toMatchObject({ ok: true, ran: 2, steps: [{ effect: "confirmed" }, { note: "is checked already" }] });
  expect(session.device.events().filter(({ kind }) => kind === "toggle")).toEqual([
    { kind: "toggle", name: "Bluetooth", on: true },
  ]);
});
