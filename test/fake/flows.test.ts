import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openFakeSession } from "../support/fake-session.ts";

const folder = mkdtempSync(join(tmpdir(), "handsight-fake-flows-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const editor = { id: 1, title: "Editor" };

test("a demonstration whose time is over listens no longer, and its flow waits to be fetched", async () => {
  const { call, backend } = openFakeSession({ windows: [editor] }, { tools: "all" });
  await call("start_demonstration", { max_duration_ms: 1_000 });
  expect(backend.desktop.heard.size).toBeGreaterThan(0);
  await expect.poll(() => backend.desktop.heard.size, { timeout: 5_000 }).toBe(0);
  expect(await call("stop_demonstration")).toMatchObject({ ended: "max_duration", steps: 0 });
});

test("a demonstration is not begun if its flow could not be written", async () => {
  const { call, backend } = openFakeSession({ windows: [editor] }, { tools: "all" });
  for (const file_path of [join(folder, "flow.txt"), join(folder, "nowhere", "a.flow.yaml")]) {
    await expect(call("start_demonstration", { file_path })).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_argument|not_found/) as string,
    });
  }
  expect(backend.desktop.heard.size).toBe(0);
});

test("a step that does not exist is refused before anything is done, as the first and as the last one", async () => {
  const { call, backend } = openFakeSession({ windows: [editor] }, { tools: "all" });
  const file = put("keys.flow.yaml", "flow: 1\nsteps:\n  - press: a\n");
  for (const part of [{ from: "sav" }, { until: "sav" }]) {
    expect(await call("run_flow", { file, ...part })).toMatchObject({
      ok: false,
      runs: [{ steps: [], failed: { code: "invalid_argument" } }],
    });
  }
  expect(backend.desktop.events.filter((line) => line.startsWith("key"))).toEqual([]);
});

test("the files that a flow names are read only where the rules permit it", async () => {
  put("private.csv", "name\nAda\n");
  const file = put("data.flow.yaml", "flow: 1\ndata: private.csv\nsteps:\n  - press: a\n");
  const rules = put("rules.json", JSON.stringify({ files: { read: [file] } }));
  const { outcome } = openFakeSession({ windows: [editor] }, { tools: "all", rules });
  for (const tool of ["check_flow", "run_flow"]) {
    const done = await outcome(tool, { file });
    expect(done).toMatchObject({
      kind: "failed",
      envelope: { error: { code: "denied", message: expect.stringContaining("private.csv") as string } },
    });
  }
});
