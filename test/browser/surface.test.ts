import { mkdtemp, writeFile } from "node:fs/promises";
import { answerTexts } from "../../src/tools/answers.ts";
import { callTool } from "../../src/tools/call.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { screenPoint } from "../../src/base/geometry.ts";
import { launchHeadless, servePages, type BrowserSession, type Data, type PageServer } from "../support/browser.ts";

const surface = "page:1";
let server: PageServer;
let browser: BrowserSession;

beforeAll(async () => {
  server = await servePages({
    "asks.html": `<!doctype html><title>Asks</title><style>body { margin: 0 } div { height: 30px }</style>
      <button style="width: 120px; height: 30px" onclick="alert('sure?')">Ask</button>
      <div onmousemove="alert('sure?')" style="background: #ccc"></div>
      <input id=key aria-label=Key onkeydown="if (event.key === 'Enter') alert('sure?')">`,
    "orders.html": `<!doctype html><title>Orders</title><button>New</button><table>${Array.from(
      { length: 500 },
      (_, index) => `<tr><td>${1_000 + index}<td>Customer ${index}<td><button>Open ${index}</button>`,
    ).join("")}</table><button>Last</button>`,
  });
  browser = await launchHeadless();
  await browser.call("cdp_navigate", { url: `${server.own}/controls.html` });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

test("a page is looked at like a desktop: picture, elements, text", async () => {
  const shot = await browser.call("take_screenshot", { surface });
  expect(shot).toMatchObject({ screenshot_origin_x: 0, screenshot_origin_y: 0 });
  const { snapshot } = await browser.call("take_ax_snapshot", { surface, bounds: "all" });
  expect(String(snapshot)).toMatch(/button "Plain" d\d+ \d+,\d+ \d+x\d+/);
  const { matches } = await browser.call("find_text", { text: "Plain", surface });
  expect(matches).toMatchObject([{ role: "button", text: "Plain" }]);
  const [{ x, y }] = matches as [{ x: number; y: number }];
  expect(await browser.call("element_at_point", { x, y, surface })).toMatchObject({
    element: { role: "button", name: "Plain" },
  });
  const { elements } = await browser.call("find_elements", { selector: "CheckBox:Agree", surface });
  expect(elements).toHaveLength(1);
});

test("a long table is folded into the budget, its rest is listed on request, and since gives the difference", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/orders.html` });
  for (const tool of ["take_ax_snapshot", "cdp_take_dom_snapshot"]) {
    const data = await browser.call(tool, { surface });
    const [answer = ""] = answerTexts(tool, { data, isUntrusted: true }, "text");
    expect(answer.length / 4).toBeLessThan(300);
    expect(answer).toMatch(/row "1004" "Customer 4"[^]*row × 495 more like this: "1005 [^]*button "Last"/);
  }
  const { snapshot, snapshot_id: since } = await browser.call("take_ax_snapshot", { surface });
  const [, root = "", offset = ""] = /root (d\d+) offset (\d+)/.exec(String(snapshot)) ?? [];
  const rest = await browser.call("take_ax_snapshot", { root, offset: Number(offset) + 493 });
  const [, uid = ""] = /button "Open 499" (d\d+)/.exec(String(rest["snapshot"])) ?? [];
  await browser.call("cdp_evaluate_script", {
    function: "(button) => { button.textContent = 'Opened' }",
    args: [{ uid }],
    surface,
  });
  const changed = await browser.call("take_ax_snapshot", { surface, since });
  expect(String(changed["snapshot"])).toContain(`~ button "Open 499" ${uid} → "Opened"`);
  expect(String(changed["snapshot"]).split("\n").length).toBeLessThan(4);
  await browser.call("cdp_navigate", { url: `${server.own}/controls.html` });
});

test("a busy page is waited for only as long as the question is worth", async () => {
  const { backend } = await browser.session.surface(surface);
  const { elements } = backend;
  if (!elements) throw new Error("a page has elements");
  const known = await browser.find("Plain");
  const busy = "() => setTimeout(() => { for (const end = Date.now() + 1500; Date.now() < end;); }, 20)";
  await browser.call("cdp_evaluate_script", { function: busy, settle_ms: 0 });
  const hurry = { timeoutMs: 100 };
  const isBusy = async () =>
    elements.focused(hurry).then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(await poll(isBusy, { timeoutMs: 1_000, everyMs: 5 })).toMatchObject({ code: "timeout" });
  await Promise.all([
    expect(elements.at(screenPoint(5, 5), hurry)).rejects.toMatchObject({ code: "timeout" }),
    expect(elements.read([known], hurry)).rejects.toMatchObject({ code: "timeout" }),
    expect(elements.tree(elements.scope({ pid: 1 }), { maxNodes: 20, ...hurry })).rejects.toMatchObject({
      code: "timeout",
    }),
  ]);
  expect((await elements.tree(elements.scope({ pid: 1 }), { maxNodes: 20 })).nodes.length).toBeGreaterThan(5);
});

test("the generic tools act on a page and verify the effect", async () => {
  const pressed = await browser.call("click", { text: "Plain", surface });
  expect(pressed).toMatchObject({ effect: "confirmed", surface });
  const { elements } = await browser.call("find_elements", { selector: "TextBox:Name", surface });
  const [{ uid }] = elements as [Data];
  expect(await browser.call("ax_set_value", { uid, text: "Ann", surface })).toMatchObject({ effect: "confirmed" });
  expect(await browser.call("act", { action: "type", uid, text: "x", surface })).toMatchObject({ effect: "confirmed" });
  expect(await browser.call("read_text", { uid, surface })).toMatchObject({ text: "Annx" });
  expect(await browser.call("get_focused_element", { surface })).toMatchObject({ element: { name: "Name" } });
  const waited = await browser.call("wait_for", { condition: "element", selector: "TextBox:Name", surface });
  expect(waited).toMatchObject({ met: true });
  const point = await browser.call("find_text", { text: "Inert", surface });
  const [{ x, y }] = point["matches"] as [{ x: number; y: number }];
  await browser.call("move_mouse", { x, y, surface });
  expect(await browser.call("get_mouse_position", { surface })).toMatchObject({ x, y });
});

test("a uid of a page identifies the page, so the general tools need no surface", async () => {
  const uid = await browser.find("Agree", "checkbox");
  expect(await browser.call("click", { uid })).toMatchObject({ effect: "confirmed", surface });
  expect(await browser.call("ax_click", { uid })).toMatchObject({ effect: "confirmed", surface });
  const { elements } = await browser.call("find_elements", { role: "checkbox", within: uid });
  expect(elements).toMatchObject([{ uid }]);
  expect(await browser.fails("cdp_click", { uid: "d3g2" })).toMatchObject({
    code: "invalid_argument",
    hint: expect.stringContaining('surface: "page:…"') as string,
  });
});

test("an element has one name for the general tools and those of the browser, in every snapshot", async () => {
  const uid = await browser.find("Agree", "checkbox");
  expect(await browser.call("click", { uid, surface })).toMatchObject({ effect: "confirmed" });
  const { elements } = await browser.call("find_elements", { selector: "CheckBox:Agree", surface });
  expect(elements).toMatchObject([{ uid }]);
  await browser.call("take_ax_snapshot", { surface });
  expect(await browser.call("cdp_click", { uid })).toMatchObject({ effect: "confirmed" });
  expect(await browser.call("ax_click", { uid, surface })).toMatchObject({ effect: "confirmed" });
  expect(await browser.fails("click", { uid: "d999999", surface })).toMatchObject({ code: "uid_not_found" });
  expect(await browser.fails("click", { uid: "a1g1", surface })).toMatchObject({
    code: expect.stringMatching(/^(uid_not_found|snapshot_expired)$/) as string,
  });
  await browser.call("cdp_evaluate_script", {
    function: "(old) => old.replaceWith(old.cloneNode(true))",
    args: [{ uid }],
  });
  expect(await browser.fails("click", { uid, surface })).toMatchObject({ code: "uid_not_found" });
  // If the element is gone, the whole page must not be searched instead.
  for (const tool of ["find_elements", "click"]) {
    const within = { selector: "CheckBox:Agree", within: uid, surface };
    expect(await browser.fails(tool, within)).toMatchObject({ code: "uid_not_found" });
  }
  expect(await browser.fails("take_ax_snapshot", { root: uid, surface })).toMatchObject({ code: "uid_not_found" });
});

test("a click that changes nothing but the address is confirmed by it", async () => {
  const link =
    "() => { document.body.prepend(Object.assign(document.createElement('a'), { href: '#there', textContent: 'Go there' })); }";
  await browser.call("cdp_evaluate_script", { function: link });
  expect(await browser.call("click", { text: "Go there", surface })).toMatchObject({
    effect: "confirmed",
    changes: { windows: [expect.stringMatching(/^went to .*#there$/)] },
  });
  await browser.call("cdp_navigate", { type: "back" });
  await browser.call("cdp_evaluate_script", {
    function: "() => { document.querySelector('a[href=\"#there\"]').remove(); }",
  });
});

test("a field under a sticky header is clicked where it can be reached", async () => {
  const under = "() => { scrollBy(0, document.getElementById('name').getBoundingClientRect().top - 20); }";
  await browser.call("cdp_evaluate_script", { function: under });
  const { elements } = await browser.call("find_elements", { selector: "TextBox:Name", surface });
  const [{ uid }] = elements as [Data];
  await browser.call("click", { uid, surface });
  expect(await browser.call("get_focused_element", { surface })).toMatchObject({ element: { name: "Name" } });
  await browser.call("cdp_evaluate_script", { function: "() => { scrollTo(0, 0); document.activeElement.blur(); }" });
});

test("what can be pressed on a page is numbered from its document, and pressed by its number", async () => {
  const marked = await browser.call("mark_regions", { surface, details: true });
  const regions = marked["regions"] as {
    region: number;
    name: string;
    source: string;
    uid?: string;
    confidence: number;
  }[];
  const agree = regions.find(({ name }) => name === "Agree");
  expect(agree).toMatchObject({ source: "dom", confidence: 1, uid: expect.stringMatching(/^d\d+$/) });
  expect(regions.filter(({ source }) => source === "accessibility")).toEqual([]);
  expect(String(marked["legend"])).toContain(`${agree?.region} checkbox "Agree"`);
  const pressed = await browser.call("click_region", { region: agree?.region, surface });
  expect(pressed).toMatchObject({ effect: "confirmed", surface });
});

test.each([
  ["a click", "click", (at: Data) => at],
  ["a pointer that comes over it", "move_mouse", ({ x }: Data) => ({ x, y: 40 })],
  ["a key", "press_key", () => ({ key: "Enter" })],
  ["a drag", "drag", ({ x, y }: Data) => ({ start_x: x, start_y: y, end_x: x, end_y: (y as number) + 2 })],
])("a dialog that %s opens is a window of the page, and no failure", async (_what, tool, args) => {
  await browser.call("cdp_navigate", { url: `${server.own}/asks.html` });
  await browser.call("cdp_evaluate_script", { function: "() => document.getElementById('key').focus()" });
  const { matches } = await browser.call("find_text", { text: "Ask", surface });
  const [{ x, y }] = matches as [Data];
  const seen = await browser.call(tool, { ...args({ x, y }), surface });
  expect(seen).toMatchObject({ effect: "confirmed" });
  if (tool !== "move_mouse") expect(seen["changes"]).toMatchObject({ windows: ['opened "alert: sure?" (2)'] });
  await browser.call("cdp_handle_dialog", { action: "accept" });
  expect(await browser.call("cdp_find_elements", { query: "Ask" })).toMatchObject({ total: 1 });
});

test("text that a dialog cuts short is reported, not called typed", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/asks.html` });
  await browser.call("cdp_evaluate_script", { function: "() => document.getElementById('key').focus()" });
  expect(await browser.fails("type_text", { text: "a\nb", surface })).toMatchObject({
    code: "not_dispatchable",
    message: expect.stringContaining("sure?") as string,
  });
  await browser.call("cdp_handle_dialog", { action: "accept" });
});

