import { afterAll, beforeAll, expect, test } from "vitest";
import { servePages, type PageServer } from "../support/browser.ts";
import { eachKey, enterAll, secretKinds, startRecorded, type RecordedHandsight } from "../support/secret-kinds.ts";

const page = `<title>Sign in</title>
  <label>Name <input id="name"></label> <label>Password <input type="password"></label>
  <label>Size <select><option>Small</option><option>Large</option></select></label>
  <label><input type="checkbox"> Gift wrap</label> <div contenteditable aria-label="Note"></div>
  <button onclick="prompt('Your PIN?')">Ask</button>`;

let pages: PageServer;
let server: RecordedHandsight;
beforeAll(async () => {
  pages = await servePages({ "login.html": page });
  server = await startRecorded(process.env);
  await server.handsight.call("cdp_launch", { headless: true, url: `${pages.own}/login.html` });
}, 60_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
});

const surface = "page:1";
const ask = (tool: string, args: object) => server.handsight.ask(tool, args);

async function find(query: string): Promise<string> {
  const { matches } = await server.handsight.call("cdp_find_elements", { query });
  return (matches as { uid: string }[])[0]?.uid ?? "";
}

test(
  "what is typed into a password field or a dialog of a page is found in no record",
  { timeout: 90_000 },
  async () => {
    const kinds = secretKinds("page");
    const [uid, button] = [await find("Password"), await find("Ask")];
    /** A tab that was typed before has moved the cursor. */
    const atCursor = (tool: string, argsOf: (text: string) => object) => async (text: string) => {
      await ask("cdp_click", { uid, settle_ms: 0 });
      return ask(tool, argsOf(text));
    };
    await enterAll(kinds, {
      cdp_fill: { enter: (value) => ask("cdp_fill", { uid, value }), takesLong: true },
      cdp_type_text: { enter: atCursor("cdp_type_text", (text) => ({ text })) },
      "cdp_type_text and a key": { enter: atCursor("cdp_type_text", (text) => ({ text, submit_key: "Tab" })) },
      cdp_press_key: eachKey(atCursor("cdp_press_key", (key) => ({ key }))),
      cdp_handle_dialog: {
        enter: async (prompt_text) => {
          await ask("cdp_click", { uid: button });
          await ask("cdp_handle_dialog", { action: "accept", prompt_text });
          await ask("cdp_handle_dialog", { action: "dismiss" });
        },
        takesLong: true,
      },
      type_text: { enter: (text) => ask("type_text", { surface, uid, text }) },
      ax_set_value: { enter: (text) => ask("ax_set_value", { surface, uid, text }), takesLong: true },
      "act set_value": { enter: (value) => ask("act", { surface, action: "set_value", uid, value }), takesLong: true },
      press_key: eachKey(atCursor("press_key", (key) => ({ surface, key, settle_ms: 0 }))),
      "a list without such a choice": {
        enter: async (value) => ask("cdp_fill", { uid: await find("Size"), value }),
      },
      "a misspelt tool": { enter: (text) => ask("cdp_fil", { uid, text }), takesLong: true },
    });
    const answers = [
      await ask("cdp_take_dom_snapshot", {}),
      await ask("cdp_find_elements", { query: "Password" }),
      await ask("take_ax_snapshot", { surface, format: "json" }),
      await ask("find_elements", { surface, role: "textbox" }),
      await ask("read_text", { surface, uid }),
      await ask("get_focused_element", { surface }),
      await ask("cdp_list_pages", {}),
    ];
    const told = JSON.stringify(answers.map(({ data }) => data));
    for (const { pieces } of kinds) for (const piece of pieces) expect(told.includes(piece), piece).toBe(false);
    expect(await server.hits(kinds)).toEqual([]);
  },
);

test("what a page shows of its fields is kept, and so is what was chosen from a list", async () => {
  const entries: readonly (readonly [tool: string, args: object, kept: string])[] = [
    ["cdp_fill", { uid: await find("Name"), value: "Ada" }, '"value":"Ada"'],
    ["cdp_fill", { uid: await find("Size"), value: "Large" }, '"value":"Large"'],
    ["cdp_fill", { uid: await find("Gift wrap"), value: "true" }, '"value":"true"'],
    ["cdp_fill", { uid: await find("Note"), value: "two\nlines" }, '"value":"two\\nlines"'],
    ["cdp_type_text", { text: " and more" }, '"text":" and more"'],
    ["cdp_press_key", { key: "j" }, '"key":"j"'],
    ["act", { surface, action: "set_value", uid: await find("Size"), value: "Small" }, '"value":"Small"'],
  ];
  for (const [tool, args] of entries) await server.handsight.call(tool, args);
  const written = await server.written();
  expect(entries.filter(([, , kept]) => !written.includes(kept))).toEqual([]);
  const lines = written.split("\n").filter((line) => line.includes("[UI]"));
  expect(lines.filter((line) => / (?:value|text)=(?!"\[REDACTED\]")/.test(line))).toEqual([]);
});

test(
  "the report of an agent shows what it chose from a list and typed where it shows",
  { timeout: 60_000 },
  async () => {
    const goal = 'Type "Bob" into Name, choose Large from the Size list, tick "Gift wrap"';
    await ask("cdp_navigate", { url: `${pages.own}/login.html` });
    const result = await server.handsight.call("run_agent", { goal, model: "rules", surface });
    expect(result).toMatchObject({ status: "done" });
    const written = await server.written();
    const shown = [
      "<h1>Type &quot;Bob&quot; into Name, choose Large from the Size list",
      "type &quot;Bob&quot;",
      "listitem &quot;Large&quot;",
      "&quot;Small&quot; → &quot;Large&quot;",
    ];
    expect(shown.filter((text) => !written.includes(text))).toEqual([]);
  },
);
