import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

/** Draws its list anew with every change, and says what it did in a live region after it. */
const list = `<!doctype html><title>List</title><button onclick="add(1)">Add one</button><button onclick="add(40)">Add many</button>
<button onclick="draw()">Redraw</button><button onclick="remove()">Ask</button><ul></ul><p role=status></p>
<script>
  const items = ["Tea", "Rope"];
  const ul = document.querySelector("ul");
  const say = (text) => (document.querySelector("[role=status]").textContent = text);
  const draw = () => (ul.innerHTML = items.map((item) => "<li><button>Remove " + item + "</button></li>").join(""));
  const add = (count) => { for (let i = 0; i < count; i++) items.push("thing " + items.length); draw(); say(count + " added"); };
  const remove = () => { if (confirm("Sure?")) { items.length = 1; draw(); say("Removed"); } };
  draw();
</script>`;

const plain = `<!doctype html><title>Plain</title><ul onclick="document.title = 'Taken'"><li>Tea <button>Pour</button></li><li>Rope <button>Cut</button></li></ul>
<script>const put = (text) => (document.querySelectorAll("li")[1].firstChild.nodeValue = text);</script>`;

const late = `<!doctype html><title>Late</title><label>To <input role=combobox aria-expanded=false></label><ul role=listbox hidden></ul>
<script>
  const [field, list] = [document.querySelector("input"), document.querySelector("ul")];
  field.oninput = () => setTimeout(() => {
    list.innerHTML = "<li role=option>Portugal</li>";
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
  }, 200);
</script>`;

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages({ "list.html": list, "plain.html": plain, "late.html": late });
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const treeOf = ({ changes }: Record<string, unknown>): readonly string[] =>
  (changes as { tree?: readonly string[] } | undefined)?.tree ?? [];

async function open(name: string): Promise<string> {
  const { surface } = await browser.call("cdp_navigate", { url: `${server.own}/${name}.html` });
  return String(surface);
}

test("a snapshot since another lists what changed, with new uids for what was drawn anew", async () => {
  await open("list");
  const { snapshot_id: first, snapshot } = await browser.call("cdp_take_dom_snapshot");
  expect(snapshot).toContain('button "Remove Tea"');
  const unchanged = await browser.call("cdp_take_dom_snapshot", { since: first });
  expect(unchanged).toMatchObject({ since: first, snapshot: "nothing changed" });
  await browser.call("cdp_click", { uid: await browser.find("Add one") });
  const after = await browser.call("cdp_take_dom_snapshot", { since: first });
  const lines = String(after["snapshot"]).split("\n");
  expect(lines[0]).toMatch(/^~ statusbar d\d+ → "1 added"$/);
  expect(lines).toEqual([
    lines[0],
    expect.stringMatching(/^~ button "Add one" d\d+ \+focused$/),
    expect.stringMatching(/^\+ button "Remove thing 2" d\d+$/),
    expect.stringMatching(/^~ button "Remove Tea" d\d+ → d\d+$/),
    expect.stringMatching(/^~ button "Remove Rope" d\d+ → d\d+$/),
  ]);
  const [, renewed] = /Remove Tea" d\d+ → (d\d+)/.exec(String(after["snapshot"])) ?? [];
  expect(await browser.find("Remove Tea")).toBe(renewed);
  // One listing of the other kind can be compared with, too.
  const general = await browser.call("take_ax_snapshot", { surface: await surfaceNow(), since: after["snapshot_id"] });
  expect(general["snapshot"]).toBe("nothing changed");
});

const surfaceNow = async (): Promise<string> => {
  const { pages } = await browser.call("cdp_list_pages");
  return (pages as { surface: string; selected: boolean }[]).find(({ selected }) => selected)?.surface ?? "";
};

test("of another document, and of a snapshot that nobody knows, all of it is listed", async () => {
  await open("list");
  const { snapshot_id: first } = await browser.call("cdp_take_dom_snapshot");
  await open("list");
  for (const since of [first, "g9999"]) {
    const other = await browser.call("cdp_take_dom_snapshot", { since });
    expect(other).toMatchObject({
      snapshot: expect.stringMatching(/^d\d+ button "Add one"/m),
      warning: expect.any(String),
    });
    expect(other).not.toHaveProperty("since");
  }
});

test("what a page says in a live region comes first in a long list of changes", async () => {
  const surface = await open("list");
  const many = await browser.call("cdp_click", { uid: await browser.find("Add many") });
  expect(treeOf(many)[0]).toMatch(/status .*"40 added"/);
  expect(treeOf(many).at(-1)).toMatch(/more changes$/);
  await open("list");
  const general = await browser.call("click", { text: "Add many", surface });
  expect(treeOf(general)[0]).toMatch(/^~ statusbar d\d+ → "40 added"$/);
});

test("the error about an element that was drawn anew says what is there now", async () => {
  const surface = await open("list");
  const old = await browser.find("Remove Tea");
  await browser.call("take_ax_snapshot", { surface });
  await browser.call("cdp_click", { uid: await browser.find("Redraw") });
  const { code, hint } = await browser.fails("click", { uid: old });
  expect([code, hint]).toEqual(["uid_not_found", `There is button "Remove Tea" ${await browser.find("Remove Tea")}.`]);
});

test("an answered dialog reports what the page did then", async () => {
  const surface = await open("list");
  await browser.call("click", { text: "Ask", surface });
  const answered = await browser.call("cdp_handle_dialog", { action: "accept" });
  expect(treeOf(answered)).toEqual([
    expect.stringMatching(/^~ statusbar d\d+ → "Removed"$/),
    expect.stringMatching(/^~ button "Ask" d\d+ \+focused$/),
    expect.stringMatching(/^- button "Remove Rope"$/),
  ]);
});

test("a list item without a name can be clicked, until it says something else", async () => {
  const surface = await open("plain");
  const { elements } = await browser.call("find_elements", { role: "listitem", surface });
  const [, rope] = elements as { uid: string; name: string }[];
  expect(rope).toMatchObject({ name: "" });
  expect(await browser.call("click", { uid: rope?.uid })).toMatchObject({ effect: "confirmed" });
  await browser.call("cdp_evaluate_script", { function: '() => put("Tar")' });
  expect(await browser.fails("click", { uid: rope?.uid })).toMatchObject({ code: "uid_not_found" });
});

test("what a field suggests a moment later is in the answer", async () => {
  const surface = await open("late");
  const { elements } = await browser.call("find_elements", { role: "combobox", surface });
  const [field] = elements as { uid: string }[];
  const filled = await browser.call("ax_set_value", { uid: field?.uid, value: "Po" });
  expect(treeOf(filled)).toContainEqual(expect.stringMatching(/^\+ listitem "Portugal" d\d+$/));
});

test("a browser that is launched shows its page in the same answer", async () => {
  const opened = await browser.call("cdp_launch", {
    headless: true,
    url: `${server.own}/list.html`,
    observe: "snapshot",
    expect: "Remove Tea",
  });
  expect(opened).toMatchObject({
    effect: "confirmed",
    expected: { met: true },
    now: { url: `${server.own}/list.html`, snapshot: expect.stringContaining('button "Add one"') },
  });
});
