import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { approve, type Terminal } from "./approve.ts";

function terminal(): Terminal & { readonly input: PassThrough; shown(): string } {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { input, output, shown: () => text } as unknown as ReturnType<typeof terminal>;
}

const never = new AbortController().signal;

const question = { text: "Allow?", offers: ["once", "tool", "session", "deny"] } as const;

test.each([
  ["y", "once"],
  [" YES ", "once"],
  ["s", "session"],
  ["n", "deny"],
] as const)("%j means %s", async (line, answer) => {
  const tty = terminal();
  tty.input.write(`${line}\n`);
  expect(await approve(question, never, tty)).toBe(answer);
});

test("looking is offered for the session only, and a plain yes means that", async () => {
  const tty = terminal();
  tty.input.write("perhaps\ny\n");
  expect(await approve({ text: "Look?", offers: ["session", "deny"] }, never, tty)).toBe("session");
  expect(tty.shown()).toBe("Look?\n[y] yes   [n] no: [y] yes   [n] no: ");
  tty.input.write("s\n");
  expect(await approve({ text: "Look?", offers: ["session", "deny"] }, never, tty)).toBe("session");
});

test("an unclear answer is asked again, a clear one returned", async () => {
  const tty = terminal();
  tty.input.write("perhaps\n\ny\n");
  expect(await approve({ ...question, text: "Allow \u001B[31mthis?" }, never, tty)).toBe("once");
  expect(tty.shown().match(/\[y\] yes/g)).toHaveLength(3);
  expect(tty.shown()).toContain("Allow \\u{1b}[31mthis?");
});

test("a closed input is a no", async () => {
  const tty = terminal();
  const answer = approve(question, never, tty);
  tty.input.end();
  expect(await answer).toBe("deny");
});

test("Ctrl-C while asking cancels", async () => {
  const tty = terminal();
  const interrupt = new AbortController();
  const answer = approve(question, interrupt.signal, tty);
  interrupt.abort();
  await expect(answer).rejects.toMatchObject({ code: "cancelled" });
});
