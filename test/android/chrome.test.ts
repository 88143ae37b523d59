import { afterAll, beforeAll, expect, test } from "vitest";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../support/android/lab.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let lab: AndroidLab;
let device: AndroidTarget;
let handsight: Handsight;
beforeAll(async () => {
  lab = await startAndroid();
  [device] = lab.devices as [AndroidTarget];
  handsight = await startHandsight(lab.env);
});
afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

test("Chrome of a device is a browser like any other, and its forwarded port goes with it", async () => {
  await handsight.call("android_connect", { serial: device.serial });
  const surface = `android:${device.serial}`;
  const none = await handsight.ask("cdp_connect", { surface });
  expect(none.data["error"]).toMatchObject({ code: "not_found", hint: expect.stringContaining("com.android.chrome") });

  // A real Chromium, which the device's daemon offers under the name that Chrome has on Android.
  const { port } = await handsight.call("cdp_launch", { url: "about:blank", headless: true });
  const body = "<title>On the device</title><button>Go</button>";
  await handsight.call("cdp_evaluate_script", {
    function: `() => { document.documentElement.innerHTML = "${body}"; }`,
  });
  await lab.adb("-s", device.serial, "reverse", "localabstract:chrome_devtools_remote", `tcp:${Number(port)}`);

  const { browser, pages } = await handsight.call("cdp_connect", { surface });
  expect(pages).toEqual([expect.objectContaining({ title: "On the device" })]);
  expect(JSON.stringify(await handsight.call("cdp_find_elements", { query: "Go" }))).toContain("button");
  expect((await lab.adb("forward", "--list")).stdout).toContain("localabstract:chrome_devtools_remote");
  await handsight.call("cdp_disconnect", { browser });
  expect((await lab.adb("forward", "--list")).stdout.trim()).toBe("");
});
