import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchHeadless, servePages, type PageServer } from "../support/browser.ts";

/** Why a name is easy to get wrong, an element with the id `it`, and its name. */
const names: readonly (readonly [why: string, html: string, name: string])[] = [
  ["a no-break space is a space", "<button id=it>Pay&nbsp;now</button>", "Pay now"],
  ["a space may be alone in an element", "<button id=it>Pay<b><i> </i></b>now</button>", "Pay now"],
  ["boxes are words", "<button id=it><b style='display:inline-block'>Pay</b><b>now</b></button>", "Pay now"],
  [
    "hidden parts of a visible label do not count",
    "<b id=a>Send <i hidden>draft</i></b><button id=it aria-labelledby=a>x</button>",
    "Send",
  ],
  [
    "all of a hidden label counts",
    "<b id=a hidden>Send <i hidden>draft</i></b><button id=it aria-labelledby=a>x</button>",
    "Send draft",
  ],
  [
    "what is visible inside something hidden counts",
    "<button id=it>Save <b style='visibility:hidden'>not <i style='visibility:visible'>all</i></b></button>",
    "Save all",
  ],
  [
    "generated content counts",
    "<style>#it::before { content: 'New: ' }</style><button id=it>mail</button>",
    "New: mail",
  ],
  [
    "generated content may say what it means",
    "<style>#it::before { content: '✉' / 'Mail' }</style><button id=it>to Ann</button>",
    "Mail to Ann",
  ],
  [
    "only the browser knows its counters",
    "<style>body { counter-reset: n 6 } #it { counter-increment: n } #it::before { content: '#' / counter(n) '.' }</style><button id=it>Step</button>",
    "7. Step",
  ],
  ["only the browser knows its quotation marks", "<button id=it lang=en>Say <q>hi</q></button>", "Say “hi”"],
  [
    "a list in a label is its value",
    "<label><input type=checkbox id=it> Wake me after <select><option>10<option selected>20</select> minutes</label>",
    "Wake me after 20 minutes",
  ],
  [
    "a list of another kind, too",
    "<label><input type=checkbox id=it> Play <span role=listbox><b role=option>one</b><b role=option aria-selected=true>all</b></span> songs</label>",
    "Play all songs",
  ],
  ["a meter in a button is its value", "<button id=it>Battery <meter value=0.4>forty</meter></button>", "Battery 0.4"],
  [
    "owned elements are part of it",
    "<div aria-hidden=true><b id=a>Play</b></div><button id=it aria-owns=a></button>",
    "Play",
  ],
  ["what another element owns is not", "<span aria-owns=a></span><button id=it>Fast <b id=a>car</b></button>", "Fast"],
  ["targets of its actions are not", "<div role=tab id=it aria-actions=a>Inbox <b id=a>×</b></div>", "Inbox"],
  [
    "the label of a slot is not what is in it",
    "<span id=a></span><script>a.attachShadow({ mode: 'open' }).innerHTML = 'one <slot aria-label=slot>two</slot>'</script><button id=it aria-labelledby=a></button>",
    "one two",
  ],
  ["text counts as it is shown", "<button id=it style='text-transform:uppercase'>call us</button>", "CALL US"],
  ["the reading of a word does not count", "<button id=it><ruby>漢<rt>kan</rt></ruby></button>", "漢"],
  ["a status inside is not its name", "<button id=it>Inbox <b role=status>3 new</b></button>", "Inbox"],
  [
    "the branches of a tree are not the name of the item",
    "<div role=tree><div role=treeitem id=it>Fruit<div role=group><div role=treeitem>Apple</div></div></div></div>",
    "Fruit",
  ],
  ["a label has a title, too", "<label title='Your name'><input id=it></label>", "Your name"],
  ["a drawing has a title", "<button id=it><svg width=9 height=9><title>Close</title></svg></button>", "Close"],
  ["an empty alternative is final", "<button id=it>Ok<img alt='' title=No src=data:,></button>", "Ok"],
  [
    "a caption is not the name of its figure",
    "<figure id=it title=Trend><img alt=Chart src=data:,><figcaption>Sales</figcaption></figure>",
    "Trend",
  ],
  ["a password is part of no name", "<button id=it>Show <input type=password value=secret></button>", "Show"],
];

