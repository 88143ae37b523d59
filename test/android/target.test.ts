import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../support/android/lab.ts";

// That the device the other tests act on answers as Android does, asked with the real adb and nothing of ours.
let lab: AndroidLab;
let device: AndroidTarget;
beforeAll(async () => {
  lab = await startAndroid();
  [device] = lab.devices as [AndroidTarget];
});
afterAll(() => lab?.[Symbol.asyncDispose]());
beforeEach(() => {
  device.open("Launcher");
  device.forget();
});

const shell = async (command: string): Promise<string> => (await lab.adb("-s", device.serial, "shell", command)).stdout;

const codeOf = async (command: string): Promise<string> => (await shell(`${command} >/dev/null 2>&1; echo $?`)).trim();

describe("the simulated device", () => {
  test("runs Android's shell and tools behind the real daemon", async () => {
    expect(await shell("echo $KSH_VERSION; echo a | sed s/a/b/; ls -l /bin/sh")).toMatch(/MIRBSD KSH[^\n]*\nb\n.*mksh/);
    await expect(lab.adb("-s", device.serial, "shell", "exit 7")).rejects.toMatchObject({ code: 7 });
  });

  test("is reached through one port of the loopback and sees no other network", async () => {
    expect(await shell("cat /proc/net/dev")).not.toMatch(/eth|ens|wlan/);
  });

  test("opens an app when its icon is tapped, and shows it in a dump", async () => {
    await shell("input tap 135 500");
    expect(device.events()).toEqual([
      { kind: "tap", x: 135, y: 500, on: "Settings" },
      { kind: "launch", package: "com.android.settings" },
    ]);
    const dump = await shell("uiautomator dump; cat /sdcard/window_dump.xml");
    expect(dump).toContain("UI hierchary dumped to: /sdcard/window_dump.xml");
    expect(dump).toContain('text="Bluetooth" resource-id="android:id/title" class="android.widget.TextView"');
  });

  test("writes no dump of a screen that never rests, and ends with 0 all the same", async () => {
    device.open("Ticker");
    const said = await shell(
      "uiautomator dump --compressed /sdcard/new.xml 2>&1; echo $?; ls /sdcard | grep new.xml; true",
    );
    expect(said).toBe("ERROR: could not get idle state.\n0\n");
  }, 20_000);

  test("types nothing of a text it has no keys for", async () => {
    device.open("Notes");
    await shell("input tap 500 500");
    expect(await codeOf("input text 'é'")).toBe("255");
    await shell("input text 'a%sb c'");
    expect(device.events().filter(({ kind }) => kind === "text")).toEqual([
      { kind: "text", text: "a b c", into: "note" },
    ]);
    expect(device.screenText()).toContain("a b c");
  });
});
