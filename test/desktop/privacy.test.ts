import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";

test("text that was typed or set, and the effect it had, is nowhere in the run folder [S1-106]", async () => {
  await using desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  await using app = await startFixture("gtk3_controls", { env: desktop.env, args: ["--rows", "20"] });
  await using handsight = await startHandsight(desktop.env);
  const title = "GTK3 Controls";
  const secret = "c4nary-9f31";
  await app.waitFor(({ event }) => event === "ready");
  await handsight.call("wait_for", { window_title: title });
  const typed = await handsight.call("type_text", { text: secret, selector: "TextBox:Username", window_title: title });
  expect(JSON.stringify(typed)).toContain(secret);
  const { elements } = await handsight.call("find_elements", { selector: "TextBox:Notes", window_title: title });
  const uid = (elements as { uid: string }[])[0]?.uid;
  await handsight.call("ax_set_value", { uid, text: `${secret} again` });
  await handsight.call("act", { action: "type", uid, text: secret });
  await handsight.call("set_clipboard", { text: secret });
  await handsight.call("get_clipboard");
  const files = await readdir(handsight.runsDir, { recursive: true, withFileTypes: true });
  const texts = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name)));
  const written = Buffer.concat(await Promise.all(texts)).toString("utf8");
  expect(written).toContain('"tool":"type_text"');
  expect(written).not.toContain(secret);
});
