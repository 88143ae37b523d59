import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servePages, type PageServer } from "../support/browser.ts";
import { heldIn, openDoor, type Door, type DoorName } from "../support/doors.ts";
import { removeFolder } from "../support/remove-folder.ts";
import { visitorAt, type Visitor } from "../support/visitor.ts";
import { answerTo, type Name } from "./attacks/oracle.ts";
import { atButton, framePage, pageOf, pageRows, titles, type PageStage } from "./attacks/pages.ts";

/**
 * One browser shows the tabs "Editor", which may be used, "Payroll", which may be looked at, and two that may not be seen: by
 * their title, and by their address.
 */
const secret = { title: "My Passwords of Ann", address: "ledger-of-ann", words: "Balance of Ann" } as const;
const folder = mkdtempSync(join(tmpdir(), "handsight-page-attacks-"));
const rules = join(folder, "policy.json");
writeFileSync(
  rules,
  JSON.stringify({
    rules: [
      { window: titles.payroll, access: "act", verdict: "deny" },
      { window: titles.payroll, access: "manage", verdict: "deny" },
      { window: titles.payroll, access: "execute", verdict: "deny" },
    ],
    blockedWindowPatterns: ["*Passwords*"],
    urls: { block: [`http://*/${secret.address}*`] },
  }),
);
const allOpen = join(folder, "all-open.json");
writeFileSync(allOpen, '{"blockedWindowPatterns": []}');

let server: PageServer;
let person: Visitor;
const doors = {} as Record<DoorName, Door>;
const ends: AsyncDisposable[] = [];
const zero = () => ({ MCP: 0, HTTP: 0, CLI: 0 });
const [tried, held, asked, silent] = [zero(), zero(), zero(), zero()];

beforeAll(async () => {
  const use = <T extends AsyncDisposable>(each: T): T => {
    ends.push(each);
    return each;
  };
  const hidden = (title: string) => `<title>${title}</title><h1>${secret.words}</h1><button>Pay ${title}</button>`;
  server = use(
    await servePages({
      "editor.html": pageOf(titles.editor),
      "payroll.html": pageOf(
        titles.payroll,
        '<iframe src="OTHER/inner.html" style="position:absolute;left:20px;top:200px"></iframe>',
      ),
      "inner.html": framePage,
      "vault.html": `${hidden(secret.title)}<script>console.error("${secret.words}")</script>`,
      "asking.html": `${hidden(secret.title)}<script>onbeforeunload = (event) => event.preventDefault()</script>`,
      [`${secret.address}.html`]: hidden("Ledger"),
    }),
  );
  const common = ["--settle-ms", "60", "--browser-dir", join(folder, "browsers")];
  const open = async (name: DoorName, ...args: readonly string[]) =>
    use(await openDoor[name](process.env, [...common, ...args]));
  person = visitorAt(await open("MCP", "--rules", allOpen));
  const { port } = await person.call("cdp_launch", { headless: true, url: `${server.own}/editor.html` });
  // The last one is in front: a browser draws no other.
  for (const page of ["vault.html", `${secret.address}.html`, "payroll.html"])
    await person.call("cdp_new_page", { url: `${server.own}/${page}` });
  for (const name of ["MCP", "HTTP", "CLI"] as const) doors[name] = await open(name, "--rules", rules);
  for (const name of ["MCP", "HTTP"] as const) await doors[name].ask("cdp_connect", { port });
}, 90_000);

afterAll(async () => {
  for (const each of ends.toReversed()) await each[Symbol.asyncDispose]();
  await removeFolder(folder);
  console.log(`what is decided about is what is acted on, in pages: ${heldIn(held, tried)}`);
  console.log(`what may not be seen matches nothing, in pages: ${heldIn(silent, asked)}`);
});

interface Tab {
  readonly surface: string;
  readonly title: string;
  readonly url: string;
}

const tabsOf = async (visitor: Visitor): Promise<readonly Tab[]> =>
  (await visitor.call("cdp_list_pages"))["pages"] as readonly Tab[];

