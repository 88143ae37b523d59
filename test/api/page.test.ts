import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expect as expectUi, open, type Handsight, type Page } from "../../src/index.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { removeFolder } from "../support/remove-folder.ts";

let server: PageServer;
let folder: string;
let hs: Handsight;
let page: Page;

beforeAll(async () => {
  server = await servePages({
    "form.html": `<!doctype html><title>Form</title>
      <label>Email <input id=email placeholder="you@example.org"></label>
      <label><input type=checkbox> Agree</label>
      <label>Size <select><option>Small<option>Large</select></label>
      <ul><li>Ann <button>Delete</button><li>Bob <button>Delete</button></ul>
      <button onclick="out.textContent = email.value">Send</button><output id=out></output>
      <script>for (const each of document.querySelectorAll("li button")) each.onclick = () => each.parentNode.remove()</script>`,
  });
  folder = await mkdtemp(join(tmpdir(), "handsight-page-"));
  hs = await open({
    policy: "allow",
    journal: false,
    pictures: folder,
    options: { browserDir: join(folder, "browsers") },
  });
  page = await hs.browser.launch({ url: `${server.own}/form.html`, headless: true });
});
afterAll(async () => {
  await hs?.close();
  await server?.[Symbol.asyncDispose]();
  await removeFolder(folder);
});

test("a form is filled by label, placeholder, test id and role", async () => {
  const email = page.getByLabel("Email");
  expect(await email.fill("ann@example.org")).toMatchObject({ effect: "confirmed" });
  await expectUi(page.getByPlaceholder("you@")).toHaveValue("ann@example.org");
  await page.getByTestId("email").press("End");
  await email.type("!");
  await page.getByRole("checkbox", { name: "Agree" }).check();
  expect(await page.getByLabel("Agree").check()).toBeUndefined();
  await expectUi(page.getByLabel("Agree")).toBeChecked();
  await page.getByLabel("Size").select("Large");
  await expectUi(page.getByLabel("Size")).toHaveValue("Large");
  await page.getByRole("button", { name: "Send" }).click({ effect: "confirmed" });
  await expectUi(page.getByText("ann@example.org!").last()).toBeVisible();
  const rows = page.getByRole("listitem");
  await rows.filter({ hasText: "Bob" }).getByRole("button").click();
  await expectUi(page.getByText("Bob")).toBeHidden();
  await expectUi(page.getByRole("button", { name: "Delete" })).toHaveCount(1);
  expect(await page.title()).toBe("Form");
});

test("a part of the page is compared with a picture that was kept, except for what is masked", async () => {
  await page.goto(`${server.own}/form.html`);
  const file = join(folder, "form.png");
  const send = page.getByRole("button", { name: "Send" });
  await expect(expectUi(send).toHaveScreenshot(file)).rejects.toThrow(/it is written now/);
  await expectUi(send).toHaveScreenshot(file);
  await page.evaluate(`() => { document.querySelector("body > button").style.color = "red" }`);
  await expect(expectUi(send).toHaveScreenshot(file, { timeoutMs: 0 })).rejects.toThrow(/% of the pixels differ/);
  await expectUi(send).not.toHaveScreenshot(file, { timeoutMs: 0 });
  await expectUi(send).toHaveScreenshot(file, { mask: [send] });
});
