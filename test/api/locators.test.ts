import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expect as expectUi, open, ToolError, type Handsight, type Locator, type Page } from "../../src/index.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { removeFolder } from "../support/remove-folder.ts";

const html = `<!doctype html><title>Board</title>
  <style>
    .badge { display: inline-block; width: 40px; height: 28px; margin: 4px;
      background: repeating-linear-gradient(45deg, #c03, #c03 5px, #06c 5px, #06c 11px); }
    .badge.other { background: radial-gradient(circle, #063 6px, #fd0 7px); }
    #card, #bin { width: 90px; height: 30px; margin: 6px; border: 1px solid; user-select: none }
  </style>
  <ul>
    <li>Ann <button>Delete</button> <button>Edit</button>
    <li>Bob <button>Delete</button> <button disabled>Edit</button>
    <li>Cyd <button>Delete</button> <button hidden>Edit</button>
  </ul>
  <button id=card>Card</button> <button id=bin>Bin</button>
  <button id=dead>Dead</button>
  <label>Stamp <input id=stamp value=old></label>
  <span class="badge" id=first></span><span class="badge other" id=second></span>
  <output id=log></output>
  <script>
    const say = (text) => { log.textContent = text };
    for (const each of document.querySelectorAll("li button")) {
      each.onclick = () => say(each.textContent + " " + each.parentNode.firstChild.data.trim());
    }
    card.onmouseenter = () => say("over card");
    let held = false;
    card.onmousedown = () => { held = true };
    onmouseup = (event) => { if (held) say("dropped on " + event.target.id); held = false };
    for (const each of document.querySelectorAll(".badge")) each.onclick = () => say("badge " + each.id);
  </script>`;

let server: PageServer;
let folder: string;
let hs: Handsight;
let page: Page;
let log: Locator;

beforeAll(async () => {
  server = await servePages({ "board.html": html });
  folder = await mkdtemp(join(tmpdir(), "handsight-locators-"));
  hs = await open({ policy: "allow", journal: false, pictures: folder });
  page = await hs.browser.launch({ url: `${server.own}/board.html`, headless: true });
  log = page.getByTestId("log");
});
afterAll(async () => {
  await hs?.close();
  await server?.[Symbol.asyncDispose]();
  await removeFolder(folder);
});
beforeEach(async () => void (await page.reload()));

const codeOf = async (doing: Promise<unknown>): Promise<string> =>
  doing.then(
    () => "done",
    (error: unknown) => (error instanceof ToolError ? error.code : String(error)),
  );

describe("locators are narrowed", () => {
  const buttons = () => page.getByRole("button", { name: "Delete" });
  test.each<[string, () => Locator, string]>([
    ["first", () => buttons().first(), "Delete Ann"],
    ["last", () => buttons().last(), "Delete Cyd"],
    ["nth", () => buttons().nth(1), "Delete Bob"],
    ["nth from the end", () => buttons().nth(-2), "Delete Bob"],
    ["nth of what is inside several", () => page.getByRole("listitem").getByRole("button").nth(2), "Delete Bob"],
    ["what is inside the nth", () => page.getByRole("listitem").nth(1).getByRole("button").first(), "Delete Bob"],
    [
      "filter by text",
      () => page.getByRole("listitem").filter({ hasText: "Cyd" }).getByRole("button").first(),
      "Delete Cyd",
    ],
    [
      "filter by what is inside",
      () =>
        page
          .getByRole("listitem")
          .filter({ has: page.getByRole("button", { name: "Edit", enabled: false }) })
          .getByRole("button", { name: "Delete" }),
      "Delete Bob",
    ],
    ["filter by state", () => page.getByRole("button", { name: "Edit" }).filter({ enabled: true }).first(), "Edit Ann"],
    ["and", () => page.getByRole("button").and(page.getByText("Edit")).first(), "Edit Ann"],
    ["and of one at a position", () => buttons().nth(2).and(page.getByRole("button")), "Delete Cyd"],
    ["within", () => buttons().within(page.getByRole("listitem").filter({ hasText: "Bob" })), "Delete Bob"],
    ["within one at a position", () => buttons().within(page.getByRole("listitem").last()), "Delete Cyd"],
    ["selector", () => page.locator('ListItem:has("Ann") > Button:Edit'), "Edit Ann"],
  ])("by %s", async (_how, locator, said) => {
    await locator().click();
    await expectUi(log).toHaveText(said);
  });

  test("and several are refused with the candidates, the hint and what is there", async () => {
    const error = await buttons()
      .click({ timeoutMs: 200 })
      .catch((thrown: unknown) => thrown as ToolError);
    expect(error).toMatchObject({
      name: "ToolError",
      code: "ambiguous_target",
      details: {
        hint: expect.any(String) as string,
        candidates: [expect.stringContaining("Delete"), expect.any(String), expect.any(String)] as string[],
        snapshot: expect.stringContaining("Bob") as string,
      },
      message: expect.stringMatching(/^click Button:"Delete": [\s\S]*candidates:[\s\S]*snapshot:/i) as string,
    });
  });
});

