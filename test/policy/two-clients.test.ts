import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

const hammerMs = Number(process.env["HANDSIGHT_TEST_HAMMER_MS"] ?? 10_000);

test(
  "two clients hammering one desktop: every action's effect belongs to its caller",
  async () => {
    await using desktop = await openVirtualDesktop({ width: 1_000, height: 700, monitors: 1, scale: 1 });
    await using alphaApp = await startFixture("gtk3_editor", { env: desktop.env, args: ["--title", "Alpha"] });
    await using betaApp = await startFixture("gtk3_editor", { env: desktop.env, args: ["--title", "Beta"] });
    await using alpha = await startHandsight(desktop.env);
    await using beta = await startHandsight(desktop.env);
    for (const app of [alphaApp, betaApp]) await app.waitFor(({ event }) => event === "focus");
    const end = performance.now() + hammerMs;
    const hammer = async (handsight: Handsight, title: string, word: string): Promise<number> => {
      let done = 0;
      while (performance.now() < end) {
        const { isError, data } = await handsight.ask("type_text", { window_title: title, text: word, settle_ms: 0 });
        expect(isError, JSON.stringify(data)).toBe(false);
        done++;
      }
      return done;
    };
    const [a, b] = await Promise.all([hammer(alpha, "Alpha", "alphabetic"), hammer(beta, "Beta", "BETABLOCKER")]);
    expect(await textOf(alphaApp, a * "alphabetic".length)).toBe("alphabetic".repeat(a));
    expect(await textOf(betaApp, b * "BETABLOCKER".length)).toBe("BETABLOCKER".repeat(b));
    // Fair: neither had to wait while the other kept going.
    expect(Math.min(a, b) / Math.max(a, b)).toBeGreaterThan(0.5);
    console.log(`${a} and ${b} texts in ${hammerMs} ms`);
  },
  hammerMs + 60_000,
);

async function textOf(app: Fixture, length: number): Promise<string | undefined> {
  const { text } = await app.waitFor((event) => event.event === "text" && (event.text?.length ?? 0) >= length);
  return text;
}

test("a client that waits too long learns who has the desktop, whatever TMPDIR, XDG_RUNTIME_DIR and DISPLAY say", async () => {
  await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  const elsewhere = await mkdtemp(join(tmpdir(), "handsight-elsewhere-"));
  await using holder = await startHandsight({
    ...desktop.env,
    TMPDIR: elsewhere,
    XDG_RUNTIME_DIR: elsewhere,
    DISPLAY: `unix${desktop.display}.0`,
  });
  await using waiter = await startHandsight({ ...desktop.env, HANDSIGHT_RULES: await impatient() });
  const drag = holder.ask("drag", {
    start_x: 100,
    start_y: 100,
    end_x: 300,
    end_y: 300,
    steps: 60,
    step_ms: 50,
    settle_ms: 0,
  });
  await expect
    .poll(async () => (await waiter.ask("move_mouse", { x: 5, y: 5 })).data, { timeout: 10_000 })
    .toMatchObject({
      error: {
        code: "timeout",
        message: expect.stringMatching(/test-client 1\.0\.0 \(pid \d+\), which has been in drag/) as string,
      },
    });
  expect((await waiter.ask("get_mouse_position")).isError).toBe(false);
  expect((await drag).isError).toBe(false);
  expect((await waiter.ask("move_mouse", { x: 5, y: 5 })).isError).toBe(false);
});

async function impatient(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "handsight-rules-")), "policy.json");
  await writeFile(file, '{"turnSeconds": 0.2}');
  return file;
}