/** Elements with the id `it`, and what they are. */
const roles: readonly (readonly [html: string, role: string])[] = [
  ["<svg width=40 height=40><a id=it href=#><circle cx=20 cy=20 r=20 /></a></svg>", "link"],
  ["<svg width=40 height=40><rect id=it width=20 height=20><title>Bar</title></rect></svg>", "graphics-symbol"],
  ["<select><option id=it>Red<option>Blue</select>", "option"],
  ["<div role=grid><div role=row><b role=gridcell id=it>7</b></div></div>", "gridcell"],
  ["<ul id=it><li><a href=#>One</a><li><a href=#>Two</a></ul>", "list"],
  ["<fieldset id=it><input aria-label=a><input aria-label=b></fieldset>", "group"],
  ["<table><thead id=it><tr><th>a<th>b<tbody><tr><td>1<td>2</table>", "rowgroup"],
  ["<hr id=it>", "separator"],
  ["<code id=it>ls</code>", "code"],
  ["<em id=it>now</em>", "emphasis"],
  ["<p><em>Do</em> it <code id=inner>now</code></p><main id=it>Text</main>", "main"],
  ["<div id=it role='region navigation'>x</div>", "navigation"],
  ["<h2 id=it role=none aria-label=News>x</h2>", "heading"],
];

const page = (body: string): string => `<!doctype html><title>Names</title>${body}`;

let server: PageServer;
let browser: Awaited<ReturnType<typeof launchHeadless>>;

