import type { Progress } from "../tools/tool.ts";
import type { Output } from "./caller.ts";
import { printable } from "./text.ts";

const patienceMs = 1_000;
const everyMs = 250;

export interface ProgressLine extends Disposable {
  report(progress: Progress): void;
  /** Hides the line meanwhile: drawn over a question, it would erase the choices. */
  without<T>(run: () => Promise<T>): Promise<T>;
}

/** One line on a terminal's stderr for anything that takes longer than a second; nothing elsewhere. */
export function openProgress(what: string, stream: Output = process.stderr): ProgressLine {
  const started = performance.now();
  let latest: Progress | undefined;
  let isShown = false;
  let isPaused = false;
  const clear = (): void => {
    if (isShown) stream.write("\r\u001B[K");
    isShown = false;
  };
  const draw = (): void => {
    const seconds = (performance.now() - started) / 1_000;
    if (seconds * 1_000 < patienceMs || isPaused) return;
    clear();
    const line = `${progressText(what, latest)}  ${seconds.toFixed(0)} s`;
    stream.write(line.slice(0, (stream.columns || 80) - 1));
    isShown = true;
  };
  const timer = stream.isTTY ? setInterval(draw, everyMs) : undefined;
  timer?.unref();
  return {
    report: (progress) => {
      latest = progress;
    },
    async without(run) {
      clear();
      isPaused = true;
      try {
        return await run();
      } finally {
        isPaused = false;
      }
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      clear();
    },
  };
}

export function progressText(what: string, progress: Progress | undefined): string {
  if (progress === undefined) return `${what} …`;
  const { done, total, message } = progress;
  const count = total === undefined ? String(done) : `${done}/${total}`;
  return printable(`${what} ${count}${message === undefined ? "" : ` ${message}`}`);
}