/** Which number a server has given to a tab. */
async function surfaceOf(visitor: Visitor, title: string): Promise<string> {
  const found = (await tabsOf(visitor)).find((tab) => tab.title === title);
  if (!found) throw new Error(`no tab ${title}`);
  return found.surface;
}

async function openStage(visitor: Visitor): Promise<PageStage> {
  const [editor, payroll] = [await surfaceOf(visitor, titles.editor), await surfaceOf(visitor, titles.payroll)];
  const tabs = await tabsOf(visitor);
  await visitor.call("cdp_select_page", { page_idx: tabs.findIndex(({ surface }) => surface === editor) });
  const find = async (query: string, surface: string): Promise<string> => {
    const { matches } = await visitor.call("cdp_find_elements", { query, surface });
    return (matches as { uid: string }[])[0]?.uid ?? "";
  };
  const { regions } = await visitor.call("mark_regions", { surface: payroll, include_image: false, details: true });
  const region = (regions as { region: number; region_id: string; name: string }[]).find(
    ({ name }) => name === "Pay Payroll",
  );
  const { screenshot_id } = await visitor.call("take_screenshot", { surface: payroll, mode: "window" });
  return {
    editor,
    payroll,
    payrollIndex: tabs.findIndex(({ surface }) => surface === payroll),
    payButton: await find("Pay Payroll", payroll),
    payField: await find("Name Payroll", payroll),
    innerButton: await find("Inner pay", payroll),
    ownButton: await find("Pay Editor", editor),
    region: region?.region ?? 0,
    regionId: region?.region_id ?? "",
    shot: screenshot_id as string,
  };
}

async function reached(): Promise<unknown> {
  const surface = await surfaceOf(person, titles.payroll);
  return (await person.call("cdp_evaluate_script", { function: "() => window.reached", surface }))["result"];
}

async function expectHeld(door: DoorName, tool: string, args: object): Promise<void> {
  tried[door]++;
  const before = await reached();
  const { isError, data } = await doors[door].ask(tool, args);
  const { code } = (data["error"] as { code?: string } | undefined) ?? {};
  expect([isError, code], JSON.stringify(data).slice(0, 400)).toEqual([
    true,
    expect.stringMatching(/^(denied|invalid_argument|not_found|uid_not_found)$/),
  ]);
  expect(await reached(), "Payroll noticed it").toBe(before);
  held[door]++;
}

describe.each(["MCP", "HTTP"] as const)("a page under the name of another, over %s:", (door) => {
  let stage: PageStage;
  beforeAll(async () => {
    stage = await openStage(visitorAt(doors[door]));
    expect(Object.entries({ ...stage, payrollIndex: 1 }).filter(([, value]) => !value)).toEqual([]);
  });

  test.each(pageRows.filter((_row, index) => door === "MCP" || index % 3 === 0))("%s (%s)", (_what, tool, args) =>
    expectHeld(door, tool, args(stage)),
  );

  test("the editor beside it still takes everything", async () => {
    for (const [tool, args] of [
      ["cdp_click", { uid: stage.ownButton }],
      ["click", { uid: stage.ownButton }],
      ["click", { uid: stage.ownButton, surface: stage.editor, window_title: titles.editor }],
      ["click", { ...atButton, surface: stage.editor }],
      ["cdp_evaluate_script", { function: "() => document.title" }],
    ] as const) {
      // Nothing is drawn behind the tab in front, so that no effect is to be waited for.
      expect((await doors[door].ask(tool, { ...args, settle_ms: 0 })).isError, tool).toBe(false);
    }
  });

  test("a page that has become another since it was looked at is decided on again", async () => {
    const mine = await surfaceOf(person, titles.editor);
    const rename = (title: string) =>
      person.call("cdp_evaluate_script", {
        function: `() => { document.title = ${JSON.stringify(title)}; }`,
        surface: mine,
      });
    const clicks = async () =>
      (await person.call("cdp_evaluate_script", { function: "() => window.reached", surface: mine }))["result"];
    await rename(titles.payroll);
    const before = await clicks();
    try {
      for (const [tool, args] of [
        ["cdp_click", { uid: stage.ownButton }],
        ["click", { uid: stage.ownButton, surface: stage.editor, window_title: titles.editor }],
        ["click", { ...atButton, surface: stage.editor }],
        ["cdp_type_text", { text: "x" }],
      ] as const) {
        tried[door]++;
        const { isError, data } = await doors[door].ask(tool, args);
        expect(isError, JSON.stringify(data)).toBe(true);
        expect(await clicks()).toBe(before);
        held[door]++;
      }
    } finally {
      await rename(titles.editor);
    }
  });
});