test("the pointer hovers over an element, and drags it onto another", async () => {
  const card = page.getByRole("button", { name: "Card" });
  await page.getByRole("button", { name: "Bin" }).hover();
  await card.hover();
  await expectUi(log).toHaveText("over card");
  await card.drag(page.getByRole("button", { name: "Bin" }));
  await expectUi(log).toHaveText("dropped on bin");
});

test("a marked region is clicked by its number and its id", async () => {
  const { regions } = await hs.call("mark_regions", { surface: page.surface, details: true });
  const [edit, bin] = ["Edit", "Bin"].map((name) => regions?.find((region) => region.name === name));
  await page.region(edit?.region ?? 0).click();
  await expectUi(log).toHaveText("Edit Ann");
  await page.region(bin?.region_id ?? "").hover();
  expect(await codeOf(page.region(9_999).click({ timeoutMs: 0 }))).toBe("not_found");
  expect(await codeOf(page.region(edit?.region ?? 0).value())).toBe("invalid_argument");
});

describe("what looks like a picture", () => {
  test("is found, clicked, waited for and expected", async () => {
    const bytes = await page.locator("#first").screenshot({ path: join(folder, "badge.png") });
    const badge = page.getByImage(bytes);
    await badge.click();
    await expectUi(log).toHaveText("badge first");
    await expectUi(badge).toBeVisible();
    expect(await badge.count()).toBe(1);
    const bounds = await page.locator("#first").bounds();
    expect(await badge.bounds()).toEqual(bounds);
    await page.evaluate(`() => { first.style.visibility = "hidden" }`);
    await expectUi(badge).toBeHidden();
    await expectUi(badge).not.toBeVisible();
    const clicking = page.getByImage(join(folder, "badge.png")).click();
    await page.evaluate(`() => { log.textContent = ""; first.style.visibility = "" }`);
    await clicking;
    await expectUi(log).toHaveText("badge first");
  });

  test("is refused with the reason, and a picture of what is there", async () => {
    const badge = page.getByImage(await page.locator("#first").screenshot());
    await page.evaluate(`() => { second.className = "badge" }`);
    expect(await codeOf(badge.click({ timeoutMs: 0 }))).toBe("ambiguous_target");
    await page.evaluate(`() => { for (const each of document.querySelectorAll(".badge")) each.remove() }`);
    expect(await codeOf(badge.click({ timeoutMs: 200 }))).toBe("not_found");
    const failing = expectUi(badge).toBeVisible({ timeoutMs: 0 });
    await expect(failing).rejects.toThrow(/expected: visible\n {2}seen: nowhere[\s\S]*picture: .*\.png$/);
  });
});

test("what an app does is demanded as an effect", async () => {
  const dead = page.getByRole("button", { name: "Dead" });
  expect((await dead.click({ settleMs: 300 })).effect).toBe("no_change");
  const error = await dead
    .click({ effect: "confirmed", settleMs: 300 })
    .catch((thrown: unknown) => thrown as ToolError);
  expect(error).toMatchObject({ code: "not_confirmed", message: expect.stringContaining("no_change") as string });
});

