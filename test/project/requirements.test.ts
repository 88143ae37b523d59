import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claims, readLedger, stand } from "../../scripts/ledger.ts";

const page = `# Requirements
## S0 · First
- **S0-1** One.
- **S0-2** Two.
- **S0-3** Three.
## S2 · Second
- **S2-5** All of:
  - **S2-5a** this
  - **S2-5b** that
## Resolved differently
| requirement | what handsight does | why |
| --- | --- | --- |
| S0-1…S0-2, S2-5a | Better. | Because. |
## Ask for nothing
| requirement | why |
| --- | --- |
| S0-3 | Order of work. |
`;
const ledger = readLedger(page);
const ids = ledger.requirements.map(({ id }) => id);
const stateOf = (id: string, ...tests: { title: string; state: string; retries?: number }[]) =>
  stand(
    ledger,
    tests.map((one) => ({ retries: 0, ...one })),
  ).states.get(id);

test("the list in the docs has every number once, and its tables name only numbers of the list", () => {
  const real = readLedger(readFileSync(join(import.meta.dirname, "../../docs/requirements.md"), "utf8"));
  const all = real.requirements.map(({ id }) => id);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBe(551);
  expect(real.groups).toHaveLength(5);
  expect(real.unknown).toEqual([]);
});

describe("reading the list", () => {
  test("finds statements with their group, sub-items included", () => {
    expect(ids).toEqual(["S0-1", "S0-2", "S0-3", "S2-5", "S2-5a", "S2-5b"]);
    expect(ledger.requirements[4]).toEqual({ id: "S2-5a", group: "S2 · Second", statement: "this" });
    expect(ledger.groups).toEqual(["S0 · First", "S2 · Second"]);
  });

  test("finds what is resolved differently and what asks for nothing", () => {
    expect(ledger.different).toEqual([{ ids: ["S0-1", "S0-2", "S2-5a"], instead: "Better.", reason: "Because." }]);
    expect([...ledger.idle]).toEqual(["S0-3"]);
  });

  test("reports a table row about a number that does not exist", () => {
    expect(readLedger(`${page}| S0-9 | Typo. |\n`).unknown).toEqual(["S0-9"]);
  });
});

// The titles of these tests must not contain what they test: they would count as claims.
describe("a test title claims", () => {
  test.each([
    ["one number", "[S0-2] does it", ["S0-2"]],
    ["several", "does it [S0-1, S2-5a]", ["S0-1", "S2-5a"]],
    ["a range", "[S0-1…S0-3] does it", ["S0-1", "S0-2", "S0-3"]],
    ["a range in three dots", "[S0-1...S0-2] does it", ["S0-1", "S0-2"]],
    ["what the group around it claims", "outer [S0-1] > inner [S2-5b]", ["S0-1", "S2-5b"]],
    ["nothing without brackets, or with other things in them", "[1, 2] and S0-1", []],
  ])("%s", (_what, title, known) => {
    expect(claims(title, ids)).toEqual({ known, unknown: [] });
  });

  test.each([
    ["a missing number", "[S0-9]"],
    ["a range backwards", "[S0-3…S0-1]"],
    ["a range across groups", "[S0-3…S2-5]"],
    ["words between numbers", "[S0-1 and S0-2]"],
    ["numbers without a comma", "[S0-1 S0-2]"],
  ])("what is not there: %s", (_what, title) => {
    expect(claims(title, ids).unknown).toHaveLength(1);
  });
});

describe("a requirement", () => {
  const passes = { title: "[S0-1]", state: "passed" };

  test("is proven by a test that passes", () => {
    expect(stateOf("S0-1", passes)).toBe("proven");
  });

  test("is failing when any test that claims it fails", () => {
    expect(stateOf("S0-1", passes, { title: "again [S0-1]", state: "failed" })).toBe("failing");
  });

  test("is not yet proven by a test that was skipped", () => {
    expect(stateOf("S0-1", { title: "[S0-1]", state: "skipped" })).toBe("not yet");
  });

  test("is not proven by a test that passed only when it was tried again", () => {
    const flaky = { title: "[S0-1]", state: "passed", retries: 1 };
    expect(stateOf("S0-1", flaky)).toBe("not yet");
    expect(stateOf("S0-1", flaky, passes)).toBe("proven");
  });

  test("with sub-items is proven when all of them are", () => {
    const first = { title: "[S2-5a]", state: "passed" };
    expect(stateOf("S2-5", first)).toBe("not yet");
    expect(stateOf("S2-5", first, { title: "[S2-5b]", state: "passed" })).toBe("proven");
  });

  test("that asks for nothing needs no test", () => {
    expect(stateOf("S0-3")).toBe("idle");
  });

  test("that does not exist is reported with the title that claims it", () => {
    expect(stand(ledger, [{ title: "[S0-9] x", state: "passed", retries: 0 }]).unknown).toEqual([
      { claim: "S0-9", title: "[S0-9] x" },
    ]);
  });
});