test("a page under the name of another, on the command line", { timeout: 60_000 }, async () => {
  const payroll = await surfaceOf(visitorAt(doors.CLI), titles.payroll);
  for (const [tool, args] of [
    ["click", { ...atButton, surface: payroll }],
    ["click", { selector: 'Button:"Pay Payroll"', surface: payroll, window_title: titles.editor }],
    ["type_text", { text: "x", into: "Name Payroll", surface: payroll }],
    ["cdp_navigate", { type: "reload", surface: payroll }],
  ] as const)
    await expectHeld("CLI", tool, args);
});

/** Every tool that looks for something, and how it is named. */
const oracles: readonly (readonly [tool: string, args: object, as: string])[] = [
  ["cdp_find_elements", {}, "query"],
  ["cdp_wait_for", { timeout: 0 }, "text"],
  ["wait_for", { condition: "element", timeout_ms: 0 }, "text"],
  ["wait_for", { timeout_ms: 0 }, "window_title"],
  ["wait_for", { condition: "window_closed", timeout_ms: 0 }, "window_title"],
  ["find_text", {}, "text"],
  ["find_elements", {}, "name"],
  ["find_elements", { selector: "Button" }, "window_title"],
  ["take_ax_snapshot", {}, "window_title"],
  ["take_screenshot", { mode: "window" }, "window_title"],
  ["click", {}, "text"],
  ["click", atButton, "window_title"],
  ["read_text", {}, "text"],
  ["type_text", { text: "x" }, "into"],
  ["press_key", { key: "a" }, "window_title"],
  ["mark_regions", {}, "window_title"],
  ["ocr", {}, "window_title"],
];

/** Part of a title, of an address and of what is written there. */
const names: readonly (readonly [string, string])[] = [
  [secret.title, "No Such Page of Bob"],
  ["My Pass", "Qx Zzzz"],
  [secret.address, "nothing-of-ann"],
  [secret.words, "Nothing of Ann"],
];

describe.each([
  ["MCP", 2],
  ["HTTP", 7],
  ["CLI", 67],
] as const)("what a page may not show matches nothing, over %s:", (door, step) => {
  test("by name, in a blocked tab, beside it and on the desktop", { timeout: 90_000 }, async () => {
    const visitor = visitorAt(doors[door]);
    const tabs = await tabsOf(visitor);
    const blocked = tabs.filter(({ title }) => title === "[blocked]").map(({ surface }) => surface);
    expect(blocked).toHaveLength(2);
    const places = [...blocked, await surfaceOf(visitor, titles.payroll)];
    const rows = oracles.flatMap(([tool, args, as]) =>
      places.flatMap((surface) => names.map(([own, absent]) => [tool, { ...args, surface }, as, own, absent] as const)),
    );
    const differing: string[] = [];
    for (const [tool, args, as, own, absent] of rows.filter((_row, index) => index % step === 0)) {
      asked[door]++;
      const named = (value: string): Name => ({ [as]: value });
      const list = (value: string) => (tool === "cdp_wait_for" ? ({ text: [value] } as unknown as Name) : named(value));
      const ask = async (value: string) =>
        (await answerTo(doors[door], tool, args, list(value))).replaceAll(value, "NAME");
      const [theirs, nobodys] = await Promise.all([ask(own), ask(absent)]);
      if (theirs === nobodys) silent[door]++;
      else differing.push(`${tool} ${JSON.stringify(args)} ${as} ${own}:\n  ${theirs}\n  ${nobodys}`);
    }
    expect(differing).toEqual([]);
  });

  test("in no list and no refusal", { timeout: 60_000 }, async () => {
    const tabs = await tabsOf(visitorAt(doors[door]));
    const index = tabs.findIndex(({ title }) => title === "[blocked]");
    const surface = tabs[index]?.surface ?? "";
    const calls: readonly (readonly [string, object])[] = [
      ["cdp_list_pages", {}],
      ["cdp_select_page", { page_idx: index }],
      ["cdp_select_page", { page_idx: 99 }],
      ["cdp_take_dom_snapshot", { surface }],
      ["take_screenshot", { surface }],
      ["cdp_take_dom_snapshot", { surface: "page:99" }],
      ["cdp_click", { uid: "d9999" }],
      ["cdp_navigate", { type: "back", surface }],
      ["get_focused_element", { surface }],
      ["capabilities", {}],
    ];
    const telling: string[] = [];
    for (const [tool, args] of calls.filter((_call, at) => door !== "CLI" || at % 3 === 0)) {
      asked[door]++;
      const { data, text: told } = await doors[door].ask(tool, args);
      const text = JSON.stringify([data, told]);
      if (/of ann|of-ann|ledger/i.test(text)) telling.push(`${tool}: ${text}`);
      else silent[door]++;
    }
    expect(telling).toEqual([]);
  });
});

