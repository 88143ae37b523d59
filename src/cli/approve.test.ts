import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { approve, type Terminal } from "./approve.ts";

function terminal(armMs = 0): Terminal & { readonly input: PassThrough; shown(): string } {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { input, output, armMs, shown: () => text } as unknown as ReturnType<typeof terminal>;
}

const shown = (tty: { shown(): string }) => vi.waitUntil(() => tty.shown().includes("[n] no: "));
const never = new AbortController().signal;

const question = { text: "Allow?", offers: ["once", "tool", "session", "deny"] } as const;

test.each([
  ["y", "once"],
  [" YES ", "once"],
  ["s", "session"],
  ["n", "deny"],
] as const)("%j means %s", async (line, meant) => {
  const tty = terminal();
  const answer = approve(question, never, tty);
  await shown(tty);
  tty.input.write(`${line}\n`);
  expect(await answer).toBe(meant);
});

test("what was typed before the choices are shown is not an answer", async () => {
  const tty = terminal(30);
  tty.input.write("s\n");
  const answer = approve(question, never, tty);
  await shown(tty);
  tty.input.write("n\n");
  expect(await answer).toBe("deny");
});

test("what a slow terminal delivers late is not an answer either", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const tty = terminal(600);
  const answer = approve(question, never, tty);
  for (let late = 0; late < 5; late++) {
    tty.input.write("y\n");
    await vi.advanceTimersByTimeAsync(400);
    expect(tty.shown()).not.toContain("[y] yes");
  }
  await vi.advanceTimersByTimeAsync(600);
  expect(tty.shown()).toContain("[y] yes");
  tty.input.write("n\n");
  expect(await answer).toBe("deny");
});

test("looking is offered for the session only, and a plain yes means that", async () => {
  const tty = terminal();
  const answer = approve({ text: "Look?", offers: ["session", "deny"] }, never, tty);
  await shown(tty);
  tty.input.write("perhaps\ny\n");
  expect(await answer).toBe("session");
  expect(tty.shown()).toBe("Look?\n[y] yes   [n] no: [y] yes   [n] no: ");
  const second = terminal();
  const again = approve({ text: "Look?", offers: ["session", "deny"] }, never, second);
  await shown(second);
  second.input.write("s\n");
  expect(await again).toBe("session");
});

test("after an unclear answer it asks again, a clear one is returned", async () => {
  const tty = terminal();
  const answer = approve({ ...question, text: "Allow \u001B[31mthis?" }, never, tty);
  await shown(tty);
  tty.input.write("perhaps\n\ny\n");
  expect(await answer).toBe("once");
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
