import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { kill } from "./xvfb.ts";
import { removeFolder } from "./remove-folder.ts";

interface Reply {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export interface HeadlessBrowser extends AsyncDisposable {
  /** Sends one DevTools protocol command. */
  send(method: string, params?: object, sessionId?: string): Promise<Readonly<Record<string, unknown>>>;
}

/** Our own headless Chromium, controlled over its pipe: no port, no library. */
export async function startHeadlessBrowser(env: NodeJS.ProcessEnv = {}): Promise<HeadlessBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "handsight-pages-"));
  const child = spawn(
    "chromium",
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-extensions",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  await once(child, "spawn");
  const [toBrowser, fromBrowser] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  let pending: Buffer[] = [];
  fromBrowser.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      const reply = JSON.parse(Buffer.concat([...pending, chunk.subarray(from, end)]).toString()) as Reply;
      pending = [];
      from = end + 1;
      if (reply.id !== undefined) waiting.get(reply.id)?.resolve(reply);
    }
    pending.push(chunk.subarray(from));
  });
  toBrowser.on("error", () => {});
  child.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("Chromium ended"));
  });
  let last = 0;
  return {
    async send(method, params = {}, sessionId) {
      const id = ++last;
      const replied = new Promise<Reply>((resolve, reject) => waiting.set(id, { resolve, reject }));
      toBrowser.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
      const { result, error } = await replied.finally(() => waiting.delete(id));
      if (error) throw new Error(`${method}: ${error.message}`);
      return result ?? {};
    },
    async [Symbol.asyncDispose]() {
      await kill(child);
      await removeFolder(profile);
    },
  };
}
