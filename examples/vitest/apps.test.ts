import { expect, open, type Handsight } from "handsight";
import { afterAll, beforeAll, test } from "vitest";

let hs: Handsight;
beforeAll(async () => {
  hs = await open({ desktop: "virtual", policy: "allow", journal: false });
}, 30_000);
afterAll(() => hs.close());

test("an editor undoes what was typed", { timeout: 60_000 }, async () => {
  const editor = await hs.desktop.launch("mousepad");
  const text = editor.getByRole("textbox");
  await text.type("Hello");
  await expect(text).toHaveText("Hello");
  await editor.getByRole("menu", { name: "Edit" }).click();
  await editor.getByRole("menuitem", { name: "Undo" }).click({ effect: "confirmed" });
  await expect(text).not.toHaveText("Hello");
  await editor.quit({ force: true });
});

const html = `<title>Shop</title>
  <label>Amount <input type=number value=1></label>
  <button onclick="document.querySelector('output').textContent = document.querySelector('input').value + ' in the cart'">
    Add to cart</button>
  <output></output>`;

test("a page adds to the cart", { timeout: 60_000 }, async () => {
  const page = await hs.browser.launch({ headless: true });
  await page.evaluate(`() => { document.body.innerHTML = ${JSON.stringify(html)} }`);
  await page.getByLabel("Amount").fill("3");
  await page.getByRole("button", { name: "Add to cart" }).click();
  await expect(page.getByText("3 in the cart")).toBeVisible();
});
