import { expect, test } from "vitest";
import { useAndroid } from "../simulators/android/session.ts";

const session = useAndroid({ connects: false });

test("Chrome of a device is a browser like any other, and its forwarded port goes with it", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  const surface = `android:${session.device.serial}`;
  const none = await session.handsight.ask("cdp_connect", { surface });
  expect(none.data["error"]).toMatchObject({ code: "not_found", hint: expect.stringContaining("com.android.chrome") });

  // A real Chromium, which the device's daemon offers under Chrome's name on Android.
  const { port } = await session.handsight.call("cdp_launch", { url: "about:blank", headless: true });
  const body = "<title>On the device</title><button>Go</button>";
  await session.handsight.call("cdp_evaluate_script", {
    function: `() => { document.documentElement.innerHTML = "${body}"; }`,
  });
  await session.lab.adb(
    "-s",
    session.device.serial,
    "reverse",
    "localabstract:chrome_devtools_remote",
    `tcp:${Number(port)}`,
  );

  const { browser, pages } = await session.handsight.call("cdp_connect", { surface });
  expect(pages).toEqual([expect.objectContaining({ title: "On the device" })]);
  expect(JSON.stringify(await session.handsight.call("cdp_find_elements", { query: "Go" }))).toContain("button");
  expect((await session.lab.adb("forward", "--list")).stdout).toContain("localabstract:chrome_devtools_remote");
  await session.handsight.call("cdp_disconnect", { browser });
  expect((await session.lab.adb("forward", "--list")).stdout.trim()).toBe("");
});
