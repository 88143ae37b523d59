import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { optionsMarkdown } from "../src/config/docs.ts";
import { describeTool } from "../src/tools/describe.ts";
import { allTools } from "../src/tools/registry.ts";
import { apiMarkdown } from "./api-docs.ts";
import { errorsMarkdown } from "./error-docs.ts";
import { flowSchemaText } from "./flow-schema.ts";
import { platformsMarkdown } from "./platform-docs.ts";
import { policySchema } from "./policy-schema.ts";
import { findRoot } from "./root.ts";
import { toolListCosts } from "./tokens.ts";
import { toolsMarkdown } from "./tool-docs.ts";

const root = findRoot();
const isCheck = process.argv.includes("--check");
const snapshots = "test/tools.snap";

/** Everything that is derived from the sources and committed. */
const wanted = new Map([
  ["docs/api.md", apiMarkdown()],
  ["docs/tools.md", toolsMarkdown(allTools)],
  ["docs/options.md", optionsMarkdown()],
  ["docs/errors.md", errorsMarkdown()],
  ["docs/platforms.md", platformsMarkdown()],
  ["docs/policy.schema.json", policySchema()],
  ["docs/flow.schema.json", flowSchemaText()],
  ...allTools.map((tool): [string, string] => [
    `${snapshots}/${tool.name}.json`,
    `${JSON.stringify(describeTool(tool), null, 2)}\n`,
  ]),
]);

// Unlike a plain write, this survives a reader such as `head` that closes the pipe.
const say = (line = ""): void => console.log(line);

const present = existsSync(join(root, snapshots)) ? readdirSync(join(root, snapshots)) : [];
const surplus = present.map((name) => `${snapshots}/${name}`).filter((path) => !wanted.has(path));
const stale = [...wanted].filter(([path, text]) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
});

if (isCheck) {
  for (const [path] of stale) say(`stale: ${path}`);
  for (const path of surplus) say(`stale: ${path} (no such tool)`);
  if (stale.length + surplus.length > 0) {
    say("Run npm run generate, look at the changes and commit them.");
    process.exitCode = 1;
  }
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    say(`wrote ${path}`);
  }
  for (const path of surplus) {
    rmSync(join(root, path));
    say(`removed ${path}`);
  }
}

for (const { set, tools, characters, tokens } of toolListCosts()) {
  say(
    `tool list ${set.padEnd(12)} ${String(tools).padStart(3)} tools ${String(characters).padStart(7)} characters, ${tokens} tokens`,
  );
}
