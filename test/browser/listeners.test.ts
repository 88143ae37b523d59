import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const page = `<title>Listeners</title><style>i, #blank { display: inline-block; width: 20px; height: 20px }</style>
  <p>Page <span id=back>Prev</span><span id=on>Next</span> of 3</p>
  <div id=card>Plain card<br>two lines</div>
  <i id=icon class="icon-share css-1x2y3z"></i>
  <img id=bin src="img/bin.png?v=2" width=16 height=16>
  <svg width=100 height=40><circle id=dot cx=20 cy=20 r=9 fill=blue /><rect id=idle x=40 y=5 width=9 height=9 /></svg>
  <div id=blank style="background: #c00"></div>
  <div id=list><button>One</button><button>Two</button></div>
  <div id=offer><h3>Offer</h3><p>Two for one</p></div>
  <ul id=menu><li id=first>First</li><li>Second</li></ul>
  <table><tr id=row><td>Cell</td><td>Other</td></tr></table>
  <div id=host></div>
  <iframe id=inner srcdoc="<span id=deep>Deep</span><script>deep.addEventListener('click', () => { deep.textContent = 'Reached'; })</script>"></iframe>
  <div id=handler onclick="out.textContent = 'handler'">Handler</div>
  <div id=tabbed tabindex=0>Tabbed</div>
  <div id=hand style="cursor: pointer">Hand</div>
  <div id=still>Nothing here</div>
  <output id=out></output>
  <script>
    addEventListener("click", ({ target }) => { if (/^(tabbed|hand)$/.test(target.id)) out.textContent = target.id; });
    const tile = host.attachShadow({ mode: "closed" });
    tile.innerHTML = "<b id=tile>Tile</b>";
    tile.firstChild.addEventListener("click", () => { out.textContent = "tile"; });
    for (const id of ["back", "on", "card", "icon", "bin", "dot", "blank", "list", "offer", "menu", "first", "row"])
      document.getElementById(id).addEventListener("click", (event) => { event.stopPropagation(); out.textContent = id; });
  </script>`;

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages({ page });
  browser = await launchHeadless({ settleMs: "400" });
  await browser.call("cdp_navigate", { url: `${server.own}/page` });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

interface Listed {
  readonly uid: string;
  readonly role: string;
  readonly native_role?: string;
  readonly name: string;
  readonly description?: string;
  readonly automation_id?: string;
  readonly actions?: readonly string[];
}
const kindOf = (listed: Listed | undefined): string | undefined => listed?.native_role ?? listed?.role;
const listed = async (): Promise<ReadonlyMap<string, Listed>> => {
  const { elements } = await browser.call("take_ax_snapshot", { surface: "page:1", format: "json" });
  return new Map((elements as Listed[]).map((each) => [each.automation_id ?? each.uid, each]));
};

test("what has a listener from a script is listed as something to press, and a click reaches it", async () => {
  const all = await listed();
  for (const id of ["back", "on", "card", "icon", "bin", "dot", "offer", "first", "row", "tile"]) {
    const kind = { bin: "image", first: "listitem", row: "row" }[id] ?? "clickable";
    expect(kindOf(all.get(id)), id).toBe(kind);
    expect(all.get(id)?.actions, id).toContain("press");
    expect(await browser.call("cdp_click", { uid: all.get(id)?.uid }), id).toMatchObject({ effect: "confirmed" });
    expect((await listed()).get("out")?.name).toBe(id);
  }
  expect([all.get("back")?.name, all.get("on")?.name]).toEqual(["Prev", "Next"]);
});

test("so is what is in a frame of the same site, and the page lives on", async () => {
  for (let round = 0; round < 3; round++) {
    await browser.call("cdp_navigate", { url: `${server.own}/page` });
    const deep = (await listed()).get("deep");
    expect(deep).toMatchObject({ native_role: "clickable", name: "Deep" });
    expect(await browser.call("cdp_click", { uid: deep?.uid })).toMatchObject({ node_after: { name: "Reached" } });
  }
});

test("what only passes clicks on, or has no listener, stays as it was", async () => {
  const all = await listed();
  expect(all.get("list")).toBeUndefined();
  expect(all.get("menu")?.actions).not.toContain("press");
  expect(all.get("idle")).toMatchObject({ native_role: "graphics-symbol", description: "shape: rect" });
  expect(all.get("idle")?.actions).not.toContain("press");
  expect([...all.values()].find(({ name }) => name === "Nothing here")?.native_role).not.toBe("clickable");
});

test("what has no name tells its class, its picture or its shape, and is found by it", async () => {
  const all = await listed();
  expect(all.get("icon")?.description).toBe("class: icon-share");
  expect(all.get("bin")?.description).toBe("picture: bin.png");
  expect(all.get("dot")?.description).toBe("shape: blue circle");
  expect(all.get("blank")?.description).toBe("colour: #cc0000");
  const { snapshot } = await browser.call("cdp_take_dom_snapshot");
  expect(snapshot).toContain('clickable ("class: icon-share")');
  expect(snapshot).toContain('image ("picture: bin.png") clickable');
  expect(await browser.find("bin.png")).toBe(all.get("bin")?.uid);
});

test("marks number them too, with the hint", async () => {
  const { legend } = await browser.call("mark_regions", { surface: "page:1" });
  for (const mark of ['"Prev"', '"Next"', '"class: icon-share"', '"shape: blue circle"', '"colour: #cc0000"'])
    expect(legend).toContain(mark);
});

test("a listener that comes later, or goes, is noticed", async () => {
  const change = (code: string) => browser.call("cdp_evaluate_script", { function: `() => { ${code} }` });
  await change("window.later = () => {}; still.addEventListener('click', later)");
  expect((await listed()).get("still")?.native_role).toBe("clickable");
  await change("still.removeEventListener('click', later)");
  expect((await listed()).get("still")?.native_role).not.toBe("clickable");
});

test.each(["back", "card", "icon", "dot", "handler", "tabbed", "hand"])(
  "the desktop's tools press it by its uid too: %s",
  async (id) => {
    const { elements } = await browser.call("find_elements", { surface: "page:1", selector: `#${id}` });
    const [found] = elements as Listed[];
    expect(await browser.call("click", { surface: "page:1", uid: found?.uid })).toMatchObject({ effect: "confirmed" });
    expect((await listed()).get("out")?.name).toBe(id);
  },
);
