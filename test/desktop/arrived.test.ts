import { expect, test } from "vitest";
import { servePages } from "../support/browser.ts";
import { startHandsight } from "../support/handsight.ts";
import { openApp } from "../support/open-app.ts";
import { startDesktop } from "../support/xvfb.ts";

const partly = {
  ok: false,
  effect: "confirmed",
  arrived: "ABCx",
  warning: expect.stringContaining('"yz" is missing') as string,
};

test("text that a field took only in part is reported with what arrived, and what is missing", async () => {
  const { handsight, app } = await openApp("gtk3_picky", "Picky", { args: ["--tools", "default,compat-ui"] });
  const field = { selector: "TextBox:Code", window_title: "Picky" };
  expect(await handsight.call("type_text", { text: "AB", ...field })).not.toHaveProperty("arrived");
  await handsight.call("press_key", { key: "ctrl+a" });
  expect(await handsight.call("type_text", { text: "ABCxyz", ...field })).toMatchObject(partly);
  expect(app.events.findLast(({ event }) => event === "text")).toMatchObject({ text: "ABCx" });
  await handsight.call("press_key", { key: "ctrl+a" });
  const { data } = await handsight.ask("ui_type", { text: "DEFuvw", window_title: "Picky" });
  expect(data).toMatchObject({ Success: false, Error: expect.stringContaining('"vw" is missing') as string });
});

test("what arrived in a password field is never reported", async () => {
  const { handsight, app } = await openApp("gtk3_picky", "Picky");
  const typed = await handsight.call("type_text", {
    text: "hunter2",
    selector: "TextBox:Password",
    window_title: "Picky",
  });
  expect(await app.waitForText("hunt")).toBe("hunt");
  expect(typed).not.toHaveProperty("arrived");
  expect(JSON.stringify(typed)).not.toContain("hunt");
});

test("the same holds for a field of a page, typed into or filled", { timeout: 60_000 }, async () => {
  await using server = await servePages({
    "picky.html": "<!doctype html><title>Picky</title><label>Code <input maxlength=4 autofocus></label>",
  });
  await using desktop = await startDesktop();
  await using handsight = await startHandsight(desktop.env);
  await handsight.call("cdp_launch", { headless: true });
  await handsight.call("cdp_navigate", { url: `${server.own}/picky.html` });
  const { matches } = await handsight.call("cdp_find_elements", { query: "Code", role: "textbox" });
  const [{ uid } = { uid: "" }] = matches as { uid: string }[];
  await handsight.call("cdp_click", { uid });
  expect(await handsight.call("cdp_type_text", { text: "ABCxyz" })).toMatchObject(partly);
  expect(await handsight.call("cdp_fill", { uid, value: "1234" })).not.toHaveProperty("arrived");
});
