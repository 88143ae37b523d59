import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { approve, readAnswer, type Terminal } from "./approve.ts";

function terminal(): Terminal & { readonly input: PassThrough; shown(): string } {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { input, output, shown: () => text } as unknown as ReturnType<typeof terminal>;
}

const never = new AbortController().signal;

test.each([
  ["y", "once"],
  [" YES ", "once"],
  ["s", "session"],
  ["n", "deny"],
  ["", undefined],
  ["sure", undefined],
] as const)("%j means %s", (line, answer) => {
  expect(readAnswer(line)).toBe(answer);
});

test("an unclear answer is asked again, a clear one returned", async () => {
  const tty = terminal();
  tty.input.write("perhaps\n\ny\n");
  expect(await approve("Allow \u001B[31mthis?", never, tty)).toBe("once");
  expect(tty.shown().match(/\[y\] yes/g)).toHaveLength(3);
  expect(tty.shown()).toContain("Allow \\u{1b}[31mthis?");
});

test("a closed input is a no", async () => {
  const tty = terminal();
  const answer = approve("Allow?", never, tty);
  tty.input.end();
  expect(await answer).toBe("deny");
});

test("Ctrl-C while asking cancels", async () => {
  const tty = terminal();
  const interrupt = new AbortController();
  const answer = approve("Allow?", interrupt.signal, tty);
  interrupt.abort();
  await expect(answer).rejects.toMatchObject({ code: "cancelled" });
});
