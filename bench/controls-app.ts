import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Toolkit } from "./editor.ts";
import { root } from "./paths.ts";

export interface ControlsApp extends AsyncDisposable {
  readonly pid: number;
  readonly title: string;
}

/** An app of test/fixtures, ready to be looked at. */
export async function openControls(
  toolkit: Toolkit,
  env: NodeJS.ProcessEnv,
  options: { readonly many?: number; readonly geometry: string },
): Promise<ControlsApp> {
  const title = `Bench ${toolkit} ${options.many ?? "controls"}`;
  const many = options.many === undefined ? [] : ["--many", String(options.many)];
  const file = join(root, "test", "fixtures", `${toolkit}_controls.py`);
  // The first python3 on PATH may be one without GTK and Qt bindings.
  const child = spawn("/usr/bin/python3", [file, "--title", title, "--geometry", options.geometry, ...many], {
    env: { ...env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    complaints = (complaints + chunk).slice(-2000);
  });
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if ((JSON.parse(line) as { readonly event: string }).event === "ready") resolve();
    });
    void ended.then(() => reject(new Error(`the ${toolkit} app ended: ${complaints.trim().split("\n").at(-1)}`)));
    setTimeout(() => reject(new Error(`the ${toolkit} app was not ready within 30 s`)), 30_000).unref();
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  try {
    await ready;
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, title, [Symbol.asyncDispose]: stop };
}
