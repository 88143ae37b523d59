import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expect as expectUi, open, openVirtualDesktop, type Handsight, type VirtualDesktop } from "../../src/index.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { removeFolder } from "../support/remove-folder.ts";

let desktop: VirtualDesktop;
let folder: string;
let hs: Handsight;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-library-"));
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  hs = await open({ policy: "allow", journal: false, env: desktop.env, pictures: folder });
});
afterAll(async () => {
  await hs?.close();
  await desktop?.[Symbol.asyncDispose]();
  await removeFolder(folder);
});

describe.each([
  ["gtk3", "GTK3 Controls"],
  ["qt6", "Qt6 Controls"],
])("the controls of %s", (toolkit, title) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture(`${toolkit}_controls`, { env: desktop.env });
  });
  afterAll(() => fixture?.stop());

  test("are found, filled, checked, read and expected", async () => {
    const window = await hs.desktop.window({ title });
    const app = await hs.desktop.app(fixture.pid);
    expect(window.title).toBe(title);
    const field = app.getByRole("textbox", { name: "Name" });
    const filled = await field.fill("Grüße 🎉");
    expect(filled).toMatchObject({ ok: true, effect: "confirmed" });
    await expectUi(field).toHaveValue("Grüße 🎉");
    await field.press("End");
    await field.type("!");
    expect(await field.value()).toBe("Grüße 🎉!");
    expect(await field.textContent()).toBe("Grüße 🎉!");
    const box = window.getByRole("checkbox").first();
    const was = await box.isChecked();
    await (was ? box.uncheck() : box.check());
    await expectUi(box).toBeChecked({ checked: !was });
    expect(await box.isEnabled()).toBe(true);
    expect(await box.bounds()).toMatchObject({ width: expect.any(Number) });
    expect((await field.screenshot()).byteLength).toBeGreaterThan(100);
    expect(await window.snapshot()).toContain("Grüße");
    await expectUi(app.getByRole("button", { name: "No such button" })).toHaveCount(0);
  });
});

test("a failing expectation leaves a picture", async () => {
  const failing = expectUi(hs.desktop.getByRole("button", { name: "Nowhere" })).toBeVisible({ timeoutMs: 0 });
  await expect(failing).rejects.toThrow(/seen: "no such element"[\s\S]*picture: .*failure-.*\.png$/);
});

test("the clipboard is read and written", async () => {
  await hs.desktop.clipboard.write("kept");
  expect(await hs.desktop.clipboard.read()).toBe("kept");
});
