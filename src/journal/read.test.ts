import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalEntry } from "./journal.ts";
import { parseRun } from "./read.ts";

const entry = fc.record({
  type: fc.constant("call" as const),
  step: fc.string(),
  at: fc.nat(),
  ms: fc.nat(),
  tool: fc.string({ unit: "grapheme" }),
  access: fc.constant("act"),
  arguments: fc.jsonValue(),
  ok: fc.boolean(),
  result: fc.string({ unit: "binary" }),
  artifacts: fc.array(fc.string()),
});

const lineOf = (value: JournalEntry): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
// What JSON cannot represent (lone surrogates in UTF-8, -0) is not tested here.
const asWritten = (value: JournalEntry): JournalEntry => JSON.parse(lineOf(value).toString()) as JournalEntry;

test("a file cut at any byte gives every complete entry before it and reports the rest", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), fc.nat(), (entries, where) => {
      const lines = entries.map(lineOf);
      const whole = Buffer.concat(lines);
      const cut = where % (whole.length + 1);
      let end = 0;
      let count = 0;
      // The line break is the last byte of a line, so a line without it is already complete.
      for (const line of lines) {
        if (end + line.length - 1 > cut) break;
        count++;
        end = Math.min(end + line.length, cut);
      }
      const record = parseRun(whole.subarray(0, cut));
      expect(record.entries).toEqual(entries.slice(0, count).map(asWritten));
      expect(record.tornBytes).toBe(cut - end);
      expect(record.badLines).toBe(0);
    }),
  );
});

test("a damaged line in the middle is skipped and counted", () => {
  const good = lineOf({
    type: "call",
    step: "s1",
    at: 1,
    ms: 1,
    tool: "t",
    access: "act",
    arguments: {},
    ok: true,
    result: {},
    artifacts: [],
  });
  const record = parseRun(Buffer.concat([good, Buffer.from('{"type":\nnull\n\n'), good]));
  expect(record.entries).toHaveLength(2);
  expect(record).toMatchObject({ badLines: 3, tornBytes: 0 });
});

test("an empty file is an empty record", () => {
  expect(parseRun(Buffer.alloc(0))).toEqual({ entries: [], tornBytes: 0, badLines: 0 });
});
