import { afterAll, beforeAll, expect, test } from "vitest";
import { open, type Handsight } from "../../../src/index.ts";
import { servePages, type PageServer } from "../../support/browser.ts";
import { latePage, pageCases } from "../../support/late-apps.ts";
import { tryLate, lateNames, shortTimes, type LateApp } from "../../support/late.ts";

let server: PageServer;
let hs: Handsight;
let app: LateApp;
beforeAll(async () => {
  server = await servePages();
  hs = await open({ policy: "allow", journal: false });
  app = latePage(await hs.browser.launch({ url: `${server.own}/late.html`, headless: true }));
});
afterAll(async () => {
  await hs?.close();
  await server?.[Symbol.asyncDispose]();
});

test.each(lateNames(pageCases(shortTimes)))("%s", async (_name, each) => {
  expect(await tryLate(app, each)).toBeUndefined();
});
