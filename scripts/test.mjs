// @ts-check
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { say, SetupError } from "./setup/run.mjs";
import { setUpWine } from "./setup/wine.mjs";
import { wantsWine } from "./setup/wants-wine.mjs";
import { summarise } from "./test-summary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const results = new URL("../.build/results.json", import.meta.url);
const args = process.argv.slice(2);

// Left over results would be taken for this run's if vitest died before writing its own.
rmSync(results, { force: true });
const whyNoWine = wantsWine(root, args) ? await tryWine() : undefined;
const started = performance.now();
const vitest = spawn(
  process.execPath,
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=default",
    "--reporter=./test/support/summary-reporter.ts",
    ...args,
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      ...(whyNoWine === undefined ? {} : { HANDSIGHT_NO_WINE: whyNoWine }),
      HANDSIGHT_TEST_ARGS: JSON.stringify(args),
    },
  },
);
// Ctrl-C reaches vitest too; waiting for it keeps the summary the last line.
process.on("SIGINT", () => {});
vitest.on("close", (code) => {
  const { failed, lines } = summarise(readResults(), performance.now() - started);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = failed > 0 ? 1 : (code ?? 1);
});

/** @returns {Promise<string | undefined>} why the Windows tests are skipped */
async function tryWine() {
  try {
    await setUpWine(root);
    return undefined;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`the Windows tests are skipped: ${error.message}`);
    return error.message;
  }
}

/** @returns {import("./test-summary.mjs").Results} */
function readResults() {
  try {
    return JSON.parse(readFileSync(results, "utf8"));
  } catch {
    return { tests: [], files: [], errors: ["vitest ended without writing its results"] };
  }
}
