import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

/** Opens a question in each of the ways pages do. Every answer is written into the title. */
const opening = `<!doctype html><title>Asks</title><style>.menu { display: none } .open { display: block }</style>
<button onclick="added()">Added</button>
<button onclick="modal.showModal()">Modal</button>
<button onclick="menu.classList.add('open')">Menu</button>
<button onclick="secret.hidden = false">Hidden</button>
<button onclick="many()">Many</button>
<dialog id=modal aria-label="Keep it?"><p>It is not saved.</p><button onclick="modal.close('kept')">Keep</button></dialog>
<div id=menu class=menu role=menu><div role=menuitem tabindex=0 onclick="document.title='renamed'">Rename</div></div>
<form id=secret hidden><label>Code <input value=7></label><button type=button onclick="document.title='sent'">Send</button></form>
<script>
  const added = () => document.body.insertAdjacentHTML("beforeend", \`<div><div><h2>Delete it?</h2> For good.
    <label><input type=checkbox checked> Also the copy</label>
    <button onclick="document.title='deleted'">Delete</button> <button disabled>Wait</button></div></div>\`);
  const many = () => document.body.insertAdjacentHTML("beforeend",
    "<ul aria-label=Rows>" + Array.from({ length: 50 }, (_, i) => "<li><button>B" + i + "</button></li>").join("") + "</ul>");
</script>`;

/** Every thing has an object of its own, and says which one was pressed. */
const mutating = `<!doctype html><title>Mutating</title><main></main><script>
  const names = ["Save", "Open", "Apply", "Discard"];
  const pressed = [];
  let last = 0;
  const make = (name) => {
    const id = ++last;
    const row = document.createElement("p");
    row.innerHTML = "<span></span> <button></button>";
    row.firstChild.textContent = "Row " + id;
    const button = row.lastChild;
    button.textContent = name;
    button.thing = id;
    button.onclick = () => pressed.push(id);
    return row;
  };
  const main = document.querySelector("main");
  const rows = () => main.children;
  const change = ({ how, at, to, name }) => {
    const row = rows()[at % rows().length];
    const other = rows()[to % rows().length];
    if (how === "insert" && rows().length < 16) row.before(make(name));
    if (how === "remove" && rows().length > 4) row.remove();
    if (how === "replace") row.replaceWith(make(row.lastChild.textContent));
    if (how === "swap") { const mark = new Comment(); row.replaceWith(mark); other.replaceWith(row); mark.replaceWith(other); }
    if (how === "rename") row.lastChild.textContent = name;
    if (how === "move") main.append(row);
    if (how === "rebuild") main.innerHTML = "", main.append(...names.map(make));
    return [...main.querySelectorAll("button")].map((each) => each.thing);
  };
  main.append(...names.map(make));
</script>`;

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages({ "opening.html": opening, "mutating.html": mutating });
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const script = async (code: string, ...args: unknown[]): Promise<unknown> =>
  (await browser.call("cdp_evaluate_script", { function: code, args, settle_ms: 0 }))["result"];
const title = async (): Promise<unknown> => script("() => document.title");
const uidOf = (lines: readonly string[], what: string): string => {
  const line = lines.find((each) => each.startsWith(`+ ${what}`)) ?? "";
  const uid = /\bd\d+\b/.exec(line.slice(what.length))?.[0];
  if (uid === undefined) throw new Error(`no uid of ${what} in ${JSON.stringify(lines)}`);
  return uid;
};
const treeOf = (data: Record<string, unknown>): readonly string[] =>
  (data["changes"] as { tree?: readonly string[] }).tree ?? [];

test.each([
  ["Added", 'button "Delete"', "deleted"],
  ["Menu", 'menuitem "Rename"', "renamed"],
  ["Hidden", 'button "Send"', "sent"],
])("after a click on %s the lines carry the uids of what it opened", async (name, wanted, became) => {
  await browser.call("cdp_navigate", { url: `${server.own}/opening.html` });
  const opened = await browser.call("cdp_click", { uid: await browser.find(name, "button") });
  await browser.call("cdp_click", { uid: uidOf(treeOf(opened), wanted) });
  expect(await title()).toBe(became);
});

