import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ToolError, type ErrorCode } from "../../src/base/errors.ts";
import type { Ability } from "./expectations.ts";
import { checkout } from "../support/checkout.ts";
import { behaviourOf } from "./behaviours/index.ts";
import {
  abilities,
  backends,
  behavioursOf,
  expectations,
  reasonAgainst,
  reasonMissing,
  type BackendName,
} from "./expectations.ts";
import { Cannot, type Stage } from "./stage.ts";

/** With these errors the backend says that it cannot do it; any other failure of a listed cell fails the run. */
const refusals: ReadonlySet<ErrorCode> = new Set(["not_supported", "not_dispatchable", "pattern_unsupported"]);

const isNo = (error: unknown): boolean =>
  error instanceof Cannot ||
  (error instanceof ToolError && refusals.has(error.code)) ||
  (error instanceof Error && error.name === "AssertionError");

/** Tries every behaviour on one backend, and compares the result with the list and the printed page. */
export function conform(backend: BackendName, openStage: () => Promise<Stage>): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });
  const ready = async (): Promise<Stage> => {
    try {
      await stage.app.reset();
    } catch (error) {
      // On a stage that stays broken every row after this one would fail too, each after waiting in vain.
      await stage[Symbol.asyncDispose]();
      stage = await openStage();
      throw error;
    }
    return stage;
  };

  test("diagnoses a connection that works", async () => {
    const findings = await stage.backend.diagnose();
    expect(findings.find(({ ability }) => ability === "connection")?.status).toBe("ok");
  });

  describe.each(abilities)("%s", (ability) => {
    test("is there, or is listed as missing", () => {
      expect(stage.backend[ability] === undefined).toBe(reasonMissing(ability, backend) !== undefined);
    });

    const rows = behavioursOf(ability).map(({ title, name }) => [title, name] as const);
    test.each(rows)("%s", async (title, name) => {
      const restored = await ready();
      const reason = reasonAgainst(ability, name, backend);
      const failure = await failureOf(behaviourOf(ability, name)(restored));
      if (failure !== undefined && reason === undefined) throw failure;
      if (failure === undefined && reason !== undefined) {
        throw new Error(`${ability}.${name} is listed as impossible on ${backend} but passes: remove it (${reason})`);
      }
      expect(printedCell(ability, title, backend)).toMatch(failure === undefined ? /^yes$/ : /^no \[\d+\]$/);
    });
  });
}

/** The error that means "no"; anything else is thrown. */
async function failureOf(trying: Promise<void>): Promise<unknown> {
  try {
    await trying;
    return undefined;
  } catch (error) {
    if (isNo(error)) return error;
    throw error;
  }
}

/** What docs/platforms.md says. */
function printedCell(ability: Ability, title: string, backend: BackendName): string | undefined {
  const page = readFileSync(join(checkout, "docs/platforms.md"), "utf8");
  const [, section = ""] = page.split(`\n### ${expectations[ability].title}\n`);
  const row = section.split("\n").find((line) => line.startsWith(`| ${title} |`));
  return row?.split("|")[2 + Object.keys(backends).indexOf(backend)]?.trim();
}
