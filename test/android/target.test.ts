import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../simulators/android/lab.ts";
import { startMiniDaemon } from "../simulators/android/mini-daemon.ts";

// Checks with the real adb, and nothing of ours, that the device used by the other tests answers as Android does.
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

  test("writes no dump of a screen that never rests, and still ends with 0", async () => {
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

  test("does not wait for decoration in a compressed dump", async () => {
    device.open("Busy");
    expect(await shell("uiautomator dump 2>&1")).toBe("ERROR: could not get idle state.\n");
    expect(await shell("uiautomator dump --compressed")).toContain("dumped to");
    expect(await shell("cat /sdcard/window_dump.xml")).toContain('text="Stop"');
  });

  test("marks buttons without text, and only those", async () => {
    device.open("Icons");
    const dump = await shell("uiautomator dump >/dev/null; cat /sdcard/window_dump.xml");
    expect(dump.match(/NAF="true"/g)).toHaveLength(2);
    expect(dump).toContain('content-desc="Add"');
  });

  test("gives the picture it shows, in the size of the moment", async () => {
    const sizeOf = async (): Promise<unknown> => {
      const words = await shell("screencap | od -A n -t u4 -N 16");
      return words.trim().split(/\s+/).map(Number);
    };
    expect(await sizeOf()).toEqual([1080, 2400, 1, 1]);
    device.phone.rotation = 1;
    expect(await sizeOf()).toEqual([2400, 1080, 1, 1]);
    device.phone.rotation = 0;
    await shell("wm size 720x1600");
    expect(await sizeOf()).toEqual([720, 1600, 1, 1]);
    expect(await shell("wm size")).toBe("Physical size: 1080x2400\nOverride size: 720x1600\n");
    await shell("wm size reset");
  });

  test("keeps secure windows out of its pictures, not out of its dumps", async () => {
    device.open("Vault");
    expect(await shell("screencap | od -A n -t x1 -j 16 | sort -u | head -3")).toMatch(/^[ 0f*\n]+$/);
    expect(await shell("uiautomator dump >/dev/null; cat /sdcard/window_dump.xml")).toContain("Balance");
  });

  test("shows its lock screen until somebody swipes up, and nothing while it sleeps", async () => {
    device.phone.sleepNow();
    expect(await shell("uiautomator dump 2>&1")).toBe("ERROR: null root node returned by UiTestAutomationBridge.\n");
    await shell("input keyevent KEYCODE_WAKEUP");
    expect(device.screenText()).toContain("Swipe up to open");
    await shell("input swipe 500 2000 500 500");
    expect(device.screenText()).toContain("Settings");
  });
});

describe("adb", () => {
  test("calls a device unauthorized until somebody touches Allow on it", async () => {
    await using mini = await startMiniDaemon("unauthorized");
    await lab.adb("connect", mini.serial);
    await expect(lab.adb("-s", mini.serial, "shell", "id")).rejects.toMatchObject({
      stderr: expect.stringContaining("device unauthorized."),
    });
    mini.allow();
    const state = await poll(async () => (await stateOf(mini.serial)) === "device" || undefined, {
      timeoutMs: 10_000,
      everyMs: 50,
    });
    expect(state).toBe(true);
    await lab.adb("disconnect", mini.serial);
  });

  test("finds a device again whose daemon was killed and came back", async () => {
    await device.killDaemon();
    expect(
      await poll(async () => (await stateOf(device.serial)) === "offline" || undefined, {
        timeoutMs: 5_000,
        everyMs: 50,
      }),
    ).toBe(true);
    await device.startDaemon();
    await lab.adb("disconnect", device.serial);
    await lab.adb("connect", device.serial);
    expect(await shell("echo back")).toBe("back\n");
  });
});

async function stateOf(serial: string): Promise<string | undefined> {
  const { stdout } = await lab.adb("devices");
  return stdout
    .split("\n")
    .find((line) => line.startsWith(serial))
    ?.split("\t")[1];
}
