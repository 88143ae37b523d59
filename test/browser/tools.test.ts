import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  launchHeadless,
  openBrowserSession,
  servePages,
  type BrowserSession,
  type Data,
  type PageServer,
} from "../support/browser.ts";
import { answerTexts } from "../../src/tools/answers.ts";
import { removeFolder } from "../support/remove-folder.ts";

let server: PageServer;
let browser: BrowserSession & { readonly port: number };

beforeAll(async () => {
  server = await servePages();
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const out = async (): Promise<unknown> =>
  (await browser.call("cdp_evaluate_script", { function: "() => document.getElementById('out').textContent" }))[
    "result"
  ];
const valueOf = async (id: string): Promise<unknown> =>
  (
    await browser.call("cdp_evaluate_script", {
      function: `() => { const e = document.getElementById("${id}"); return e.value ?? e.innerText; }`,
    })
  )["result"];
const changes = (data: Data) =>
  data["changes"] as { tree?: string[]; url?: { to: string }; opened_pages?: string[]; downloads?: string[] };

describe("without a browser", () => {
  test("every tool of a page answers not_connected with the same words [S2-99]", async () => {
    await using empty = await openBrowserSession();
    const names = empty.session.tools.filter(
      ({ set, name }) => set === "browser" && !/connect|launch|disconnect/.test(name),
    );
    expect(names.length).toBe(17);
    const inputs: Record<string, unknown> = {
      cdp_find_elements: { query: "x" },
      cdp_click: { uid: "d1" },
      cdp_hover: { uid: "d1" },
      cdp_fill: { uid: "d1", value: "" },
      cdp_press_key: { key: "Enter" },
      cdp_type_text: { text: "x" },
      cdp_handle_dialog: { action: "accept" },
      cdp_navigate: { url: "about:blank" },
      cdp_new_page: { url: "about:blank" },
      cdp_close_page: { page_idx: 0 },
      cdp_wait_for: { text: ["x"] },
      cdp_evaluate_script: { function: "() => 1" },
      cdp_select_page: { page_idx: 0 },
      cdp_element_at_point: { x: 1, y: 1 },
    };
    for (const { name } of names) {
      expect(await empty.fails(name, inputs[name] ?? {}), name).toMatchObject({
        code: "not_connected",
        message: "No CDP connection.",
      });
    }
  });

  test("a port where no browser listens is reported as such", async () => {
    await using empty = await openBrowserSession();
    const error = await empty.fails("cdp_connect", { port: 1 });
    expect(error).toMatchObject({ code: "not_connected" });
    expect(error.hint).toContain("--user-data-dir");
  });

  test("connecting by port selects the first page, disconnecting leaves the browser open [S2-100] [S2-101]", async () => {
    await using other = await openBrowserSession();
    const connected = await other.call("cdp_connect", { port: browser.port });
    expect((connected["pages"] as { selected: boolean }[])[0]).toMatchObject({ selected: true, page_idx: 0 });
    expect(await other.call("cdp_disconnect")).toMatchObject({ disconnected: 1 });
    expect(await other.fails("cdp_list_pages")).toMatchObject({ code: "not_connected" });
    expect(await browser.call("cdp_list_pages")).toHaveProperty("pages");
  });
});

describe("on a page with every control", () => {
  beforeEach(async () => {
    await browser.call("cdp_navigate", { url: `${server.own}/controls.html` });
    await browser.call("cdp_wait_for", { text: ["Nested frame", "Other frame"] });
  });

  test("the snapshot lists frames of any process and shadow roots of any kind, in place [S2-102] [S2-119] [S2-5u]", async () => {
    const { snapshot } = await browser.call("cdp_take_dom_snapshot");
    const lines = String(snapshot).split("\n");
    const line = (part: string) => lines.find((each) => each.includes(part)) ?? "";
    for (const name of ["Open root", "Closed root", "Plain host", "Same frame", "Other frame"]) {
      expect(line(`"${name}"`), name).toMatch(/^ *d\d+ button /);
    }
    await browser.call("cdp_wait_for", { text: ["Nested frame"] });
    const indent = (part: string) => /^ */.exec(line(part))?.[0].length ?? 0;
    expect(indent('"Other frame"')).toBeGreaterThan(indent('iframe "Other"'));
    expect(line('textbox "Password"')).toMatch(/password/);
    expect(line('button "Off"')).toMatch(/disabled$/);
  });

  test("a budget leaves out what is not in view, and says how much and what [S2-102]", async () => {
    const data = await browser.call("cdp_take_dom_snapshot", { max_nodes: 10 });
    expect(data["nodes"]).toBeLessThanOrEqual(10);
    expect(data["nodes"]).toBeGreaterThan(5);
    expect(data["cut"]).toBeGreaterThan(10);
    expect(String(data["snapshot"])).toContain("use cdp_find_elements");
    expect(data["inventory"]).toMatchObject({ heading: 1 });
    expect(String(data["snapshot"])).not.toContain("Far away");
  });

  test("a budget of tokens holds for the whole answer, with the note about the rest [S2-102]", async () => {
    // The whole page takes 340.
    for (let max_tokens = 150; max_tokens <= 310; max_tokens += 10) {
      const data = await browser.call("cdp_take_dom_snapshot", { max_tokens });
      const [answer = ""] = answerTexts("cdp_take_dom_snapshot", { data, isUntrusted: true }, "text");
      expect(answer.length).toBeLessThanOrEqual(max_tokens * 4 * 1.05);
      expect(String(data["snapshot"])).toMatch(/\d+ more(?: like this| under |; use cdp_find_elements)/);
    }
  });

  test("elements are found by name, best first, with an inventory by role [S2-104]", async () => {
    const found = await browser.call("cdp_find_elements", { query: "plain" });
    const matches = found["matches"] as { name: string; uid: string; role: string }[];
    expect(matches.map(({ name }) => name).slice(0, 2)).toEqual(["Plain", "Plain host"]);
    expect(matches[0]?.uid).toMatch(/^d\d+$/);
    expect(found["inventory"]).toMatchObject({ combobox: 1, listbox: 1, slider: 1 });
    const buttons = await browser.call("cdp_find_elements", { query: "", role: "checkbox" });
    expect(buttons["matches"]).toMatchObject([{ name: "Agree", role: "checkbox" }]);
  });

  test("a click says what it hit and what changed; far elements are scrolled to [S2-105] [S2-5n]", async () => {
    const uid = await browser.find("Far away");
    const data = await browser.call("cdp_click", { uid });
    expect(data["message"]).toMatch(new RegExp(`^Clicked uid=${uid} 'Far away' \\(button\\) at \\(\\d+, \\d+\\)$`));
    expect(data).toMatchObject({ effect: "confirmed", method: "cdp" });
    expect(changes(data).tree).toEqual([expect.stringMatching(/^~ status d\d+ "" → "far pressed"$/)]);
  });

  test("a double click is two presses of one gesture [S2-105]", async () => {
    const data = await browser.call("cdp_click", { uid: await browser.find("Plain", "button"), dbl_click: true });
    expect(data["message"]).toMatch(/^Double-clicked/);
    expect(await out()).toBe("plain twice");
  });

  test("a late effect is waited for, and none is called no_change", async () => {
    expect(changes(await browser.call("cdp_click", { uid: await browser.find("Late") })).tree).toEqual([
      expect.stringMatching(/^~ status d\d+ "" → "late"$/),
    ]);
    expect(await browser.call("cdp_click", { uid: await browser.find("Inert"), settle_ms: 200 })).toMatchObject({
      effect: "no_change",
    });
  });

  test("the third click that does nothing is a suspected loop; another action starts over", async () => {
    const press = async (name: string) =>
      (await browser.call("cdp_click", { uid: await browser.find(name), settle_ms: 100 }))["suspected_loop"];
    expect([await press("Inert"), await press("Inert"), await press("Inert")]).toEqual([undefined, undefined, true]);
    expect(await press("Far away")).toBeUndefined();
    expect(await press("Inert")).toBeUndefined();
  });

  test.each(["Open root", "Closed root", "Plain host"])(
    "a button in a shadow root is clicked: %s [S2-119]",
    async (name) => {
      await browser.call("cdp_click", { uid: await browser.find(name) });
      expect(await out()).toBe(`${name.replace("Plain host", "plain host")} pressed`);
    },
  );

  test.each(["Same", "Other", "Nested"])("a button in a frame is clicked: %s [S2-119]", async (which) => {
    await browser.call("cdp_wait_for", { text: [`${which} frame`] });
    const data = await browser.call("cdp_click", { uid: await browser.find(`${which} frame`) });
    expect(data["node_after"]).toMatchObject({ name: `${which.toLowerCase()} pressed` });
  });

  test("what covers an element is named, not clicked", async () => {
    const uid = await browser.find("Plain", "button");
    await browser.call("cdp_click", { uid: await browser.find("Cover") });
    const error = await browser.fails("cdp_click", { uid });
    expect(error).toMatchObject({ code: "not_dispatchable" });
    expect(error.message).toContain('dialog "Cookie notice"');
    expect(await out()).toBe("");
  });

  test("a disabled button is refused", async () => {
    expect(await browser.fails("cdp_click", { uid: await browser.find("Off", "button") })).toMatchObject({
      code: "not_dispatchable",
      message: expect.stringContaining("disabled") as string,
    });
  });

  test("hovering opens what shows on hovering [S2-106]", async () => {
    const data = await browser.call("cdp_hover", { uid: await browser.find("Hover me") });
    expect(data["effect"]).toBe("confirmed");
    expect(await out()).toBe("hovered");
  });

  test.each([
    ["Name", "name", "Ann Example", "Ann Example"],
    ["Notes", "notes", "two\nlines", "two\nlines"],
    ["Size", "size", "Large", "l"],
    ["Size", "size", "m", "m"],
    ["Day", "day", "2026-01-31", "2026-01-31"],
    ["Volume", "volume", "7", "7"],
    ["Age", "age", "42", "42"],
    ["Paint", "paint", "#3366ff", "#3366ff"],
    ["Editor", "editor", "rich text", "rich text"],
  ])("fills %s with the events an app listens to [S2-107]", async (name, id, value, expected) => {
    const uid = await browser.find(name);
    await browser.call("cdp_evaluate_script", {
      function: `() => { window.heard = []; document.getElementById("${id}").addEventListener("input", () => heard.push("input")); }`,
    });
    const data = await browser.call("cdp_fill", { uid, value });
    expect(data["effect"]).toBe("confirmed");
    expect(await valueOf(id)).toBe(expected);
    const { result } = await browser.call("cdp_evaluate_script", { function: "() => heard.length > 0" });
    expect(result).toBe(true);
  });

  test("rows that cannot be seen are not listed, and what can be seen in them is [S2-102]", async () => {
    await browser.call("cdp_evaluate_script", {
      function: `() => { document.body.innerHTML = \`<style>label { cursor: pointer }</style><ul aria-label="Rows">
        <li><button>One</button></li>
        <li hidden><button>Two</button></li>
        <li style="visibility: hidden"><button>Three</button> and more</li>
        <li style="visibility: hidden">gone <span style="visibility: visible">Four</span></li>
        <li><button>Five</button> with text</li>
        <li style="display: none"><label>Six <input></label></li>
        <li><label>Seven <input></label></li></ul>\`; }`,
    });
    const { snapshot } = await browser.call("cdp_take_dom_snapshot");
    expect(
      String(snapshot)
        .replaceAll(/\bd\d+ /g, "")
        .split("\n"),
    ).toEqual([
      'list "Rows"',
      ' button "One"',
      ' text "Four"',
      " listitem",
      '  button "Five"',
      '  text "with text"',
      ' textbox "Seven"',
    ]);
  });

  test("filling replaces what is there, and nothing empties the field [S2-107] [S2-5o]", async () => {
    const uid = await browser.find("Name");
    await browser.call("cdp_fill", { uid, value: "first" });
    await browser.call("cdp_fill", { uid, value: "second" });
    expect(await valueOf("name")).toBe("second");
    await browser.call("cdp_fill", { uid, value: "" });
    expect(await valueOf("name")).toBe("");
    const long = await browser.call("cdp_fill", { uid, value: "longer than twenty characters" });
    expect(long["warning"]).toContain("differs from what was entered");
  });

  test.each([
    ["at once", "note.textContent = 'seen'"],
    ["in a promise", "Promise.resolve().then(() => {}).then(() => { note.textContent = 'seen' })"],
    ["and then a moment later", "note.textContent = '…'; setTimeout(() => { note.textContent = 'seen' })"],
  ])("how a page reacts to a value %s is reported with it [S2-107]", async (_, code) => {
    await browser.call("cdp_evaluate_script", {
      function: `() => { document.body.innerHTML = '<p id="note">none</p><label>Code <input></label>';
        document.querySelector("input").oninput = () => { ${code} }; }`,
    });
    const data = await browser.call("cdp_fill", { uid: await browser.find("Code"), value: "x1" });
    expect(data).toMatchObject({ effect: "confirmed", node_after: { value: "x1" } });
    expect(changes(data).tree).toContainEqual(expect.stringMatching(/^~ paragraph d\d+ "none" → "seen"$/));
  });

  test("several options, a check box and files are filled too; what a field refuses is explained [S2-107]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "handsight-file-"));
    const file = join(folder, "picture.png");
    await writeFile(file, "png");
    await browser.call("cdp_fill", { uid: await browser.find("Colours"), value: "Red\nBlue" });
    await browser.call("cdp_fill", { uid: await browser.find("Agree"), value: "true" });
    await browser.call("cdp_fill", { uid: await browser.find("Picture"), value: file });
    const { result } = await browser.call("cdp_evaluate_script", {
      function: "() => [[...colours.selectedOptions].map((o) => o.label).join(), agree.checked, file.files[0].name]",
    });
    expect(result).toEqual(["Red,Blue", true, "picture.png"]);
    await removeFolder(folder);
    const size = await browser.find("Size");
    expect(await browser.fails("cdp_fill", { uid: size, value: "Huge" })).toMatchObject({
      candidates: ["Small", "Medium", "Large"],
    });
    expect(await browser.fails("cdp_fill", { uid: await browser.find("Fixed"), value: "x" })).toMatchObject({
      code: "pattern_unsupported",
    });
    const day = await browser.find("Day");
    expect((await browser.fails("cdp_fill", { uid: day, value: "tomorrow" })).message).toContain("2026-01-31");
  });

  test("a refused value leaves the field as it was; an adjusted one says so [S2-107]", async () => {
    await browser.call("cdp_evaluate_script", {
      function: `() => { document.body.innerHTML = '<label>Fruit <select id=fruit><option value="">Any</option>' +
        '<option selected>Apple</option><optgroup label=Out disabled><option>Cherry</option></optgroup></select></label>' +
        '<label>Day <input id=day type=date value=2020-02-03></label><label>Ink <input id=ink type=color value=#112233></label>' +
        '<label>Loud <input id=loud type=range max=10 value=4></label>'; }`,
    });
    const [fruit, day, ink, loud] = [
      await browser.find("Fruit"),
      await browser.find("Day"),
      await browser.find("Ink"),
      await browser.find("Loud"),
    ];
    for (const [uid, value] of [
      [fruit, "Cherry"],
      [day, "2020-13-40"],
      [ink, "red"],
      [loud, "loud"],
    ]) {
      expect(await browser.fails("cdp_fill", { uid, value })).toMatchObject({ code: "pattern_unsupported" });
    }
    const { result } = await browser.call("cdp_evaluate_script", {
      function: "() => [fruit, day, ink, loud].map((each) => each.value)",
    });
    expect(result).toEqual(["Apple", "2020-02-03", "#112233", "4"]);
    expect(await browser.call("cdp_fill", { uid: loud, value: "50" })).toMatchObject({
      node_after: { value: 10 },
      warning: expect.stringContaining("differs from what was entered") as string,
    });
    expect(await browser.call("cdp_fill", { uid: loud, value: "5.0" })).not.toHaveProperty("warning");
    await browser.call("cdp_fill", { uid: fruit, value: "" });
    expect(await valueOf("fruit")).toBe("");
  });

  test("a password is never shown [S2-107]", async () => {
    const data = await browser.call("cdp_fill", { uid: await browser.find("Password"), value: "hunter2" });
    const { snapshot } = await browser.call("cdp_take_dom_snapshot");
    expect(JSON.stringify(data) + String(snapshot)).not.toContain("hunter2");
    expect(await valueOf("secret")).toBe("hunter2");
  });

  test("keys and combinations go to the focused element [S2-108] [S2-109] [S2-5r]", async () => {
    await browser.call("cdp_click", { uid: await browser.find("Name") });
    await browser.call("cdp_type_text", { text: "abc DÉF 世" });
    expect(await valueOf("name")).toBe("abc DÉF 世");
    await browser.call("cdp_press_key", { key: "Control+A" });
    await browser.call("cdp_type_text", { text: "x", submit_key: "Enter" });
    expect(await out()).toBe("sent x");
    await browser.call("cdp_press_key", { key: "Shift+Home" });
    await browser.call("cdp_press_key", { key: "Backspace" });
    expect(await valueOf("name")).toBe("");
    const tab = await browser.call("cdp_press_key", { key: "Tab" });
    expect(changes(tab)).toMatchObject({ focus: { to: 'textbox "Password"' } });
  });

  test("dialogs are reported by the call that opens them and answered by another [S2-110]", async () => {
    const asked = await browser.call("cdp_click", { uid: await browser.find("Confirm") });
    expect(asked).toMatchObject({ effect: "confirmed", dialog: { type: "confirm", message: "sure?" } });
    expect(await browser.fails("cdp_take_dom_snapshot")).toMatchObject({
      code: "not_dispatchable",
      message: expect.stringContaining("sure?") as string,
    });
    const answered = await browser.call("cdp_handle_dialog", { action: "dismiss" });
    expect(answered["message"]).toBe('Dismissed the confirm "sure?"');
    expect(await out()).toBe("confirmed false");
    await browser.call("cdp_click", { uid: await browser.find("Prompt") });
    await browser.call("cdp_handle_dialog", { action: "accept", prompt_text: "me" });
    expect(await out()).toBe("prompted me");
    const prompted = await browser.call("cdp_click", { uid: await browser.find("Prompt") });
    expect(prompted["message"]).toMatch(/^Clicked uid=d\d+ 'Prompt' \(button\) at \(\d+, \d+\)$/);
    expect(prompted).toMatchObject({ dispatched_via: "mouse" });
    await browser.call("cdp_handle_dialog", { action: "accept" });
    expect(await out()).toBe("prompted nobody");
    expect(await browser.fails("cdp_handle_dialog", { action: "accept" })).toMatchObject({ code: "not_found" });
  });

  test("opening a list of choices is seen, also when nothing else changes", async () => {
    const choices =
      "() => { document.body.innerHTML = '<select aria-label=Size autofocus><option>Small<option>Large'; }";
    await browser.call("cdp_evaluate_script", { function: choices });
    await browser.call("cdp_evaluate_script", { function: "() => document.querySelector('select').focus()" });
    const opened = await browser.call("click", { surface: "page:1", selector: "ComboBox:Size" });
    expect(opened).toMatchObject({ effect: "confirmed", node_after: { value: "Small" } });
    expect((opened["node_after"] as { states: string[] }).states).toContain("expanded");
    await browser.call("cdp_press_key", { key: "Escape" });
  });

  test("choosing an option closes the list that was opened, and the page hears of the choice alone", async () => {
    const choices = `() => {
      document.body.innerHTML = '<select aria-label=Size><option>Small<option>Large</select>';
      window.heard = [];
      for (const type of ["keydown", "keyup", "blur", "input", "change"])
        addEventListener(type, () => { heard.push(type); }, true);
    }`;
    const heard = async () =>
      (await browser.call("cdp_evaluate_script", { function: "() => heard.splice(0)" }))["result"];
    const chosen = async () =>
      (await browser.call("cdp_evaluate_script", { function: "() => document.querySelector('select').value" }))[
        "result"
      ];
    const isOpen = async () =>
      (
        await browser.call("cdp_evaluate_script", {
          function: "() => document.querySelector('select').matches(':open')",
        })
      )["result"];
    await browser.call("cdp_evaluate_script", { function: choices });
    for (const [tool, option] of [
      ["cdp_click", "Large"],
      ["click", "Small"],
      ["cdp_fill", "Large"],
    ] as const) {
      await browser.call("click", { surface: "page:1", selector: "ComboBox:Size" });
      expect(await isOpen(), tool).toBe(true);
      const uid = await browser.find(
        tool === "cdp_fill" ? "Size" : option,
        tool === "cdp_fill" ? "combobox" : "option",
      );
      const args = { cdp_click: {}, click: { surface: "page:1" }, cdp_fill: { value: option } }[tool];
      expect(await browser.call(tool, { uid, ...args }), tool).toMatchObject({ effect: "confirmed" });
      expect([await isOpen(), await chosen()], tool).toEqual([false, option]);
      expect(await heard(), tool).toEqual(["input", "change"]);
    }
  });

  test("an action that a dialog cuts short is not called done [S2-109] [S2-110]", async () => {
    const listen =
      "() => { document.getElementById('name').onkeydown = (e) => { if (e.key === 'b') alert('no b'); }; }";
    await browser.call("cdp_evaluate_script", { function: listen });
    await browser.call("cdp_fill", { uid: await browser.find("Name", "textbox"), value: "" });
    const typed = await browser.call("cdp_type_text", { text: "abc", submit_key: "Enter" });
    expect(typed).toMatchObject({ message: "Typed 2 characters", warning: expect.stringContaining("rest") as string });
    await browser.call("cdp_handle_dialog", { action: "accept" });
    const script = await browser.call("cdp_evaluate_script", { function: "() => { alert('wait'); return 5; }" });
    expect(script).toMatchObject({ message: "The script waits at a dialog", dialog: { message: "wait" } });
    await browser.call("cdp_handle_dialog", { action: "accept" });
  });

  test("a link is followed and the new document awaited; old uids expire and never reach another element", async () => {
    const plain = await browser.find("Plain", "button");
    const data = await browser.call("cdp_click", { uid: await browser.find("Second page") });
    expect(changes(data).url?.to).toBe(`${server.own}/second.html`);
    expect(data["message"]).toMatch(/ at \(\d+, \d+\)$/);
    expect(await browser.fails("cdp_click", { uid: plain })).toMatchObject({ code: "snapshot_expired" });
    expect(await browser.fails("cdp_click", { uid: "d999999" })).toMatchObject({ code: "uid_not_found" });
  });

  test("an element that was taken out is uid_not_found; one that moved keeps its uid", async () => {
    const uid = await browser.find("Plain", "button");
    await browser.call("cdp_evaluate_script", {
      function: "() => { const b = document.getElementById('plain'); b.parentNode.prepend(b); }",
    });
    expect(await browser.find("Plain", "button")).toBe(uid);
    await browser.call("cdp_evaluate_script", {
      function: "() => { const b = document.getElementById('plain'); b.replaceWith(b.cloneNode(true)); }",
    });
    expect(await browser.fails("cdp_click", { uid })).toMatchObject({ code: "uid_not_found" });
    expect(await browser.find("Plain", "button")).not.toBe(uid);
  });

  test("scripts get elements and return values; errors are reported [S2-115] [S2-5p]", async () => {
    const uid = await browser.find("Name");
    const tag = await browser.call("cdp_evaluate_script", {
      function: "(el, more) => el.localName + more",
      args: [{ uid }, "!"],
    });
    expect(tag["result"]).toBe("input!");
    expect((await browser.call("cdp_evaluate_script", { function: "async () => ({ a: [1, 2] })" }))["result"]).toEqual({
      a: [1, 2],
    });
    expect((await browser.call("cdp_evaluate_script", { function: "document.title" }))["result"]).toBe("Controls");
    expect((await browser.fails("cdp_evaluate_script", { function: "() => missing.thing" })).message).toContain(
      "missing is not defined",
    );
    expect(
      await browser.fails("cdp_evaluate_script", { function: "() => new Promise(() => {})", timeout: 200 }),
    ).toMatchObject({ code: "timeout" });
    expect(browser.session.tools.find(({ name }) => name === "cdp_evaluate_script")?.access).toBe("execute");
  });

  test.each([
    ["(() => 5)()", 5],
    ["// a note\n() => 6;", 6],
    ["function () { return this === window; }", true],
    ["() => -0", 0],
    ["() => 10n ** 20n", "100000000000000000000n"],
    ["() => undefined", null],
  ])("a script may be written as %j [S2-115]", async (code, result) => {
    expect((await browser.call("cdp_evaluate_script", { function: code }))["result"]).toEqual(result);
  });

  test("lists and objects are passed to scripts; what they throw or cannot return is reported [S2-115]", async () => {
    const { result } = await browser.call("cdp_evaluate_script", {
      function: "(a, b) => a[1] + b.c",
      args: [[1, 2], { c: 3 }],
    });
    expect(result).toBe(5);
    const failure = async (code: string) => browser.fails("cdp_evaluate_script", { function: code });
    expect((await failure("() => Promise.reject('no luck')")).message).toContain('"no luck"');
    expect((await failure("() => { throw { why: 1 }; }")).message).not.toBe("The function failed: Uncaught");
    for (const code of ["() => window", "() => { const a = {}; a.a = a; return a; }", "() => Symbol('x')"]) {
      expect(await failure(code)).toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("JSON") as string,
      });
    }
  });

  test("a script that never ends is stopped, and the page continues [S2-115]", async () => {
    expect(await browser.fails("cdp_evaluate_script", { function: "() => { for (;;); }", timeout: 300 })).toMatchObject(
      {
        code: "timeout",
        message: "The function did not finish within 300 ms.",
      },
    );
    expect((await browser.call("cdp_evaluate_script", { function: "() => 1 + 1" }))["result"]).toBe(2);
    expect(await browser.call("cdp_click", { uid: await browser.find("Plain", "button") })).toMatchObject({
      effect: "confirmed",
    });
  });

  test("text is waited for, in any frame [S2-114] [S2-5s]", async () => {
    await browser.call("cdp_evaluate_script", { function: "() => { setTimeout(() => say('it is here'), 200); }" });
    const data = await browser.call("cdp_wait_for", { text: ["nowhere", "it is here"] });
    expect(data["message"]).toMatch(/text appeared after \d+ms$/);
    expect(data).not.toHaveProperty("snapshot");
    const more = await browser.call("cdp_wait_for", { text: ["Other frame"], include_snapshot: true });
    expect(String(more["snapshot"])).toContain("Other frame");
    expect(await browser.fails("cdp_wait_for", { text: ["never"], timeout: 100 })).toMatchObject({ code: "timeout" });
  });

  test("console errors and failed requests are summarised once", async () => {
    const data = await browser.call("cdp_click", { uid: await browser.find("Trouble"), settle_ms: 400 });
    const next = await browser.call("cdp_find_elements", { query: "Plain" });
    const seen = [data["trouble"], next["trouble"]].flatMap(
      (each) => (each as { last: string[] } | undefined)?.last ?? [],
    );
    expect(seen.join("\n")).toContain("console: went wrong");
    expect(seen.join("\n")).toContain(`request: 404 ${server.own}/missing`);
    expect(await browser.call("cdp_find_elements", { query: "Plain" })).not.toHaveProperty("trouble");
  });

  test("a download does not hang the call and is named", async () => {
    const data = await browser.call("cdp_click", { uid: await browser.find("Download") });
    expect(changes(data).downloads).toEqual(["file.zip"]);
    expect(await browser.find("Plain", "button")).toMatch(/^d/);
  });

  test("pages are listed, opened, selected and closed; the last one stays [S2-112] [S2-113] [S2-116] [S2-117] [S2-5t]", async () => {
    const opened = await browser.call("cdp_click", { uid: await browser.find("Popup") });
    expect(changes(opened).opened_pages).toHaveLength(1);
    const made = await browser.call("cdp_new_page", { url: `${server.own}/second.html` });
    expect(made["effect"]).toBe("confirmed");
    const { text, pages } = await browser.call("cdp_list_pages");
    expect(String(text).split("\n")[2]).toMatch(/^\*\[2\] Second /);
    expect(pages).toHaveLength(3);
    const first = await browser.call("cdp_select_page", { page_idx: 0 });
    expect(first["page"]).toMatchObject({ title: "Controls", selected: true });
    const surface = (pages as { surface: string }[])[2]?.surface;
    expect((await browser.call("cdp_find_elements", { query: "Move", surface }))["matches"]).toMatchObject([
      { name: "Move" },
    ]);
    await browser.call("cdp_close_page", { page_idx: 2 });
    await browser.call("cdp_close_page", { page_idx: 1 });
    expect(await browser.fails("cdp_close_page", { page_idx: 0 })).toMatchObject({ code: "not_supported" });
    expect(await browser.fails("cdp_select_page", { page_idx: 7 })).toMatchObject({ code: "not_found" });
  });

  test("navigation goes to a URL, back, forward and reloads [S2-111] [S2-5q]", async () => {
    await browser.call("cdp_navigate", { url: `${server.own}/second.html` });
    expect((await browser.call("cdp_navigate", { type: "back" }))["message"]).toBe(
      `Went back to ${server.own}/controls.html`,
    );
    expect((await browser.call("cdp_navigate", { type: "forward" }))["message"]).toContain("second.html");
    expect(await browser.call("cdp_navigate", { type: "reload" })).toMatchObject({ effect: "confirmed" });
    const moved = await browser.call("cdp_click", { uid: await browser.find("Move") });
    expect(changes(moved).url?.to).toContain("#moved");
    expect(await browser.fails("cdp_navigate", { url: "http://127.0.0.1:1/" })).toMatchObject({ code: "not_found" });
    expect(await browser.fails("cdp_navigate", { type: "back", url: "x" })).toMatchObject({ code: "invalid_argument" });
  });
});
