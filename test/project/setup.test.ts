import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { removeOrphans } from "../../scripts/setup/build.mjs";
import { isStale, withLock } from "../../scripts/setup/lock.mjs";
import { isInstalled } from "../../scripts/setup/modules.mjs";
import { notInstalled } from "../../scripts/setup/system.mjs";
import { wantsWine } from "../../scripts/setup/wants-wine.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handsight-setup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The id of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

describe("system packages", () => {
  const wanted = [
    { name: "xvfb", why: "" },
    { name: "libturbojpeg0|libturbojpeg", why: "" },
  ];

  test("that dpkg reports as installed are not asked for again", () => {
    expect(notInstalled(wanted, "xvfb ii \nlibturbojpeg0 ii \n")).toEqual([]);
  });

  test("may be there under another name", () => {
    expect(notInstalled(wanted, "xvfb ii \nlibturbojpeg ii \n")).toEqual([]);
  });

  test("that were removed but left their configuration are missing", () => {
    expect(notInstalled(wanted, "xvfb rc \nlibturbojpeg0 ii \n")).toEqual([wanted[0]]);
  });
});

describe("node modules", () => {
  const lock = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
      "node_modules/other-platform": { version: "1.0.0", optional: true },
    },
  };
  const a = lock.packages["node_modules/a"];

  test("are complete without the optional ones of other platforms", () => {
    expect(isInstalled(lock, { packages: { "node_modules/a": a } })).toBe(true);
  });

  test("are incomplete without an optional one for this machine, unless it may be for another C library", () => {
    const fitting = { version: "1.0.0", optional: true, os: [process.platform], cpu: [process.arch] };
    const withOptional = (extra: object) => ({ packages: { "node_modules/a": a, "node_modules/fitting": extra } });
    const installed = { packages: { "node_modules/a": a } };
    expect(isInstalled(withOptional(fitting), installed)).toBe(false);
    expect(isInstalled(withOptional(fitting), withOptional(fitting))).toBe(true);
    expect(isInstalled(withOptional({ ...fitting, libc: ["musl"] }), installed)).toBe(true);
    expect(isInstalled(withOptional({ ...fitting, os: ["another"] }), installed)).toBe(true);
  });

  test("are incomplete when one is missing or has another version", () => {
    expect(isInstalled(lock, { packages: {} })).toBe(false);
    expect(isInstalled(lock, { packages: { "node_modules/a": { ...a, version: "0.9.0" } } })).toBe(false);
  });
});

describe("the lock", () => {
  test("lets one set-up in at a time", async () => {
    const path = join(folder, "setup.lock");
    writeFileSync(path, `1 another-machine`);
    let isIn = false;
    const waiting = withLock(path, async () => {
      isIn = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(isIn).toBe(false);
    rmSync(path);
    await waiting;
    expect(isIn).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  test("left by a killed set-up is taken over", async () => {
    const path = join(folder, "setup.lock");
    writeFileSync(path, `${deadPid()} ${hostname()}\n`);
    expect(await withLock(path, async () => readFileSync(path, "utf8"))).toBe(`${process.pid} ${hostname()}`);
  });

  test("is given back when the work fails", async () => {
    const path = join(folder, "setup.lock");
    await expect(withLock(path, () => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
    expect(existsSync(path)).toBe(false);
  });

  test("of another machine counts until it falls silent", () => {
    expect(isStale("1 another-machine", 1000)).toBe(false);
    expect(isStale("1 another-machine", 60_000)).toBe(true);
  });

  test("of a living process counts", () => {
    expect(isStale(`${process.ppid} ${hostname()}`, 0)).toBe(false);
  });
});

test("compiled files whose source is gone are deleted, others stay", () => {
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  mkdirSync(join(folder, "dist/deep"), { recursive: true });
  writeFileSync(join(folder, "src/deep/kept.ts"), "");
  const kept = ["deep/kept.js", "deep/kept.d.ts", "logo.png"];
  const gone = ["deep/gone.js", "deep/gone.d.ts", "deep/kept.js.map", "old.js"];
  for (const name of [...kept, ...gone]) writeFileSync(join(folder, "dist", name), "");
  removeOrphans(join(folder, "dist"), join(folder, "src"));
  expect(kept.filter((name) => existsSync(join(folder, "dist", name)))).toEqual(kept);
  expect(gone.filter((name) => existsSync(join(folder, "dist", name)))).toEqual([]);
});

test.each([
  { args: [], isWanted: true },
  { args: ["--retry=0"], isWanted: true },
  { args: ["test/windows"], isWanted: true },
  { args: ["test/linux"], isWanted: false },
  { args: ["test/linux", "test/windows/start.test.ts"], isWanted: true },
])("Wine is set up for tests that need it: $args", ({ args, isWanted }) => {
  expect(wantsWine(join(import.meta.dirname, "../.."), args)).toBe(isWanted);
});
