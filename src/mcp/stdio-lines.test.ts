import { expect, test } from "vitest";
import { StdioLines, type DroppedLine } from "./stdio-lines.ts";

/** Feeds the input in pieces of this size, and returns the lines and what was dropped. */
function feed(input: string, pieceBytes: number, maxBytes = 60) {
  const lines: string[] = [];
  const dropped: DroppedLine[] = [];
  const stream = new StdioLines(maxBytes, (line) => dropped.push(line));
  stream.on("data", (line: Buffer) => lines.push(line.toString()));
  const bytes = Buffer.from(input);
  for (let at = 0; at < bytes.length; at += pieceBytes) stream.write(bytes.subarray(at, at + pieceBytes));
  return { lines, dropped };
}

const long = "x".repeat(100);

test.each([1, 2, 7, 1_000])("complete lines come out, even from pieces of %i", (size) => {
  const { lines, dropped } = feed('{"a":1}\n\n{"é":2}\r\nunfinished', size);
  expect(lines).toEqual(['{"a":1}\n', "\n", '{"é":2}\r\n']);
  expect(dropped).toEqual([]);
});

test.each([
  [`{"jsonrpc":"2.0","id":7,"method":"${long}"}`, 7],
  [`{"method":"${long}","params":{"id":1},"jsonrpc":"2.0","id":"seven"}`, "seven"],
  [`  { "params" : { "id" : [1] , "b" : "${long}" } , "id" : 7 }  `, 7],
  [`{"params":"\\"id\\":5,${long}","id":8}`, 8],
  [`{"params":"\\\\","id":9,"b":"{[${long}"}`, 9],
  [`{"id":10,"b":["}",${JSON.stringify(long)},"id",11]}`, 10],
  [`{"method":"${long}"}`, undefined],
  [`{"id":null,"method":"${long}"}`, undefined],
  [`{"id":{"id":1},"method":"${long}"}`, undefined],
  [`[{"id":1,"method":"${long}"}]`, undefined],
  [`${long}"id":1`, undefined],
  [`${"]".repeat(100)}{"id":1}`, undefined],
])("finds the id of a line that is too long: %s", (line, id) => {
  for (const size of [1, 3, 1_000]) {
    const { lines, dropped } = feed(`{"a":1}\n${line}\n{"b":2}\n`, size);
    expect(lines).toEqual(['{"a":1}\n', '{"b":2}\n']);
    expect(dropped).toEqual([{ bytes: line.length + 1, id }]);
  }
});
