// @ts-check
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";

/**
 * apt with package lists and archives of its own, so that it changes nothing and needs no root.
 * @param {string} work
 * @param {{ source?: string }} [options] `source`: the only source, for a system on which nothing is installed yet
 */
export function privateApt(work, { source } = {}) {
  const state = join(work, "apt");
  const parts = join(state, "sources");
  for (const folder of [parts, join(state, "lists", "partial"), join(work, "archives", "partial")])
    mkdirSync(folder, { recursive: true });
  const options = [
    `Dir::Etc::sourceparts=${parts}`,
    `Dir::State::lists=${join(state, "lists")}`,
    `Dir::Cache=${state}`,
    `Dir::Cache::archives=${join(work, "archives")}`,
    "Debug::NoLocking=1",
    // Root hands downloads to a user who may not write below the checkout.
    `APT::Sandbox::User=${process.getuid?.() === 0 ? "root" : ""}`,
  ];
  if (source === undefined) {
    const own = "/etc/apt/sources.list.d";
    if (existsSync(own)) for (const name of readdirSync(own)) symlinkSync(join(own, name), join(parts, name));
  } else {
    writeFileSync(join(parts, "only.list"), `${source}\n`);
    writeFileSync(join(state, "status"), "");
    options.push("Dir::Etc::sourcelist=/dev/null", `Dir::State::status=${join(state, "status")}`);
  }
  const flags = options.flatMap((option) => ["-o", option]);
  const apt = (/** @type {string[]} */ ...args) => run("apt-get", [...flags, "-qq", ...args]);
  return Object.assign(apt, {
    /** @param {string} name */
    policy: async (name) => (await run("apt-cache", [...flags, "policy", name])).output || "Candidate: (none)",
    sources: async () =>
      (await run("apt-get", [...flags, "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(CREATED_BY)"])).output,
  });
}
