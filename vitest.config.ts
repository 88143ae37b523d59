import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

// Apps with providers of their own now and then hang for good under Wine, and keep the machine busy. Only `npm test -- test/windows`
// runs them.
const onRequest = /test\/windows/.test(process.argv.join(" ")) ? [] : ["test/windows/elements.test.ts"];

// `unit` needs nothing but node: the logic of one file beside it, the whole on the fake backend in test/fake, the project's
// own rules in test/project. `system` runs real X servers, apps and clients and needs `npm run setup`.
export default defineConfig({
  test: {
    // Two cores serve three: the system tests wait for apps, effects and deadlines more than half of the time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { name: "unit", include: ["src/**/*.test.ts", "test/{fake,project}/**/*.test.ts"], testTimeout: 20_000 },
      },
      {
        test: {
          name: "system",
          include: ["test/*/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/{fake,project,on-mac}/**", ...onRequest],
          testTimeout: 60_000,
          // Commands end with what they opened; test/cli/session.test.ts is about those that do not.
          env: { HANDSIGHT_SESSION: "off" },
          // Of tests that say they mostly wait.
          maxConcurrency: 2,
          hookTimeout: 60_000,
          // Real apps on a machine that is busy with something else now and then miss a deadline the product must keep.
          retry: 2,
        },
      },
    ],
  },
});
