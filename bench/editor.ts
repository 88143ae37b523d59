import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { now } from "./measure.ts";
import { root } from "./paths.ts";

export const toolkits = ["gtk3", "gtk4", "qt5", "qt6"] as const;
export type Toolkit = (typeof toolkits)[number];

export interface Editor extends AsyncDisposable {
  readonly text: string;
  /** When the text became this, or undefined when it stayed different for as long as `quietMs` without a change. */
  becomes(text: string, quietMs: number): Promise<number | undefined>;
}

interface Said {
  readonly event: string;
  readonly text?: string;
}

/** A text editor of test/fixtures, with the focus. It tells its whole text whenever that changes. */
export async function openEditor(toolkit: Toolkit, env: NodeJS.ProcessEnv): Promise<Editor> {
  // The first python3 on PATH may be one without GTK and Qt bindings.
  const child = spawn("/usr/bin/python3", [join(root, "test", "fixtures", `${toolkit}_editor.py`)], {
    env: { ...env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaints = (complaints + chunk).slice(-2000);
  });
  let text = "";
  let changedAt = now();
  let wake = () => {};
  const focused = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as Said;
      if (said.event === "focus") resolve();
      if (said.event !== "text") return;
      text = said.text ?? "";
      changedAt = now();
      wake();
    });
    void ended.then(() => reject(new Error(`the ${toolkit} editor ended: ${complaints.trim().split("\n").at(-1)}`)));
    setTimeout(() => reject(new Error(`the ${toolkit} editor got no focus within 20 s`)), 20_000).unref();
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  try {
    await focused;
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get text() {
      return text;
    },
    async becomes(wanted, quietMs) {
      const since = now();
      for (;;) {
        if (text === wanted) return changedAt;
        const left = Math.max(changedAt, since) + quietMs - now();
        if (left <= 0 || child.exitCode !== null) return undefined;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    [Symbol.asyncDispose]: stop,
  };
}
