import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkout } from "../support/checkout.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

// Runs on a real Mac only, by .github/workflows/macos.yml, whose runners may use Accessibility and Screen Recording.

const evidence = join(checkout, "evidence");
let handsight: Handsight;

beforeAll(async () => {
  await mkdir(evidence, { recursive: true });
  handsight = await startHandsight(process.env, ["--policy", "allow"]);
  await writeFile(
    join(evidence, "capabilities.json"),
    JSON.stringify((await handsight.ask("capabilities")).data, undefined, 2),
  );
});

afterAll(() => handsight[Symbol.asyncDispose]());

test("TextEdit is launched, typed into, read back, photographed and quit", async () => {
  await handsight.call("launch_app", { app_name: "TextEdit" });
  await handsight.call("press_key", { key: "meta+n", app_name: "TextEdit" });
  const text = 'Héllo wörld — 你好 🎉 "quotes"';
  const typed = await handsight.call("type_text", { text });
  expect(typed).toMatchObject({ effect: "confirmed" });
  const snapshot = await handsight.ask("take_ax_snapshot", { app_name: "TextEdit" });
  await writeFile(join(evidence, "textedit.txt"), snapshot.text);
  expect(snapshot.text).toContain("Héllo wörld");
  const shot = await handsight.ask("take_screenshot");
  await writeFile(join(evidence, "screen.jpg"), shot.images[0] ?? "");
  expect(shot.images).toHaveLength(1);
  await handsight.ask("quit_app", { app_name: "TextEdit", force: true });
});
