import { afterAll, beforeAll, expect, test } from "vitest";
import { open, openVirtualDesktop, type Handsight, type VirtualDesktop } from "../../../src/index.ts";
import { startFixture, type Fixture } from "../../support/fixture.ts";
import { desktopCases, lateDesktop } from "../../support/late-apps.ts";
import { tryLate, lateNames, shortTimes, type LateApp } from "../../support/late.ts";

let desktop: VirtualDesktop;
let fixture: Fixture;
let hs: Handsight;
let app: LateApp;
beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  fixture = await startFixture("gtk3_late", { env: desktop.env });
  hs = await open({ policy: "allow", journal: false, env: desktop.env });
  app = await lateDesktop(hs, fixture);
});
afterAll(async () => {
  await hs?.close();
  await fixture?.stop();
  await desktop?.[Symbol.asyncDispose]();
});

test.each(lateNames(desktopCases(shortTimes)))("%s", async (_name, each) => {
  expect(await tryLate(app, each)).toBeUndefined();
});