beforeAll(async () => {
  const cases = [...names.map(([, html]) => html), ...roles.map(([html]) => html)];
  const pages = Object.fromEntries(cases.map((html, index) => [`case-${index}`, page(html)]));
  server = await servePages(pages);
  browser = await launchHeadless();
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
  readonly automation_id?: string;
  readonly states: readonly string[];
  readonly bounds?: { readonly x: number; readonly width: number };
}

const open = (name: string) => browser.call("cdp_navigate", { url: `${server.own}/${name}` });

async function listed(): Promise<readonly Listed[]> {
  const { elements } = await browser.call("take_ax_snapshot", { surface: "page:1", format: "json" });
  return elements as readonly Listed[];
}

async function show(body: string): Promise<readonly Listed[]> {
  await browser.call("cdp_evaluate_script", { function: "(html) => { document.body.innerHTML = html }", args: [body] });
  return listed();
}

const snapshot = async (): Promise<string> =>
  String((await browser.call("cdp_take_dom_snapshot", {}))["snapshot"]).replaceAll(/\bd\d+ /g, "");

describe("names are what the browser computes", () => {
  test.for(names.map((each, index) => [...each, index] as const))("%s", async ([, , name, index]) => {
    await open(`case-${index}`);
    const all = await listed();
    expect(all.find(({ automation_id: id }) => id === "it")?.name).toBe(name);
  });

  test("a name with a counter is found by what it shows, and follows the counter", async () => {
    const index = names.findIndex(([why]) => why.includes("counters"));
    await open(`case-${index}`);
    const find = async (query: string) =>
      ((await browser.call("cdp_find_elements", { query, role: "button" }))["matches"] as readonly Listed[])[0]?.name;
    expect(await find("7. Step")).toBe("7. Step");
    await browser.call("cdp_evaluate_script", { function: "() => { document.body.style.counterReset = 'n 20' }" });
    expect(await find("21")).toBe("21. Step");
  });
});

describe("roles are the browser's", () => {
  test.for(roles.map((each, index) => [...each, names.length + index] as const))("%s", async ([, role, index]) => {
    await open(`case-${index}`);
    const found = (await listed()).find(({ automation_id: id }) => id === "it");
    const text = await snapshot();
    // Text that is all of an element has no id of its own.
    expect(found ? (found.native_role ?? found.role) : text).toMatch(new RegExp(`^${role}\\b`, "m"));
  });

  test("a sentence with code and emphasis in it stays one line", async () => {
    await show("<p>Type <code>ls</code> and <em>look</em>.</p>");
    expect(await snapshot()).toBe('paragraph "Type ls and look."');
  });
});

describe("what is listed", () => {
  beforeAll(() => open("case-0"));

  test("the options of a closed list are listed, and a click chooses one", async () => {
    const all = await show(
      "<label>Colour <select id=colour onchange='out.textContent = this.value'><option>Red<option>Blue<option disabled>Grey</select></label><p id=out></p>",
    );
    const blue = all.find(({ name }) => name === "Blue");
    expect(await snapshot()).toMatch(
      /combobox "Colour" ="Red"\n option "Red" selected\n option "Blue"\n option "Grey" disabled/,
    );
    expect(await browser.call("cdp_click", { uid: blue?.uid })).toMatchObject({ effect: "confirmed" });
    expect(await snapshot()).toMatch(/="Blue"[^]*option "Blue" selected[^]*paragraph "Blue"/);
    const grey = all.find(({ name }) => name === "Grey");
    expect((await browser.fails("cdp_click", { uid: grey?.uid })).message).toContain("is disabled");
  });

  test("a long closed list does not fill the listing, and every option is found", async () => {
    await show(
      `<select>${Array.from({ length: 200 }, (_, index) => `<option${index === 150 ? " selected" : ""}>Place ${index}`).join("")}</select>`,
    );
    const text = await snapshot();
    expect(text.split("\n").length).toBeLessThan(40);
    expect(text).toContain('option "Place 150" selected');
    expect(text).toMatch(/… 17\d more options/);
    await expect(browser.find("Place 199", "option")).resolves.toMatch(/^d\d+$/);
  });

  test("signs in elements of their own are told apart", async () => {
    const all = await show("<p>Amount</p><div><span>-</span> <span>+</span></div>");
    const [minus, plus] = ["-", "+"].map((sign) => all.find(({ name }) => name === sign));
    expect(minus?.uid).toMatch(/^d\d+$/);
    expect(plus?.uid).toMatch(/^d\d+$/);
    expect(minus?.uid).not.toBe(plus?.uid);
  });

  test("the box of a text holds all of it", async () => {
    const all = await show("<div><b>Total</b> of everything that was ordered</div><button>Go</button>");
    const { result } = await browser.call("cdp_evaluate_script", {
      function:
        "() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('div')); return range.getBoundingClientRect().width }",
    });
    const text = all.find(({ name }) => name.startsWith("Total"));
    expect(Math.abs((text?.bounds?.width ?? 0) - Number(result))).toBeLessThan(3);
  });

  test("a label does not hide the text under it", async () => {
    await show("<div role=alert aria-label=Error>Wrong password</div>");
    expect(await snapshot()).toContain('alert "Error"\n text "Wrong password"');
  });

  test("the text of a drawing is listed", async () => {
    await show("<svg width=200 height=40><g><text y=20>Sales 2026</text></g></svg>");
    expect(await snapshot()).toBe('text "Sales 2026"');
  });

  test("JSON says what is disabled, and has the uids of the text form", async () => {
    const all = await show(
      "<button disabled>Off</button><button>On</button><ul><li>One <a href=#>a</a><li>Two <a href=#>b</a></ul>",
    );
    expect(all.find(({ name }) => name === "Off")?.states).toContain("disabled");
    expect(all.find(({ name }) => name === "On")?.states).not.toContain("disabled");
    const { snapshot: text } = await browser.call("cdp_take_dom_snapshot", {});
    const inText = [...String(text).matchAll(/^ *(d\d+) /gm)].map(([, uid]) => uid);
    expect(all.map(({ uid }) => uid).filter((uid) => !uid.includes("g"))).toEqual(inText);
    expect(inText.length).toBeGreaterThan(5);
  });
});
