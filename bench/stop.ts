import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeVariable } from "../src/base/runtime.ts";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { poll } from "../src/base/async.ts";
import { resumeAll, stopAll } from "../src/base/stop.ts";
import { openConnection } from "../src/platform/linux/x11/open.ts";
import { queryKeymap, queryPointer } from "../src/platform/linux/x11/requests.ts";
import { openEditor, type Editor } from "./editor.ts";
import type { Group } from "./group.ts";
import { productEntry } from "./mcp-client.ts";
import { now, type Row } from "./measure.ts";
import { atMost, type Table } from "./report.ts";
import { openDesktop } from "./scene.ts";

const runs = 50;
const limitMs = 200;
const longDrag = { start_x: 300, start_y: 300, end_x: 600, end_y: 500, steps: 200, step_ms: 100, settle_ms: 0 };
const longText = { text: "Ab".repeat(5_000), settle_ms: 0 };

/** From the order to stop until nothing is held any more and the call has ended; no peer has anything like it. */
export const stop: Group = async ({ tell }) => {
  await using desktop = await openDesktop();
  const c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
  const base = mkdtempSync(join(tmpdir(), "handsight-bench-stop-"));
  const [session, shared] = ["run", "tmp"].map((name) => join(base, name)) as [string, string];
  for (const folder of [session, shared]) mkdirSync(folder, { mode: 0o700 });
  const folders = [join(session, "handsight"), join(shared, `handsight-${process.getuid?.()}`)];
  const env = { ...desktop.env, XDG_RUNTIME_DIR: session, TMPDIR: shared, [placeVariable]: join(shared, "place") };
  const client = new Client({ name: "bench", version: "1" });
  const args = [productEntry, "mcp", "--policy", "allow", "--runs-dir", join(base, "runs")];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: definite(env), stderr: "ignore" }),
  );
  const isFree = async (): Promise<true | undefined> => {
    const [{ mask }, keys] = await Promise.all([queryPointer(c), queryKeymap(c)]);
    return (mask & 0x1f00) === 0 && keys.every((byte) => byte === 0) ? true : undefined;
  };
  const measure = async (name: string, call: () => Promise<unknown>, begun: () => Promise<unknown>): Promise<Row[]> => {
    tell(`${runs} stops of ${name}`);
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      const calling = call();
      await begun();
      const started = now();
      stopAll(folders);
      const [ended] = await Promise.all([calling, until(isFree)]);
      if (!JSON.stringify(ended).includes("emergency stop"))
        throw new Error(`${name} was not stopped: ${JSON.stringify(ended)}`);
      times.push(now() - started);
      resumeAll(folders);
    }
    times.sort((a, b) => a - b);
    const row = { kind: "ours", unit: "ms", runs, failures: 0 } as const;
    return [
      { ...row, name: `${name}, slowest of ${runs}`, p50: times.at(-1), min: times[0] },
      { ...row, name: `${name}, middle`, p50: times[Math.floor(runs / 2)], min: times[0] },
    ];
  };
  try {
    const held = async () => ((await isFree()) ? undefined : true);
    const drag = await measure(
      "a drag",
      () => client.callTool({ name: "drag", arguments: longDrag }),
      () => until(held),
    );
    // A new one each time: what was sent before a stop arrives after it.
    let editor: Editor | undefined;
    const typing = await measure(
      "typing 10 000 characters",
      async () => {
        const last = editor;
        // At once: the text in the last one is no sign that this typing has begun.
        editor = undefined;
        await last?.[Symbol.asyncDispose]();
        editor = await openEditor("gtk3", env);
        return client.callTool({ name: "type_text", arguments: longText });
      },
      () => until(async () => ((editor?.text.length ?? 0) > 20 ? true : undefined)),
    );
    await editor?.[Symbol.asyncDispose]();
    const rows = [...drag, ...typing];
    const slowest = rows.filter(({ name }) => name.includes("slowest"));
    const table: Table = { title: "The emergency stop", rows, verdicts: slowest.map((row) => atMost(row, limitMs)) };
    return [table];
  } finally {
    await client.close();
    c.close();
    rmSync(base, { recursive: true, force: true });
  }
};

async function until(ask: () => Promise<true | undefined>): Promise<void> {
  if (!(await poll(ask, { timeoutMs: 20_000, everyMs: 1 }))) throw new Error("it did not happen within 20 s");
}

const definite = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
