import { readdir, readFile } from "node:fs/promises";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

/** The text in every form that a search must cover. */
function forms(secret: string): Buffer[] {
  const bytes = [Buffer.from(secret, "utf8"), Buffer.from(secret, "utf16le"), Buffer.from(secret, "utf16le").swap16()];
  // Base64 of the text at each of the three offsets, without the characters that depend on its neighbours.
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    return Buffer.from(text.slice(offset === 0 ? 0 : 4, -4));
  });
  return [...bytes, ...encoded];
}

interface FilmFrame {
  readonly path: string;
  readonly origin_x: number;
  readonly origin_y: number;
}

/** Not one dot of what was typed into the field is in any frame. */
async function expectHidden(frames: readonly FilmFrame[], field: Rect | undefined): Promise<void> {
  if (!field) throw new Error("there is no password field");
  for (const { path, origin_x, origin_y } of frames) {
    const inside = { left: field.x - origin_x + 4, top: field.y - origin_y + 4 };
    const size = { width: field.width - 8, height: field.height - 8 };
    const { channels } = await sharp(
      await sharp(path)
        .extract({ ...inside, ...size })
        .png()
        .toBuffer(),
    ).stats();
    expect(Math.max(...channels.map(({ max }) => max))).toBeLessThan(40);
  }
}

test("password fields and the secrets file leave no trace in records, logs, errors or results [S1-106]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-canary-"));
  const [password, named, unknown] = ["field-c4nary-93ab", "named-c4nary-5d08", "nokey-c4nary-2c"];
  const [copied, misspelt] = ["copied-c4nary-7e21", "misspelt-c4nary-1b6f"];
  const secrets = join(folder, "secrets.json");
  const log = join(folder, "handsight.log");
  writeFileSync(secrets, JSON.stringify({ vault_pin: named }));
  await using desktop = await openVirtualDesktop({ width: 900, height: 700, monitors: 1, scale: 1 });
  await using app = await startFixture("gtk3_login", { env: desktop.env, args: ["--title", `Login ${named}`] });
  await using handsight = await startHandsight(desktop.env, [
    "--secrets",
    secrets,
    "--log-file",
    log,
    "--log-level",
    "debug",
  ]);
  await app.waitFor(({ event }) => event === "ready");
  const results: string[] = [];
  const ask = async (tool: string, args: object = {}) => {
    const answer = await handsight.ask(tool, args);
    results.push(JSON.stringify(answer.data));
    return answer.data;
  };
  const fieldBounds = async () => {
    const { elements } = await handsight.call("find_elements", { selector: "TextBox:Password", window_id });
    return (elements as { bounds: Rect }[])[0]?.bounds;
  };
  const { windows } = (await ask("list_windows")) as { windows: { window_id: number; title: string }[] };
  expect(windows[0]?.title).toBe("Login [SECRET vault_pin]");
  const window_id = windows[0]?.window_id;
  await ask("type_text", { selector: "TextBox:Password", window_id, text: password });
  // What has a name is a secret in any field.
  await ask("type_text", { selector: "TextBox:Username", window_id, text: named });
  expect(JSON.stringify(await ask("take_ax_snapshot", { window_id, format: "json" }))).toContain("[SECRET vault_pin]");
  await ask("find_text", { text: named, window_id });
  await ask("read_text", { selector: "TextBox:Password", window_id });
  // Whoever chooses where a text is cut cannot cut a name in half.
  const most = named.slice(0, -1);
  await ask("read_text", { selector: "TextBox:Username", window_id, max_chars: most.length });
  await ask("set_clipboard", { text: named });
  await ask("get_clipboard", { max_chars: most.length });
  await ask("press_key", { key: unknown });
  await ask("act", { action: "key", key: unknown });
  await ask("set_clipboard", { text: copied });
  await ask("get_clipboard");
  await ask("focus_window", { window_title: `no ${named}` });
  await ask("no_such_tool", { text: misspelt });
  const film = join(folder, "film");
  await ask("type_text", { selector: "TextBox:Password", window_id, text: password });
  await ask("start_recording", { output_dir: film, fps: 10 });
  await expect
    .poll(() => readdirSync(film).filter((name) => name.endsWith(".jpg")).length, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(3);
  const recorded = await ask("stop_recording");
  await expectHidden(recorded["frames"] as FilmFrame[], await fieldBounds());

  const entries = await readdir(handsight.runsDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const filmed = readdirSync(film).map((name) => join(film, name));
  expect(filmed.length).toBe((recorded["frame_count"] as number) + 1);
  const written = Buffer.concat(
    await Promise.all([...paths, ...filmed, log].map((path) => readFile(path).catch(() => Buffer.alloc(0)))),
  );
  expect(written.includes('"tool":"type_text"')).toBe(true);
  for (const secret of [copied, misspelt, unknown, password, named]) {
    for (const form of forms(secret)) expect([secret, written.includes(form)]).toEqual([secret, false]);
  }
  const told = Buffer.from(results.join("\n"));
  for (const secret of [password, named, most]) {
    for (const form of forms(secret)) expect([secret, told.includes(form)]).toEqual([secret, false]);
  }
  removeFolderNow(folder);
});
