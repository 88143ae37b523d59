import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const session = useAndroid(small);
beforeEach(() => {
  session.device.phone.stop("com.android.settings");
  session.device.open("Settings");
  session.device.forget();
});

test("a tap on a device waits for what is expected, and shows what is there then", async () => {
  const surface = `android:${session.device.serial}`;
  const { elements } = await session.handsight.call("find_elements", { selector: "Switch:Bluetooth", surface });
  const [{ uid }] = elements as [{ uid: string }];
  const { data, text } = await session.handsight.ask("android_click", {
    uid,
    expect: { checked: { role: "switch", name: "Bluetooth" } },
    observe: "snapshot",
  });
  expect(data).toMatchObject({ ok: true, effect: "confirmed", expected: { met: true } });
  expect(data["now"]).toMatchObject({ snapshot: expect.stringContaining("Bluetooth") });
  expect(text).toMatch(/^met after \d+ ms: checked switch "Bluetooth"$/m);
  const missed = await session.handsight.call("click", {
    text: "Bluetooth",
    surface,
    expect: { visible: { role: "switch", name: "Blutooth" }, timeout_ms: 100 },
  });
  expect(missed).toMatchObject({
    ok: false,
    expected: { met: false, candidates: expect.arrayContaining(["Bluetooth"]) },
  });
});
