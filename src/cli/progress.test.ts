import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openProgress, progressText } from "./progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function terminal(isTTY: boolean): { readonly stream: NodeJS.WriteStream; readonly shown: () => string } {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 40 });
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { stream: stream as unknown as NodeJS.WriteStream, shown: () => text };
}

test("nothing is shown during the first second, then how far it is and how long it took", () => {
  const { stream, shown } = terminal(true);
  const line = openProgress("Waiting", stream);
  line.report({ done: 2, total: 5, message: "for the window" });
  vi.advanceTimersByTime(900);
  expect(shown()).toBe("");
  vi.advanceTimersByTime(1_200);
  expect(shown()).toContain("Waiting 2/5 for the window  2 s");
  line[Symbol.dispose]();
  expect(shown().endsWith("\r\u001B[K")).toBe(true);
});

test("nothing is drawn over a question that waits for its answer", async () => {
  const { stream, shown } = terminal(true);
  using line = openProgress("Click", stream);
  vi.advanceTimersByTime(2_000);
  let answer = (): void => {};
  const asking = line.without(() => {
    stream.write("[y] yes   [n] no: ");
    return new Promise<void>((resolve) => (answer = resolve));
  });
  vi.advanceTimersByTime(5_000);
  expect(shown().endsWith("\r\u001B[K[y] yes   [n] no: ")).toBe(true);
  answer();
  await asking;
  vi.advanceTimersByTime(300);
  expect(shown()).toContain("Click …  7 s");
});

test("shows nothing if nobody is watching", () => {
  const { stream, shown } = terminal(false);
  using _line = openProgress("Waiting", stream);
  vi.advanceTimersByTime(5_000);
  expect(shown()).toBe("");
});

test("a message from the screen cannot move the cursor", () => {
  expect(progressText("Click", { done: 1, message: "a\u001B[2Jb" })).toBe("Click 1 a\\u{1b}[2Jb");
});
