import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { accessibleArguments } from "./accessible-start.ts";

const flag = "--force-renderer-accessibility";

test.each(["/usr/bin/chromium", "/usr/bin/google-chrome-stable", "/opt/brave-browser"])(
  "%s is started so that it exposes its pages",
  async (command) => {
    expect(await accessibleArguments(command, ["page.html"])).toEqual([flag, "page.html"]);
  },
);

test("the caller's own setting wins, and other programs get nothing", async () => {
  expect(await accessibleArguments("/usr/bin/chromium", [`${flag}=basic`])).toEqual([`${flag}=basic`]);
  expect(await accessibleArguments("/usr/bin/mousepad", ["a.txt"])).toEqual(["a.txt"]);
});

test("a program with Chromium's resources beside it counts as built on it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "handsight-electron-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "editor"), "");
  expect(await accessibleArguments(join(folder, "editor"), [])).toEqual([]);
  await writeFile(join(folder, "chrome_100_percent.pak"), "");
  expect(await accessibleArguments(join(folder, "editor"), [])).toEqual([flag]);
});
