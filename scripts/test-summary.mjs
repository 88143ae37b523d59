// @ts-check

/**
 * What `npm test` reads of the results that test/support/summary-reporter.ts writes.
 * @typedef {object} Results
 * @property {readonly { title: string, file: string, state: string, retries: number }[]} tests
 * @property {readonly { file: string, ms: number }[]} files
 * @property {readonly string[]} errors
 */

/**
 * The last lines of a test run. The very last one holds the counts and nothing else.
 * @param {Results} results
 * @param {number} tookMs by the clock
 */
export function summarise({ tests, files, errors }, tookMs) {
  /** @param {string} state */
  const count = (state) => tests.filter((test) => test.state === state).length;
  const failed = count("failed") + errors.length;
  const skipped = count("skipped") + count("pending");
  return {
    failed,
    lines: [
      ...timePerPart(files, tookMs),
      ...flakyTests(tests),
      ...errors.map((error) => `failed outside a test: ${error}`),
      `${count("passed")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
    ],
  };
}

/**
 * @param {Results["files"]} files
 * @param {number} tookMs
 */
function timePerPart(files, tookMs) {
  /** @type {Map<string, number>} */
  const parts = new Map();
  for (const { file, ms } of files) {
    const part = file.split("/").slice(0, -1).slice(0, 2).join("/");
    parts.set(part, (parts.get(part) ?? 0) + ms);
  }
  const rows = [...parts].sort(([, a], [, b]) => b - a);
  const work = rows.reduce((sum, [, ms]) => sum + ms, 0);
  return [
    ...rows.map(([part, ms]) => `${seconds(ms)}  ${part}`),
    `${seconds(work)}  in all, side by side in ${seconds(tookMs).trim()}`,
  ];
}

/** @param {Results["tests"]} tests */
function flakyTests(tests) {
  const flaky = tests.filter(({ state, retries }) => state === "passed" && retries > 0);
  if (flaky.length === 0) return [];
  return [
    `${flaky.length} flaky, passed only when tried again:`,
    ...flaky.map(
      ({ file, title, retries }) => `  ${file} > ${title} (${retries} ${retries > 1 ? "retries" : "retry"})`,
    ),
  ];
}

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`.padStart(10);