test("an unknown surface is answered with the known ones", async () => {
  expect(await browser.fails("take_screenshot", { surface: "page:99" })).toMatchObject({ code: "window_gone" });
  expect(await browser.fails("take_screenshot", { surface: "moon" })).toMatchObject({ code: "not_found" });
});

async function launchRuled(rules: object): Promise<BrowserSession> {
  const file = join(await mkdtemp(join(tmpdir(), "handsight-rules-")), "policy.json");
  await writeFile(file, JSON.stringify(rules));
  return launchHeadless({ rules: file });
}

test("a rule about a window's title holds for a page with that title, in every family of tools", async () => {
  await using ruled = await launchRuled({ rules: [{ window: "Pay*", access: "act", verdict: "deny" }] });
  await using pages = await servePages({
    "pay.html": `<!doctype html><title>Payroll</title><button onclick="this.textContent = 'Paid'">Pay</button><input aria-label=Sum>`,
    "free.html": `<!doctype html><title>Free</title><button onclick="this.textContent = 'Pressed'">Press</button>`,
  });
  await ruled.call("cdp_navigate", { url: `${pages.own}/pay.html` });
  const uid = await ruled.find("Pay", "button");
  const on = { surface: "page:1" };
  for (const [tool, args] of [
    ["cdp_click", { uid }],
    ["cdp_hover", { uid }],
    ["cdp_fill", { uid: await ruled.find("Sum", "textbox"), value: "1" }],
    ["cdp_press_key", { key: "Enter" }],
    ["cdp_type_text", { text: "1" }],
    ["cdp_navigate", { url: `${pages.own}/free.html` }],
    ["click", { uid, ...on }],
    ["click", { x: 30, y: 20, ...on }],
    ["click", { text: "Pay", ...on }],
    ["ax_click", { uid, ...on }],
    ["type_text", { text: "1", ...on }],
    ["press_key", { key: "enter", ...on }],
    ["scroll", { direction: "down", ...on }],
  ] as const) {
    expect([tool, (await ruled.fails(tool, args)).code]).toEqual([tool, "denied"]);
  }
  expect(await ruled.call("cdp_find_elements", { query: "Pay" })).toMatchObject({ matches: [{ name: "Pay" }] });
  await ruled.call("cdp_new_page", { url: `${pages.own}/free.html` });
  expect(await ruled.call("cdp_click", { uid: await ruled.find("Press") })).toMatchObject({ effect: "confirmed" });
});

