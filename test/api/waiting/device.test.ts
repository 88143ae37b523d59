import { afterAll, beforeAll, expect, test } from "vitest";
import { open, type Handsight } from "../../../src/index.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../../simulators/android/lab.ts";
import { small } from "../../simulators/android/session.ts";
import { deviceCases, lateDevice } from "../../support/late-apps.ts";
import { tryLate, lateNames, shortTimes, type LateApp } from "../../support/late.ts";

let lab: AndroidLab;
let hs: Handsight;
let app: LateApp;
beforeAll(async () => {
  lab = await startAndroid(small);
  const [target] = lab.devices as [AndroidTarget];
  hs = await open({ policy: "allow", journal: false, env: lab.env });
  const device = await hs.android(target.serial);
  target.open("Late");
  app = lateDevice(device, target);
});
afterAll(async () => {
  await hs?.close();
  await lab?.[Symbol.asyncDispose]();
});

test.each(lateNames(deviceCases(shortTimes)))("%s", async (_name, each) => {
  expect(await tryLate(app, each)).toBeUndefined();
});
