import { readFileSync } from "node:fs";
import { join } from "node:path";
import koffi from "koffi";
import { describe, expect, test } from "vitest";
import { constants } from "../../src/platform/macos/bindings/constants.ts";
import { functions } from "../../src/platform/macos/bindings/functions.ts";
import { messages } from "../../src/platform/macos/bindings/messages.ts";
import { openNative } from "../../src/platform/macos/bindings/native.ts";
import { structs } from "../../src/platform/macos/bindings/structs.ts";
import { keyCodes } from "../../src/platform/macos/key-codes.ts";
import { checkout } from "../support/checkout.ts";
import { openSimulator } from "../simulators/macos/simulator.ts";

interface Facts {
  readonly functions: Readonly<Record<string, { readonly framework: string; readonly lowered: string }>>;
  readonly structs: Readonly<
    Record<string, { readonly size: number; readonly fields: Readonly<Record<string, string>> }>
  >;
  readonly constants: Readonly<Record<string, number>>;
  readonly keyCodes: Readonly<Record<string, number>>;
  readonly encodings: Readonly<Record<string, string>>;
}

/** Taken from the headers of the SDKs for macOS 12.0 and 14.2. */
const facts = JSON.parse(readFileSync(join(checkout, "test/simulators/macos/facts.json"), "utf8")) as Facts;

const prototypes = Object.entries(functions).flatMap(([framework, table]) =>
  Object.entries(table).map(([name, lowered]) => ({ name, framework, lowered })),
);

describe("what is bound is what Apple's headers say:", () => {
  test.each(prototypes)("$framework $name is $lowered", ({ name, framework, lowered }) => {
    expect(facts.functions[name]).toEqual({ framework, lowered });
  });

  test("every constant", () => {
    const known = Object.keys(constants).map((name) => [name, facts.constants[name]]);
    expect(Object.entries(constants)).toEqual(known);
  });

  test("every key code", () => {
    const known = Object.keys(keyCodes).map((name) => [name, facts.keyCodes[name]]);
    expect(Object.entries(keyCodes)).toEqual(known);
  });

  test("every Objective-C method's encoding", () => {
    const known = Object.keys(messages).map((name) => [name, facts.encodings[name]]);
    expect(Object.entries(messages)).toEqual(known);
  });

  test("every structure, by size and offsets, as koffi lays it out", async () => {
    await using simulator = await opened();
    openNative(() => simulator.library);
    for (const name of Object.keys(structs)) {
      const { size = 0, fields = {} } = facts.structs[name] ?? {};
      const laidOut = Object.keys(fields).map((field) => [field, koffi.offsetof(name, field)]);
      const known = Object.entries(fields).map(([field, place]) => [field, Number(place.split("@")[1])]);
      expect([name, koffi.sizeof(name), laidOut]).toEqual([name, size, known]);
    }
  });
});

test("no call passes more floating-point values than registers take, which koffi gets wrong on arm64", () => {
  const wide: Readonly<Record<string, number>> = { f32: 1, f64: 1, CGPoint: 2, CGSize: 2, CGRect: 4 };
  for (const { name, lowered } of prototypes) {
    const types = /\((.*)\)/.exec(lowered)?.[1]?.split(",") ?? [];
    expect([name, types.reduce((sum, type) => sum + (wide[type] ?? 0), 0) <= 8]).toEqual([name, true]);
  }
});

async function opened(): Promise<AsyncDisposable & { readonly library: string }> {
  const simulator = await openSimulator();
  return {
    library: simulator.env["HANDSIGHT_SIMULATED_FRAMEWORKS"] ?? "",
    async [Symbol.asyncDispose]() {
      await simulator.backend[Symbol.asyncDispose]();
    },
  };
}
