import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { clientMessage, configureWindow, queryTree, sendEvent } from "../../src/platform/linux/x11/requests.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { countSecretPixels, jpegTolerance, secretColour } from "../support/secret-pixels.ts";
import { openTestWindow } from "../support/windows.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const captures = Number(process.env["HANDSIGHT_TEST_CAPTURES"] ?? 200);

describe("a blocked window", () => {
  let desktop: Awaited<ReturnType<typeof openVirtualDesktop>>;
  let c: Connection;
  let handsight: Handsight;
  let blocked: number;
  let open: number;
  const folder = mkdtempSync(join(tmpdir(), "handsight-blocked-"));

  beforeAll(async () => {
    desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 2, scale: 1 });
    c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
    const place = { x: 100, y: 80, width: 300, height: 200 };
    blocked = await openTestWindow(c, { ...place, title: "My Passwords", className: "Vault", colour: secretColour });
    open = await openTestWindow(c, { x: 250, y: 150, width: 300, height: 200, title: "Editor", colour: 0x335577 });
    handsight = await startHandsight(desktop.env);
    await handsight.call("wait_for", { window_title: "Editor" });
  });
  afterAll(async () => {
    await handsight[Symbol.asyncDispose]();
    c.close();
    await desktop[Symbol.asyncDispose]();
    removeFolderNow(folder);
  });

  const moveTo = (x: number, y: number) => configureWindow(c, blocked, { x, y });
  const activate = async (window: number): Promise<void> => {
    const atoms = await c.atoms("_NET_ACTIVE_WINDOW");
    const message = clientMessage(window, atoms._NET_ACTIVE_WINDOW, [2, 0, 0]);
    await sendEvent(c, message, { to: c.root, mask: (1 << 19) | (1 << 20) });
  };

  test(
    "leaves no pixel in any picture: covered, moving, on the second monitor [S1-99]",
    { timeout: 180_000 },
    async () => {
      const areas = [
        { mode: "screen" },
        { mode: "display", display_id: 1 },
        { mode: "region", x: 0, y: 0, width: 1_600, height: 600 },
        { mode: "region", x: 120, y: 100, width: 50, height: 50 },
      ];
      const { displays } = await handsight.call("list_displays");
      const second = (displays as { id: number; bounds: { x: number } }[]).find(({ bounds }) => bounds.x >= 800)?.id;
      let step = 0;
      const mover = setInterval(() => {
        step += 37;
        void moveTo((step * 13) % 1_400, (step * 7) % 420);
        if (step % 3 === 0) void configureWindow(c, open, { stackMode: 0 });
      }, 3);
      try {
        let masked = 0;
        for (let shot = 0; shot < captures; shot++) {
          const area = areas[shot % areas.length];
          const where = area?.mode === "display" ? { mode: "display", display_id: second } : area;
          const { data, images, isError } = await handsight.ask("take_screenshot", {
            ...where,
            format: "png",
            max_side: 8_000,
            max_bytes: 3_000_000,
          });
          expect(isError, JSON.stringify(data)).toBe(false);
          expect(await countSecretPixels(images[0] ?? Buffer.alloc(0))).toBe(0);
          if (data["masked"] !== undefined) masked++;
        }
        expect(masked).toBeGreaterThan(captures / 4);
      } finally {
        clearInterval(mover);
        await moveTo(100, 80);
        await c.sync();
      }
    },
  );

  test(
    "leaves no pixel in a recording: covering others, moving, on the second monitor, in front itself [S1-99]",
    { timeout: 180_000 },
    async () => {
      const out = join(folder, "recording");
      await activate(open);
      await handsight.call("start_recording", { output_dir: out, fps: 30, max_duration_ms: 120_000 });
      const frames = () => readdirSync(out).filter((name) => name.endsWith(".jpg"));
      let step = 0;
      const mover = setInterval(() => {
        step += 37;
        void moveTo((step * 13) % 1_400, (step * 7) % 420);
        void configureWindow(c, blocked, { stackMode: 0 });
        // The keyboard focus alternates between the two.
        if (step % 20 === 0) void activate(step % 40 === 0 ? blocked : open);
      }, 5);
      let recorded: { frames: { path: string; window_id: number }[]; skipped: { blocked: number }; ended: string };
      try {
        await expect
          .poll(() => frames().length, { timeout: 100_000, interval: 200 })
          .toBeGreaterThanOrEqual(captures / 2);
      } finally {
        clearInterval(mover);
        recorded = (await handsight.call("stop_recording")) as unknown as typeof recorded;
        await moveTo(100, 80);
        await c.sync();
      }
      expect(recorded.ended).toBe("stopped");
      expect(recorded.skipped.blocked).toBeGreaterThan(0);
      expect(recorded.frames.map(({ path }) => path).toSorted()).toEqual(frames().map((name) => join(out, name)));
      for (const { path, window_id } of recorded.frames) {
        expect(window_id).toBe(open);
        expect(await countSecretPixels(path, jpegTolerance)).toBe(0);
      }
    },
  );

  test(
    "none of its words can be read, anywhere, by any tool that reads pictures [S1-101]",
    { timeout: 180_000 },
    async () => {
      const args = ["--title", "Passwords of Ann"];
      await using _app = await startFixture("gtk3_painted", { env: desktop.env, args });
      const words = /high|scores|start|game|ready/i;
      const rules = join(folder, "all-open.json");
      writeFileSync(rules, '{"blockedWindowPatterns": []}');
      await using unguarded = await startHandsight(desktop.env, ["--rules", rules, "--ocr", "on"]);
      await using guarded = await startHandsight(desktop.env, ["--ocr", "on"]);
      await unguarded.call("wait_for", { window_title: args[1], timeout_ms: 30_000 });
      const { windows } = await unguarded.call("list_windows");
      const id =
        (windows as { window_id: number; title: string }[]).find(({ title }) => title === args[1])?.window_id ?? 0;
      const read = async (handsight: Handsight, tool: string, where: object) => {
        const { isError, data, text: told } = await handsight.ask(tool, where);
        expect(isError, JSON.stringify(data)).toBe(false);
        return JSON.stringify([data, told]);
      };
      await expect.poll(() => read(unguarded, "ocr", { mode: "screen" }), { timeout: 60_000 }).toMatch(words);
      let step = 0;
      const mover = setInterval(() => {
        step += 41;
        void configureWindow(c, id, { x: (step * 13) % 1_200, y: (step * 7) % 300 });
      }, 5);
      try {
        for (let round = 0; round < Math.ceil(captures / 50); round++) {
          const reads: [string, object][] = [
            ["take_screenshot", { mode: "screen" }],
            ["ocr", { mode: "screen" }],
            ["mark_regions", { mode: "screen" }],
          ];
          for (const [tool, where] of reads) expect(await read(guarded, tool, where), tool).not.toMatch(words);
          // Refused while the blocked window is the active one.
          const { data } = await guarded.ask("find_text", { text: "High scores" });
          expect(data["matches"] ?? []).toEqual([]);
        }
      } finally {
        clearInterval(mover);
      }
    },
  );

  test("the colour is there to be found where nothing is blocked", async () => {
    const rules = join(folder, "open.json");
    writeFileSync(rules, '{"blockedWindowPatterns": []}');
    await using unguarded = await startHandsight(desktop.env, ["--rules", rules]);
    const { images, data } = await unguarded.ask("take_screenshot", { mode: "screen", format: "png", max_side: 8_000 });
    expect(await countSecretPixels(images[0] ?? Buffer.alloc(0))).toBeGreaterThan(1_000);
    expect(data["masked"]).toBeUndefined();
    await activate(blocked);
    await unguarded.call("wait_for", { condition: "window_active", window_id: blocked });
    await unguarded.call("start_recording", { output_dir: join(folder, "unguarded") });
    const { frames } = await unguarded.call("stop_recording");
    const [frame] = frames as { path: string }[];
    expect(await countSecretPixels(frame?.path ?? "", jpegTolerance)).toBeGreaterThan(1_000);
  });

  test("cannot be captured, used or read, by any name it has or at its place [S1-95, S1-96, S1-101]", async () => {
    const tree = await queryTree(c, blocked);
    const attempts: [string, object, string][] = [
      ["take_screenshot", { window_title: "My Passwords" }, "not_found"],
      ["take_screenshot", { app_name: "Vault" }, "not_found"],
      ["take_window_screenshot", { window_id: blocked }, "window_gone"],
      ["focus_window", { window_id: blocked }, "window_gone"],
      ["focus_window", { window_title: "passwords" }, "not_found"],
      ["set_window", { action: "move", window_id: blocked, x: 0, y: 0 }, "window_gone"],
      ["set_window", { action: "close", window_title: "My Passwords" }, "not_found"],
      ["click", { x: 130, y: 130 }, "denied"],
      ["click", { window_id: blocked, window_x: 5, window_y: 30 }, "window_gone"],
      ["move_mouse", { x: 130, y: 130 }, "denied"],
      ["scroll", { x: 130, y: 130, delta_y: 100 }, "denied"],
      ["drag", { start_x: 700, start_y: 500, end_x: 130, end_y: 130 }, "denied"],
      ["element_at_point", { x: 130, y: 130 }, "denied"],
      ["take_ax_snapshot", { window_id: blocked }, "window_gone"],
      ["type_text", { text: "x", window_title: "My Passwords" }, "not_found"],
    ];
    for (const [tool, args, code] of attempts) {
      const { isError, data } = await handsight.ask(tool, args);
      expect([tool, isError, data]).toMatchObject([tool, true, { error: { code } }]);
      // At its place the refusal names the rule, but not the pattern, which would tell a part of the title.
      const message = (data["error"] as { message: string }).message;
      if (code === "denied") expect(message).toMatch(/ blockedWindowPatterns\.$/);
    }
    // To X the window manager's frame around it is the same window.
    expect((await handsight.ask("take_window_screenshot", { window_id: tree.parent })).isError).toBe(true);
  });

  test("is listed without its title", async () => {
    const { windows } = await handsight.call("list_windows");
    const own = (windows as { window_id: number }[]).find(({ window_id }) => window_id === blocked);
    expect(own).toMatchObject({ title: "[blocked]", is_blocked: true });
    expect(JSON.stringify(windows)).not.toContain("My Passwords");
  });

  test("with the keyboard focus gets no key", async () => {
    await handsight.call("focus_window", { window_id: open });
    await activate(blocked);
    const active = async () => (await handsight.call("get_active_window"))["window"];
    await expect.poll(active, { timeout: 10_000 }).toMatchObject({ window_id: blocked, is_blocked: true });
    for (const [tool, args] of [
      ["type_text", { text: "secret" }],
      ["press_key", { key: "a" }],
    ] as const) {
      expect((await handsight.ask(tool, args)).data).toMatchObject({ error: { code: "denied" } });
    }
  });

  test("only windows that are allowed can be used", async () => {
    const rules = join(folder, "allowed.json");
    writeFileSync(rules, '{"allowedWindowPatterns": ["Edit*"], "blockedWindowPatterns": []}');
    await using guarded = await startHandsight(desktop.env, ["--rules", rules]);
    expect((await guarded.ask("take_screenshot", { window_id: open })).isError).toBe(false);
    expect((await guarded.ask("take_screenshot", { window_id: blocked })).data).toMatchObject({
      error: { code: "window_gone" },
    });
    expect((await guarded.ask("click", { x: 110, y: 130 })).data).toMatchObject({
      error: { code: "denied", message: expect.stringContaining("allowedWindowPatterns") as string },
    });
  });
});

