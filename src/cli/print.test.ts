import { describe, expect, test } from "vitest";
import { ToolError } from "../base/errors.ts";
import { renderData, renderError, renderTable } from "./print.ts";

describe("a result", () => {
  test("with one list is a table and the rest below it", () => {
    const windows = [
      { id: 1, title: "Editor", bounds: { x: 1, y: 2, width: 30, height: 40 }, minimized: false },
      { id: 22, title: "Calc", bounds: { x: 0, y: 0, width: 5, height: 6 }, minimized: true },
    ];
    expect(renderData({ windows, filtered: 3 })).toBe(
      [
        "id  title   bounds     minimized",
        "1   Editor  30x40+1+2  no",
        "22  Calc    5x6+0+0    yes",
        "",
        "filtered: 3",
      ].join("\n"),
    );
  });

  test("without lists is aligned key by key, and absent values are left out", () => {
    expect(renderData({ ok: true, effect: "confirmed", warning: undefined, node: null, keys: ["ctrl", "s"] })).toBe(
      ["ok:     yes", "effect: confirmed", "keys:   ctrl, s"].join("\n"),
    );
  });

  test("with an empty list says so", () => {
    expect(renderData({ windows: [] })).toBe("windows (0)");
  });

  test("with two lists names them", () => {
    expect(renderData({ a: [{ n: 1 }], b: [{ n: 2 }] })).toBe("a (1)\nn\n1\n\nb (1)\nn\n2");
  });

  test("cannot send control sequences to the terminal", () => {
    const text = renderData({ title: "\u001B[2J\u009B31m\u202Eevil\nline", list: [{ t: "\u001B]0;x\u0007" }] });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  test("shows multi-line text below its name, indented so that no line looks like a field", () => {
    expect(renderData({ nodes: 2, snapshot: "list\n  ok: yes", cut: 0 })).toBe(
      ["nodes:    2", "snapshot:", "  list", "    ok: yes", "cut:      0"].join("\n"),
    );
  });

  const window = (id: number, title: string, more: object = {}) => ({
    window_id: id,
    id,
    title,
    app_name: "Editor",
    owner_name: "Editor",
    class_name: "Editor",
    pid: 7,
    kind: "normal",
    bounds: { x: 1, y: 2, width: 30, height: 40 },
    is_visible: true,
    is_minimized: false,
    is_maximized: false,
    is_fullscreen: false,
    is_foreground: false,
    can_minimize: true,
    ...more,
  });

  test("shows of windows what a person looks for", () => {
    const windows = [
      window(1, "Notes", { is_foreground: true, is_maximized: true }),
      window(2, "Menu", { kind: "menu", is_visible: false }),
    ];
    const filtered = { tiny: 0, system: 1 };
    expect(renderData({ windows, filtered, untrusted_text: true })).toBe(
      [
        "id  title  app     pid  place      state",
        "1   Notes  Editor  7    30x40+1+2  active, maximized",
        "2   Menu   Editor  7    30x40+1+2  hidden, menu",
        "",
        "filtered: system 1",
      ].join("\n"),
    );
    const [only] = windows;
    expect(renderData({ window: only ?? null, filtered: { tiny: 0 } })).toBe(
      "window: id 1, title Notes, app Editor, pid 7, place 30x40+1+2, state active, maximized",
    );
  });

  test("does not repeat below a table what is in it", () => {
    const lines = ["One", "Two"].map((text) => ({ text, x: 1 }));
    expect(renderData({ text: "One\nTwo", lines, cut: 0 })).toBe("text  x\nOne   1\nTwo   1\n\ncut: 0");
  });
});

describe("a table", () => {
  test("cuts its widest column before it leaves one out", () => {
    const rows = [1, 2].map((id) => ({ id, title: `the title of a window that is long ${id}`, app: "a" }));
    expect(renderTable(rows, 32)).toBe(
      ["id  title                    app", ...[1, 2].map((id) => `${id}   the title of a window …  a`)].join("\n"),
    );
  });

  test("leaves out empty and repeated columns, but not switches that agree", () => {
    const rows = [
      { id: 1001, same: 1001, none: "", name: "a", on: true, off: true },
      { id: 1002, same: 1002, none: null, name: "b", on: true, off: true },
    ];
    expect(renderTable(rows, 80)).toBe("id    name  on   off\n1001  a     yes  yes\n1002  b     yes  yes");
  });

  test("leaves out what does not fit and says what", () => {
    const rows = [1, 2].map((id) => ({ id, title: `a long enough title ${id}`, extra: "x" }));
    expect(renderTable(rows, 12)).toBe("id\n1\n2\n(not shown: title, extra; --json has everything)");
  });

  test("with one row that does not fit is printed field by field", () => {
    const row = { id: 1, title: "a long enough title", at: { x: 1, name: "n" } };
    expect(renderTable([row], 12)).toBe("id:    1\ntitle: a long enough title\nat:    x 1, name n");
  });
});

test("an error shows the message, what to do, and the candidates", () => {
  const error = new ToolError("ambiguous_target", "Two match.", { hint: "Pass pid.", candidates: ["a\u001B", "b"] });
  expect(renderError(error.toEnvelope())).toBe("handsight: Two match.\n  Pass pid.\n  - a\\u{1b}\n  - b");
});
