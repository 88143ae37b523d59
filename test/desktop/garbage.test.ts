import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCodes } from "../../src/base/errors.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { queryKeymap, queryPointer } from "../../src/platform/linux/x11/requests.ts";
import { allTools } from "../../src/tools/registry.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let desktop: VirtualDesktop;
let handsight: Handsight;
/** Where garbage ends up that is taken for the name of a folder or file. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-garbage-"));
  desktop = await openVirtualDesktop({ width: 640, height: 480, monitors: 1, scale: 1 });
  const args = ["--tools", "all", "--max-side", "64", "--settle-ms", "0", "--log-level", "error"];
  handsight = await startHandsight(desktop.env, args, folder);
});

afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Values of the wrong kind, out of range, hostile or nearly right, under real and made-up names. */
function garbage(fields: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      "",
      "screen",
      "window",
      "left",
      "enter",
      "f1abc",
      "../../etc/passwd",
      "\u0000",
      "💥".repeat(20),
    ),
    fc.integer(),
    fc.double(),
    fc.integer({ min: -5, max: 700 }),
    fc.string({ maxLength: 30 }),
    fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("__proto__", ...fields) },
    { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
  );
  return fc.dictionary(name, value, { maxKeys: 5 }).map((given) => ({
    ...given,
    // A tool that waits must not make the test wait; garbage timeouts are tested separately below.
    ...(fields.includes("timeout_ms") && typeof given["timeout_ms"] === "number" ? { timeout_ms: 0 } : {}),
    ...(fields.includes("timeout_ms") && given["timeout_ms"] === undefined ? { timeout_ms: 0 } : {}),
    ...(fields.includes("hold_ms") ? { hold_ms: 0 } : {}),
    ...(fields.includes("step_ms") ? { step_ms: 0 } : {}),
  }));
}

describe.each(allTools.map((tool) => [tool.name, Object.keys(tool.input.shape)] as const))("%s", (name, fields) => {
  test(
    "answers 200 garbage inputs with data or a structured error, and holds nothing",
    { timeout: 120_000 },
    async () => {
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(garbage(fields), async (args) => {
          const { isError, data } = await handsight.ask(name, args);
          if (!isError) return;
          refused++;
          const { error } = data as { error: { code: string; message: string; retryable: boolean } };
          expect(Object.keys(errorCodes)).toContain(error.code);
          expect(error.code).not.toBe("internal");
          expect(error.message.length).toBeGreaterThan(5);
        }),
        { numRuns: 200 },
      );
      expect(refused).toBeGreaterThan(20);
      expect(await held()).toEqual({ keys: 0, buttons: 0 });
      expect(await handsight.call("list_displays")).toHaveProperty("displays");
    },
  );
});

async function held(): Promise<{ keys: number; buttons: number }> {
  const display = new XDisplay(desktop.env);
  try {
    const connection = await display.connect();
    const keymap = await queryKeymap(connection);
    const { mask } = await queryPointer(connection);
    const bits = (byte: number): number => (byte === 0 ? 0 : (byte & 1) + bits(byte >> 1));
    return { keys: [...keymap].reduce((sum, byte) => sum + bits(byte), 0), buttons: bits((mask >> 8) & 0x1f) };
  } finally {
    await display[Symbol.asyncDispose]();
  }
}