describe("expectations", () => {
  const stamp = () => page.getByLabel("Stamp");
  test.each<[string, (not: boolean) => Promise<void>, (not: boolean) => Promise<void>]>([
    [
      "toBeVisible",
      (not) => of(stamp(), not).toBeVisible(),
      (not) => of(page.getByText("Nobody"), not).toBeVisible(now),
    ],
    ["toBeHidden", (not) => of(page.getByText("Nobody"), not).toBeHidden(), (not) => of(stamp(), not).toBeHidden(now)],
    ["toBeEnabled", (not) => of(stamp(), not).toBeEnabled(), (not) => of(bobsEdit(), not).toBeEnabled(now)],
    ["toBeDisabled", (not) => of(bobsEdit(), not).toBeDisabled(), (not) => of(stamp(), not).toBeDisabled(now)],
    [
      "toBeChecked",
      (not) => of(stamp(), not).toBeChecked({ checked: false }),
      (not) => of(stamp(), not).toBeChecked(now),
    ],
    [
      "toBeFocused",
      async (not) => {
        await stamp().focus();
        await of(stamp(), not).toBeFocused();
      },
      (not) => of(page.getByRole("button", { name: "Dead" }), not).toBeFocused(now),
    ],
    ["toHaveText", (not) => of(stamp(), not).toHaveText(/^o/), (not) => of(stamp(), not).toHaveText("ol", now)],
    ["toContainText", (not) => of(stamp(), not).toContainText("ol"), (not) => of(stamp(), not).toContainText("x", now)],
    ["toHaveValue", (not) => of(stamp(), not).toHaveValue("old"), (not) => of(stamp(), not).toHaveValue("new", now)],
    [
      "toHaveCount",
      (not) => of(page.getByRole("listitem"), not).toHaveCount(3),
      (not) => of(page.getByRole("listitem"), not).toHaveCount(2, now),
    ],
  ])("%s holds or fails, and not turns it around", async (name, holds, fails) => {
    await holds(false);
    await fails(true);
    const message = new RegExp(`${name} failed[\\s\\S]*expected: [\\s\\S]*seen: [\\s\\S]*picture: .*\\.png$`);
    await expect(fails(false)).rejects.toThrow(message);
    await expect(fails(false)).rejects.toMatchObject({ name: "AssertionError", code: "ERR_ASSERTION" });
  });
  const now = { timeoutMs: 0 };
  const bobsEdit = () => page.getByRole("listitem").nth(1).getByRole("button", { name: "Edit" });
  const of = (locator: Locator, not: boolean) => (not ? expectUi(locator).not : expectUi(locator));
});

describe("a kept picture", () => {
  test("is compared except for what is masked, however often that is there", async () => {
    const list = page.getByRole("list");
    const file = join(folder, "list.png");
    await expect(expectUi(list).toHaveScreenshot(file)).rejects.toThrow(/it is written now/);
    await expectUi(list).toHaveScreenshot(file);
    await page.evaluate(
      `() => { for (const each of document.querySelectorAll("li button")) each.style.color = "red" }`,
    );
    const deletes = page.getByRole("button", { name: "Delete" });
    const edits = page.getByRole("button", { name: "Edit" });
    await expect(expectUi(list).toHaveScreenshot(file, { mask: [deletes], timeoutMs: 0 })).rejects.toThrow(/differ/);
    await expectUi(list).toHaveScreenshot(file, { mask: [deletes, edits, page.getByText("Nobody")] });
    await expectUi(list).not.toHaveScreenshot(file, { timeoutMs: 0 });
    await expectUi(list).toHaveScreenshot(file, { maxRatio: 0.5 });
  });

  test("of another size is a difference, told with a picture of what is there", async () => {
    const dead = page.getByRole("button", { name: "Dead" });
    const file = join(folder, "dead.png");
    await dead.screenshot({ path: file });
    await page.evaluate(`() => { dead.style.width = "200px" }`);
    const failing = expectUi(dead).toHaveScreenshot(file, { timeoutMs: 300 });
    await expect(failing).rejects.toThrow(
      /expected: [\s\S]*seen: .*different sizes[\s\S]*picture: .*dead\.actual\.png$/,
    );
    expect((await stat(join(folder, "dead.actual.png"))).size).toBeGreaterThan(0);
    await expectUi(dead).not.toHaveScreenshot(file, { timeoutMs: 0 });
  });
});
