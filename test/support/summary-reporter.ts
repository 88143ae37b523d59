import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSuite, Vitest } from "vitest/node";

export interface TestOutcome {
  readonly title: string;
  readonly file: string;
  readonly state: "passed" | "failed" | "skipped" | "pending";
  readonly ms: number;
  /** How often it was retried; a test that passed only then is flaky. */
  readonly retries: number;
}

export interface Results {
  readonly at: string;
  /** What was passed after `npm test --`. */
  readonly args: readonly string[];
  readonly tests: readonly TestOutcome[];
  /** How long each file took, including imports and hooks. */
  readonly files: readonly { readonly file: string; readonly ms: number }[];
  /** Failures that belong to no single test: a file or hook that threw, an uncaught error. */
  readonly errors: readonly string[];
}

/** Writes the result of every test, for the last line of `npm test` and for `npm run requirements`. */
export default class SummaryReporter implements Reporter {
  private root = process.cwd();

  onInit(vitest: Vitest): void {
    this.root = vitest.config.root;
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly { readonly message: string }[],
    reason: TestRunEndReason,
  ): void {
    const results: Results = {
      at: new Date().toISOString(),
      args: JSON.parse(process.env["HANDSIGHT_TEST_ARGS"] ?? "[]") as string[],
      tests: modules.flatMap((module) => [...module.children.allTests()].map((test) => outcome(module, test))),
      files: modules.map((module) => ({ file: module.relativeModuleId, ms: timeOf(module) })),
      errors: [
        ...modules.flatMap((module) => [module, ...module.children.allSuites()].flatMap(failuresOutsideTests)),
        ...unhandled.map(({ message }) => message),
        ...(reason === "interrupted" ? ["the run was interrupted"] : []),
      ],
    };
    const file = join(this.root, ".build", "results.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  }
}

function outcome(module: TestModule, test: TestCase): TestOutcome {
  return {
    title: test.fullName,
    file: module.relativeModuleId,
    state: test.result().state,
    ms: Math.round(test.diagnostic()?.duration ?? 0),
    retries: test.diagnostic()?.retryCount ?? 0,
  };
}

function timeOf(module: TestModule): number {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return Math.round(prepareDuration + setupDuration + collectDuration + duration);
}

const failuresOutsideTests = (part: TestModule | TestSuite): string[] =>
  part.errors().map((error) => `${part.type === "suite" ? part.fullName : part.relativeModuleId}: ${error.message}`);