test("a yes for a page is never one for a window: every page numbers its windows from 1", async () => {
  await using ruled = await launchRuled({ rules: [{ tool: "*click", verdict: "ask" }] });
  await ruled.call("cdp_navigate", { url: `${server.own}/controls.html` });
  const uid = await ruled.find("Plain", "button");
  for (const [tool, args] of [
    ["cdp_click", { uid }],
    ["click", { uid, surface }],
  ] as const) {
    const asked = await callTool(ruled.session, { tool, arguments: args, canAsk: true });
    expect(asked).toMatchObject({ kind: "ask", question: { offers: ["once", "tool", "session", "deny"] } });
  }
});

test("a page whose script gives it a blocked title is blocked from then on", async () => {
  await using ruled = await launchRuled({ blockedWindowPatterns: ["*Secret*"] });
  await ruled.call("cdp_navigate", { url: `${server.own}/controls.html` });
  expect(
    await ruled.fails("cdp_evaluate_script", { function: "() => { document.title = 'Secret'; return 'Classified'; }" }),
  ).toMatchObject({ code: "denied" });
  expect(await ruled.fails("cdp_find_elements", { query: "Plain" })).toMatchObject({ code: "denied" });
  expect(await ruled.fails("take_screenshot", { surface })).toMatchObject({ code: "denied" });
});

