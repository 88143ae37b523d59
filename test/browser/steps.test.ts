import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

let server: PageServer;
let browser: BrowserSession;

beforeAll(async () => {
  server = await servePages({
    "order.html": `<!doctype html><title>Order</title>
      <label>Name <input id=who></label>
      <label>Size <select><option>Small<option>Large</select></label>
      <label><input type=checkbox id=gift> Gift</label>
      <button onclick="setTimeout(() => { const b = document.createElement('button'); b.textContent = 'Confirm';
        b.onclick = () => { out.textContent = who.value + ', ' + document.querySelector('select').value + ', ' + gift.checked; location.hash = 'sent'; };
        document.body.append(b); }, 400)">Order</button>
      <p id=out role=status aria-label=Result>nothing</p>`,
  });
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

test("fills and sends a form of a page in one call", async () => {
  const result = await browser.call("run_steps", {
    surface: "page:1",
    steps: [
      { open: `${server.own}/order.html` },
      { fill: { into: "Name", text: "Ada" } },
      { select: { option: "Large", from: "Size" } },
      { check: "Gift" },
      { check: "Gift" },
      { click: "Order" },
      { click: "Confirm", expect: { url: "#sent" } },
      { expect: "Ada, Large, true" },
      { expect: { count: 1, of: { role: "button", name: "Confirm" } } },
    ],
  });
  expect(result).toMatchObject({ ok: true, ran: 9 });
});

test("ends where the page does not follow, with a snapshot of it", async () => {
  const result = await browser.call("run_steps", {
    surface: "page:1",
    timeout_ms: 300,
    steps: [{ fill: { into: "Name", text: "Bob" } }, { click: { role: "button", name: "Cofirm" } }],
  });
  expect(result).toMatchObject({
    ran: 1,
    stopped: { step: 2, code: "not_found", candidates: expect.arrayContaining(["Confirm"]) },
    now: { snapshot: expect.stringContaining('"Confirm"') },
  });
});