/** Opens another tab that may not be seen, and returns the number of one: every command counts them anew. */
async function openBlocked(visitor: Visitor, page: string): Promise<string> {
  const blocked = async () => (await tabsOf(visitor)).filter(({ title }) => title === "[blocked]");
  const before = await blocked();
  await person.call("cdp_new_page", { url: `${server.own}/${page}` });
  await expect.poll(async () => (await blocked()).length, { timeout: 10_000 }).toBe(before.length + 1);
  const after = await blocked();
  const known = before.map(({ surface }) => surface);
  return (after.find(({ surface }) => !known.includes(surface)) ?? after[0])?.surface ?? "";
}

describe.each(["MCP", "HTTP", "CLI"] as const)("a page that may not be seen can be left, over %s:", (door) => {
  test("to an address, without a word of what it was", { timeout: 60_000 }, async () => {
    const visitor = visitorAt(doors[door]);
    const surface = await openBlocked(visitor, "vault.html");
    const url = `${server.own}/editor.html`;
    const { data, text } = await doors[door].ask("cdp_navigate", { url, surface });
    expect(data).toMatchObject({ ok: true, effect: "confirmed", surface, message: `Navigated to ${url}` });
    expect(data).toMatchObject({ changes: { url: { from: "about:blocked", to: url } } });
    expect(JSON.stringify([data, text])).not.toMatch(/of ann|vault/i);
    expect(await visitor.call("cdp_take_dom_snapshot", { surface })).toMatchObject({ title: titles.editor });
  });

  test("not to where nobody may be, nor by loading it again", { timeout: 60_000 }, async () => {
    const visitor = visitorAt(doors[door]);
    const surface = await openBlocked(visitor, "vault.html");
    for (const to of [
      { url: `${server.own}/${secret.address}.html` },
      { url: "javascript:document.title = 'Editor'" },
      { type: "reload" },
      { url: `${server.own}/asking.html` },
    ]) {
      const refusal = await visitor.fails("cdp_navigate", { ...to, surface });
      expect(refusal).toMatchObject({ code: "denied" });
      expect(JSON.stringify(refusal)).not.toMatch(/Ann\b/);
    }
  });
});

test("a page that may not be seen and asks whether to leave it stays", { timeout: 60_000 }, async () => {
  const visitor = visitorAt(doors.MCP);
  const surface = await openBlocked(visitor, "asking.html");
  // A browser lets only pages ask that somebody has used.
  await person.call("cdp_click", { uid: await person.find("Pay My Passwords", "button") });
  const refusal = await visitor.fails("cdp_navigate", { url: `${server.own}/editor.html`, surface });
  expect(refusal).toMatchObject({ code: "not_dispatchable" });
  expect(JSON.stringify(refusal)).not.toMatch(/of ann/i);
  expect(await person.call("cdp_take_dom_snapshot")).toMatchObject({ title: secret.title });
  await person.call("cdp_evaluate_script", { function: "() => void (onbeforeunload = null)" });
});