test("a password field is painted over in pictures, and only it; its text is in no tree", async () => {
  await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  await using app = await startFixture("gtk3_login", { env: desktop.env });
  await using handsight = await startHandsight(desktop.env);
  await app.waitFor(({ event }) => event === "ready");
  await handsight.call("wait_for", { window_title: "Login Form" });
  const { elements } = await handsight.call("find_elements", { role: "textbox", window_title: "Login Form" });
  const fields = elements as {
    uid: string;
    states: string[];
    bounds: { x: number; y: number; width: number; height: number };
  }[];
  const secret = fields.find(({ states }) => states.includes("password"));
  if (!secret) throw new Error("the form has no password field");
  await handsight.call("type_text", { uid: secret.uid, text: "c4nary-9f31" });
  for (const mode of ["window", "screen"]) {
    const { images, data } = await handsight.ask("take_screenshot", { mode, format: "png", max_side: 8_000 });
    expect(data["masked"]).toBe(1);
    const origin = { x: data["screenshot_origin_x"] as number, y: data["screenshot_origin_y"] as number };
    const blackness = async ({ x, y, width, height }: (typeof fields)[number]["bounds"]) => {
      const area = { left: x - origin.x, top: y - origin.y, width, height };
      const { channels } = await sharp(await sharp(images[0]).extract(area).png().toBuffer()).stats();
      return Math.max(...channels.slice(0, 3).map(({ max }) => max));
    };
    expect(await blackness(secret.bounds)).toBe(0);
    for (const field of fields.filter(({ uid }) => uid !== secret.uid)) {
      expect(await blackness(field.bounds)).toBeGreaterThan(100);
    }
  }
  const snapshot = await handsight.call("take_ax_snapshot", { window_title: "Login Form", format: "json" });
  expect(JSON.stringify(snapshot)).not.toContain("c4nary");
});