test("an action is reported as done, with nothing of the blocked page it leads to", async () => {
  await using ruled = await launchRuled({ blockedWindowPatterns: ["*Secret*"] });
  const turned =
    "document.title = 'Secret'; document.body.append(Object.assign(document.createElement('button'), { textContent: 'Classified' }))";
  await using pages = await servePages({
    "open.html": `<!doctype html><title>Open</title><a href="secret.html">Go</a><button onclick="${turned}">Turn</button><input aria-label=Field oninput="${turned}">`,
    "secret.html": "<!doctype html><title>Secret</title><button autofocus>Classified</button>",
  });
  const find = async (name: string, role: string) => ({ uid: await ruled.find(name, role) });
  const actions: readonly (readonly [string, () => Promise<object> | object])[] = [
    ["cdp_click", () => find("Go", "link")],
    ["cdp_click", () => find("Turn", "button")],
    ["cdp_fill", async () => ({ ...(await find("Field", "textbox")), value: "x" })],
    ["cdp_navigate", () => ({ url: `${pages.own}/secret.html` })],
    ["cdp_new_page", () => ({ url: `${pages.own}/secret.html` })],
    ["click", () => ({ text: "Go" })],
    ["click", () => ({ text: "Turn" })],
  ];
  for (const [tool, given] of actions) {
    await ruled.call("cdp_new_page", { url: `${pages.own}/open.html` });
    const { pages: all } = await ruled.call("cdp_list_pages");
    const on = (all as { surface: string; selected: boolean }[]).find(({ selected }) => selected);
    const args = { ...(await given()), ...(tool === "click" ? { surface: on?.surface } : {}) };
    const error = await ruled.fails(tool, args);
    expect(error).toMatchObject({ code: "denied", message: expect.stringContaining(`${tool} was done`) as string });
    expect(JSON.stringify(error)).not.toMatch(/Classified|"Secret/);
  }
});

test("nothing is revealed of a page that gets a blocked title while it is being read", async () => {
  await using ruled = await launchRuled({ blockedWindowPatterns: ["*Secret*"] });
  await ruled.call("cdp_navigate", { url: `${server.own}/controls.html` });
  await ruled.call("cdp_find_elements", { query: "Plain" });
  const busy =
    "document.title = 'Secret'; for (const each of document.querySelectorAll('button')) each.textContent = 'Classified'; " +
    "for (const end = performance.now() + 400; performance.now() < end;);";
  await ruled.call("cdp_evaluate_script", { function: `() => { setTimeout(() => { ${busy} }, 30); }` });
  for (const read of [
    () => ruled.call("cdp_find_elements", { query: "Classified" }),
    () => ruled.call("find_elements", { selector: "Button:Classified", surface }),
  ]) {
    const answers: string[] = [];
    const look = () =>
      read().then(
        (data) => void answers.push(JSON.stringify(data)),
        ({ code }: { code: string }) => code,
      );
    await expect.poll(look, { interval: 5, timeout: 5_000 }).toBe("denied");
    expect(answers.filter((answer) => /"name":"Classified/.test(answer))).toEqual([]);
  }
});

test("a page is blocked by the title it has now, whichever way it got it", async () => {
  await using ruled = await launchRuled({ blockedWindowPatterns: ["*Secret*"], urls: { block: ["*://*/*vault*"] } });
  const isDenied = async () =>
    ruled.call("cdp_find_elements", { query: "Plain" }).then(
      () => false,
      ({ code }: { code: string }) => code === "denied",
    );
  const soon = async (code: string) => {
    try {
      await ruled.call("cdp_evaluate_script", { function: `() => { setTimeout(() => { ${code} }, 30); }` });
    } catch (error) {
      // If it settles slowly, the page is blocked before it has settled.
      expect(error).toMatchObject({ code: "denied" });
    }
  };
  const ways = [
    "document.title = 'Secret'; setTimeout(() => { document.title = 'Open again'; }, 600)",
    "document.querySelector('title').firstChild.data = 'A Secret'",
    "document.querySelector('title').remove(); document.body.append(Object.assign(document.createElement('title'), { textContent: 'Secret' }))",
    "document.open(); document.write('<title>Secret</title><button>Plain</button>'); document.close()",
    "history.pushState({}, '', '/vault.html')",
  ];
  for (const way of ways) {
    await ruled.call("cdp_new_page", { url: `${server.own}/controls.html` });
    await ruled.call("cdp_find_elements", { query: "Plain" });
    await soon(way);
    await expect.poll(isDenied, { message: way, interval: 20, timeout: 5_000 }).toBe(true);
    if (way === ways[0]) await expect.poll(isDenied, { interval: 20, timeout: 5_000 }).toBe(false);
  }
});

test("a blocked page cannot be selected, and nothing names its title or address", async () => {
  await using ruled = await launchRuled({ urls: { block: ["*://*/*second*"] } });
  await ruled.call("cdp_navigate", { url: `${server.own}/controls.html` });
  await ruled.call("cdp_evaluate_script", { function: "() => { open('/second.html?token=1234'); }" });
  const list = async () => (await ruled.call("cdp_list_pages"))["pages"] as { surface: string; title: string }[];
  await expect.poll(async () => (await list())[1]?.title, { timeout: 5_000 }).toBe("[blocked]");
  const [, page] = await list();
  const errors = [
    await ruled.fails("cdp_select_page", { page_idx: 1 }),
    await ruled.fails("cdp_take_dom_snapshot", { surface: page?.surface }),
    await ruled.fails("take_screenshot", { mode: "window", surface: page?.surface }),
  ];
  for (const error of errors) {
    expect(error).toMatchObject({
      code: "denied",
      message: `Page ${page?.surface} is blocked by urls.block.`,
    });
  }
  expect(await ruled.call("cdp_close_page", { page_idx: 1 })).toMatchObject({ message: "Closed [1] [blocked]" });
});

test("states say that something is disabled, also options of a closed list and what an action began with", async () => {
  const page =
    "() => { document.body.innerHTML = '<select aria-label=Size><option>Small<option disabled>Large</select><button disabled>Off</button>'; }";
  await browser.call("cdp_evaluate_script", { function: page });
  const { elements } = await browser.call("take_ax_snapshot", { surface: "page:1", format: "json" });
  const states = new Map((elements as { name: string; states: string[] }[]).map((each) => [each.name, each.states]));
  expect(states.get("Large")).toContain("disabled");
  expect(states.get("Off")).toContain("disabled");
  expect(states.get("Small")).not.toContain("disabled");
  const off = await browser.find("Off", "button");
  const scrolled = await browser.call("ax_scroll", { surface: "page:1", uid: off });
  expect((scrolled["node_before"] as { states: string[] }).states).toContain("disabled");
});

test("a dead button that only looks different under the pointer and with the focus has done nothing", async () => {
  const page = `() => {
    document.body.innerHTML = '<style>button:hover { background: #8cf } button:focus-visible { background: #fc8 }</style>' +
      '<button style="width: 99px; height: 30px">Dead</button><button style="width: 99px; height: 30px">Deaf</button>';
  }`;
  await browser.call("cdp_evaluate_script", { function: page });
  for (const text of ["Dead", "Deaf"]) {
    expect((await browser.call("click", { surface, text }))["effect"], text).toBe("no_change");
  }
  // The ring that keys bring up is no sign that a button took text.
  expect((await browser.call("type_text", { surface, text: "abc" }))["effect"]).not.toBe("confirmed");
});

test("a button that something covers is not clicked, and neither is what covers it", async () => {
  const page = `() => {
    document.body.innerHTML = '<button style="width: 99px; height: 30px">Below</button><output></output><div role=note>Above</div>';
    const above = document.querySelector("div");
    above.style = "position: fixed; inset: 0";
    above.onclick = () => { document.querySelector("output").textContent = "hit"; };
  }`;
  await browser.call("cdp_evaluate_script", { function: page });
  for (const target of [
    { text: "Below" },
    { selector: "Button:Below" },
    { uid: await browser.find("Below", "button") },
  ])
    expect(await browser.fails("click", { surface, ...target }), JSON.stringify(target)).toMatchObject({
      code: "not_dispatchable",
      message: expect.stringContaining('covered by note "Above"') as string,
    });
  const read = { function: "() => document.querySelector('output').textContent" };
  expect((await browser.call("cdp_evaluate_script", read))["result"]).toBe("");
});
