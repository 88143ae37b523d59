import { afterAll, beforeAll, expect, test } from "vitest";
import { expect as expectUi, open, type Device, type Handsight } from "../../src/index.ts";
import { small } from "../simulators/android/session.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../simulators/android/lab.ts";

let lab: AndroidLab;
let target: AndroidTarget;
let hs: Handsight;
let device: Device;

beforeAll(async () => {
  lab = await startAndroid(small);
  [target] = lab.devices as [AndroidTarget];
  hs = await open({ policy: "allow", journal: false, env: lab.env });
  device = await hs.android(target.serial);
});
afterAll(async () => {
  await hs?.close();
  await lab?.[Symbol.asyncDispose]();
});

test("a note is written and saved on a device", async () => {
  await device.launch("org.example.notes");
  const note = device.getByTestId("note");
  const filled = await note.fill("milk");
  expect(filled).toMatchObject({ ok: true, effect: "confirmed" });
  await expectUi(note).toHaveValue("milk");
  expect(await device.getByRole("button", { name: "Save" }).click()).toMatchObject({ effect: "confirmed" });
  await expectUi(device.getByText("milk")).toBeVisible();
  expect(target.events().filter(({ kind }) => kind === "submit")).toHaveLength(1);
});

test("a target that appears late is tapped once, and one that never does is not found", async () => {
  await device.press("home");
  target.forget();
  const save = device.getByRole("button", { name: "Save" });
  const clicking = save.click({ timeoutMs: 20_000 });
  await expectUi(save).toBeHidden();
  target.open("Notes");
  await clicking;
  expect(target.events().filter(({ kind }) => kind === "submit")).toHaveLength(1);
  await expect(device.getByRole("button", { name: "Nowhere" }).click({ timeoutMs: 200 })).rejects.toMatchObject({
    code: "not_found",
  });
});
