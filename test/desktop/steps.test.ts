import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let folder: string;
let desktop: VirtualDesktop;
let handsight: Handsight;
let app: Fixture;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-steps-"));
  const own = { XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data") };
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  handsight = await startHandsight({ ...desktop.env, ...own });
  app = await startFixture("gtk3_controls", { env: desktop.env });
  await handsight.call("wait_for", { window_title: "GTK3 Controls" });
});
afterAll(async () => {
  await app?.stop();
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const pressed = () => app.events.filter(({ event }) => event === "pressed").length;
const run = (steps: readonly unknown[], more: object = {}, signal?: AbortSignal) =>
  handsight.ask("run_steps", { steps, ...more }, signal);

test("saves a letter with Save As in one call, and checks the file", async () => {
  const file = join(folder, "letter.txt");
  const { data, text } = await run([
    { launch: "mousepad" },
    { fill: { into: { role: "textbox" }, text: "Dear Ada" } },
    { click: "File" },
    { click: "Save As…" },
    { fill: { into: "Name", text: file } },
    { click: { role: "button", name: "Save" }, expect: { gone: { window: "Save As" } } },
    { expect: { file, contains: "Dear Ada" } },
    { read: { role: "textbox", as: "letter" } },
    { close: "mousepad" },
  ]);
  expect(text).toMatch(/^done: 9 steps\n/);
  expect(data).toMatchObject({ ok: true, ran: 9, read: { letter: "Dear Ada" } });
  expect(await readFile(file, "utf8")).toContain("Dear Ada");
});

test("stops at the first step that is not confirmed, and says what is there", async () => {
  const before = pressed();
  const { data, text, isError } = await run([{ click: "Press me" }, { click: "Do nothing" }, { click: "Press me" }]);
  expect(isError).toBe(false);
  expect(data).toMatchObject({ ok: false, ran: 1, total: 3, stopped: { step: 2, code: "no_change" } });
  expect(text).toMatch(/^stopped at step 2 of 3: no_change/);
  // Of a step that went well only the data speak.
  expect(text).not.toMatch(/^1 ✓/m);
  expect((data as { steps: unknown[] }).steps[0]).toMatchObject({ what: 'click "Press me"', effect: "confirmed" });
  expect(text).toMatch(/^2 ✗ click "Do nothing" no_change/m);
  expect(data["now"]).toMatchObject({ snapshot: expect.stringContaining('button "Press me"') });
  expect(pressed()).toBe(before + 1);
});

test("a target that does not come ends it with the names that are there", async () => {
  const { data } = await run([{ click: { role: "button", name: "Pres me" } }], { timeout_ms: 300 });
  expect(data).toMatchObject({
    stopped: { step: 1, code: "not_found", candidates: expect.arrayContaining(["Press me"]) },
  });
});

test("waits for what comes late, and does each thing once", async () => {
  const { data } = await run([
    { click: "Late" },
    { expect: { text: "Late 1" } },
    { click: "Open dialog", expect: { window: "Question" } },
    { click: { role: "button", name: "Yes", window: "Question" }, expect: { gone: { window: "Question" } } },
  ]);
  expect(data).toMatchObject({ ok: true, ran: 4 });
  expect(app.events.filter(({ event, name }) => event === "pressed" && name === "Late")).toHaveLength(1);
});

test("checks and unchecks only what is not so already, and fills natively or by typing", async () => {
  const box = { role: "checkbox", name: "Check me" };
  const { data, text } = await run([
    { check: box },
    { check: box },
    { expect: { checked: box } },
    { uncheck: box },
    { uncheck: box },
    { fill: { into: "Name", text: "Ada" } },
    { fill: { into: "Name", text: "Ada" } },
    { expect: { value: "Ada", of: { label: "Name" } } },
  ]);
  expect(data).toMatchObject({ ok: true, ran: 8 });
  expect(text).toMatch(/^2 ✓ check checkbox "Check me" is checked already$/m);
  expect((data as { steps: unknown[] }).steps[5]).toMatchObject({ effect: "confirmed", via: "set natively" });
  expect(text).toMatch(/^7 ✓ fill "Name" has it already$/m);
  const toggles = app.events.filter(({ event, name }) => event === "toggled" && name === "Check me");
  expect(toggles.map(({ on }) => on)).toEqual([true, false]);
});

test("refuses a list with a bad step before it does anything", async () => {
  const before = pressed();
  const { data, isError } = await run([
    { click: "Press me" },
    { clik: "Press me" },
    { fill: { into: "Name", txt: "a" } },
    { click: { css: "#a" } },
  ]);
  expect(isError).toBe(true);
  const { message } = data["error"] as { message: string };
  expect(message).toContain('step 2: unknown field "clik", did you mean "click"?');
  expect(message).toContain('step 3: fill: unknown field "txt", did you mean "text"?');
  expect(message).toContain('step 4: click: unknown field "css"');
  expect(pressed()).toBe(before);
});

describe("under the rules", () => {
  test("a tool that is denied ends the steps there; those before it are done", async () => {
    const rules = join(folder, "policy.json");
    await writeFile(rules, JSON.stringify({ rules: [{ tool: "press_key", verdict: "deny" }] }));
    const strict = await startHandsight(desktop.env, ["--rules", rules]);
    try {
      const before = pressed();
      const { data } = await strict.ask("run_steps", {
        steps: [{ click: "Press me" }, { press: "escape" }, { click: "Press me" }],
      });
      expect(data).toMatchObject({
        ran: 1,
        stopped: { step: 2, code: "denied", reason: expect.stringContaining("press_key") },
      });
      expect(pressed()).toBe(before + 1);
    } finally {
      await strict[Symbol.asyncDispose]();
    }
  });

  test("each step is in the journal under its own tool, and entered text nowhere else", async () => {
    await run([{ fill: { into: "Password", text: "steps-secret-1" } }]);
    const entries = await poll(
      async () => {
        const lines = (await readJournal()).filter((line) => line.includes('"act"'));
        return lines.length > 0 ? lines : undefined;
      },
      { timeoutMs: 5_000, everyMs: 50 },
    );
    expect(entries).toBeDefined();
    expect((await readJournal()).join("\n")).not.toContain("steps-secret-1");
  });
});

async function readJournal(): Promise<readonly string[]> {
  const files = (await readdir(handsight.runsDir, { recursive: true })).filter((file) => file.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((file) => readFile(join(handsight.runsDir, file), "utf8")));
  return texts.flatMap((text) => text.split("\n"));
}

test("cancelling ends the steps at once, and the next call is served", async () => {
  const before = pressed();
  const cancel = new AbortController();
  const running = run([{ click: "Press me" }, { wait: "30s" }, { click: "Press me" }], {}, cancel.signal);
  await poll(async () => (pressed() > before ? true : undefined), { timeoutMs: 10_000, everyMs: 20 });
  cancel.abort();
  await expect(running).rejects.toThrow(/abort/i);
  const { data } = await run([{ click: "Press me" }]);
  expect(data).toMatchObject({ ok: true });
  expect(pressed()).toBe(before + 2);
});

test("a hostile name cannot forge a line", async () => {
  const hostile = await startFixture("gtk3_hostile", { env: desktop.env });
  try {
    await handsight.call("wait_for", { pid: hostile.pid });
    const { text } = await run([{ click: "no such thing at all" }], { timeout_ms: 100 });
    const lines = text.split("\n");
    expect(lines.filter((line) => /^\d+ ✓/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("done:"))).toEqual([]);
  } finally {
    await hostile.stop();
  }
});
