// @ts-check
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasAndroid, unpackAndroid } from "./setup/android.mjs";
import { build, isBuilt, linkBin } from "./setup/build.mjs";
import { withLock } from "./setup/lock.mjs";
import { hasModules, installModules } from "./setup/modules.mjs";
import { say, SetupError } from "./setup/run.mjs";
import { installSystemPackages, missingSystemPackages } from "./setup/system.mjs";
import { setUpWine } from "./setup/wine.mjs";

/** @typedef {import("./setup/packages.mjs").Group} Group */
/** @typedef {{ groups: readonly Group[], folders: readonly string[] }} Stage */

/** @type {Record<string, Stage>} */
const stages = {
  build: { groups: [], folders: ["."] },
  demo: { groups: ["desktop", "demo"], folders: ["."] },
  test: { groups: ["desktop", "demo", "test", "android"], folders: [".", "test/clients"] },
  wine: { groups: ["desktop", "demo", "test", "android"], folders: ["."] },
  bench: { groups: ["desktop", "demo", "test", "android", "bench"], folders: [".", "bench/peers"] },
};

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {Stage} stage */
async function plan(stage) {
  const folders = stage.folders
    .map((name) => join(root, name))
    .filter((path) => existsSync(join(path, "package.json")));
  return {
    packages: await missingSystemPackages(stage.groups),
    folders: folders.filter((folder) => !hasModules(folder)),
    hasAndroid: !stage.groups.includes("android") || (await hasAndroid(root)),
    isBuilt: isBuilt(root),
  };
}

/** @param {Awaited<ReturnType<typeof plan>>} work */
const isDone = (work) => work.packages.length === 0 && work.folders.length === 0 && work.hasAndroid && work.isBuilt;

/** @param {string | undefined} name */
async function setup(name) {
  // The stage for the tests is everything a developer needs; the peers of the bench are 200 MB of other people's work.
  const stage = stages[name ?? "test"];
  if (!stage) throw new SetupError(`no stage "${name}"; there are ${Object.keys(stages).join(", ")}`);
  if (process.platform !== "linux" && stage.groups.length > 0) say("not Linux: system packages are left to you");
  if (!isDone(await plan(stage))) {
    await withLock(join(root, ".build", "setup.lock"), async () => {
      const work = await plan(stage);
      await installSystemPackages(work.packages);
      if (!work.hasAndroid) await unpackAndroid(root);
      for (const folder of work.folders) await installModules(root, folder);
      if (!isBuilt(root)) await build(root);
    });
  }
  linkBin(root);
  if (name === "wine") await setUpWine(root);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return;
  throw new SetupError(
    `handsight needs Node 20.19, or 22.12 and newer; this is ${process.version}. See https://nodejs.org`,
  );
}

try {
  checkNode();
  await setup(process.argv[2]);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