test("a dialog says what it asks, and its controls their values and states", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/opening.html` });
  const plain = async (name: string): Promise<readonly string[]> =>
    treeOf(await browser.call("cdp_click", { uid: await browser.find(name, "button") })).map((line) =>
      line.replaceAll(/ d\d+/g, ""),
    );
  expect(await plain("Added")).toEqual([
    '+ text "Delete it? For good."',
    '+ checkbox "Also the copy" checked',
    '+ button "Delete"',
    '+ button "Wait" disabled',
  ]);
  expect(await plain("Hidden")).toEqual(['+ textbox "Code" ="7"', '+ button "Send"']);
  const many = await plain("Many");
  expect(many).toHaveLength(21);
  expect([many[0], many[1], many.at(-1)]).toEqual(['+ list "Rows"', '+ button "B0"', "… 31 more changes"]);
  expect(await plain("Modal")).toEqual(['+ dialog "Keep it?"', '+ button "Keep"']);
});

const steps = fc.record({
  how: fc.oneof(
    { weight: 24, arbitrary: fc.constantFrom("insert", "remove", "replace", "swap", "rename", "move") },
    { weight: 1, arbitrary: fc.constant("rebuild") },
  ),
  at: fc.nat(20),
  to: fc.nat(20),
  name: fc.constantFrom("Save", "Open", "Apply", "Discard"),
  fresh: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  pick: fc.nat(1_000),
  tool: fc.constantFrom("cdp_click", "ax_click"),
});
const mutations = 500;
// Enough for refs that are several snapshots old.
const mostRefs = 16;

test(`a ref reaches its own element or none, over ${mutations} mutations of a page`, { timeout: 300_000 }, async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/mutating.html` });
  const [list = []] = fc.sample(fc.array(steps, { minLength: mutations, maxLength: mutations }), {
    seed: 20_261_118,
    numRuns: 1,
  });
  const owners = new Map<string, number>();
  const look = async (things: readonly number[]): Promise<void> => {
    const { snapshot } = await browser.call("take_ax_snapshot", { surface: "page:1" });
    const uids = [...String(snapshot).matchAll(/button "\w+" (d\d+)/g)].map(([, uid = ""]) => uid);
    expect(uids).toHaveLength(things.length);
    for (const [index, uid] of uids.entries()) {
      const thing = things[index] ?? 0;
      expect(owners.get(uid) ?? thing, `${uid} is the ref of two elements`).toBe(thing);
      owners.set(uid, thing);
    }
    for (const uid of [...owners.keys()].slice(0, -mostRefs)) owners.delete(uid);
  };
  const count = { reached: 0, refused: 0 };
  await look([1, 2, 3, 4]);
  for (const step of list) {
    const things = (await script("(step) => change(step)", step)) as readonly number[];
    if (step.fresh) await look(things);
    const [uid = "", thing = 0] = [...owners][step.pick % owners.size] ?? [];
    const failed = await browser.call(step.tool, { uid, settle_ms: 0 }).then(
      () => undefined,
      (error: { readonly code: string }) => error.code,
    );
    const story = JSON.stringify({ step, uid, thing, failed });
    expect(await script("() => pressed.splice(0)"), story).toEqual(failed === undefined ? [thing] : []);
    if (failed !== undefined) expect(["uid_not_found", "snapshot_expired"], story).toContain(failed);
    expect(failed === undefined, story).toBe(things.includes(thing));
    count[failed === undefined ? "reached" : "refused"]++;
  }
  process.stdout.write(`pages: ${count.reached} times its own element, ${count.refused} times none\n`);
  expect(count.reached).toBeGreaterThan(100);
  expect(count.refused).toBeGreaterThan(100);
});
