import * as fc from "fast-check";
import { expect, test } from "vitest";
import { auditLine } from "./audit.ts";
import type { JournalEntry } from "./journal.ts";

const at = Date.UTC(2025, 0, 2, 3, 4, 5, 6);

function entry(changes: Partial<JournalEntry>): JournalEntry {
  return {
    type: "call",
    step: "s1",
    at,
    ms: 12.5,
    tool: "click",
    access: "act",
    arguments: {},
    ok: true,
    result: {},
    artifacts: [],
    ...changes,
  };
}

test("a line names the time, the tool and its arguments [S1-103]", () => {
  const line = auditLine(entry({ tool: "launch_app", arguments: { app: "text editor", wait: true, args: ["a"] } }));
  expect(line).toBe('[UI] 2025-01-02T03:04:05.006Z launch_app app="text editor" wait=true step=s1 ms=12.5 ok=true');
});

test("lines of the ui_* tools are to the letter what readers of their log know [S1-103…S1-106]", () => {
  const capture = entry({
    tool: "ui_capture",
    arguments: { mode: "window" },
    result: { window_title: "My App", Width: 1920, Height: 1080 },
  });
  const inApp = { target: { window_title: "My App" } };
  const click = entry({ tool: "ui_click", arguments: { x: 500, y: 300, button: "left" }, result: inApp });
  const type = entry({ tool: "ui_type", arguments: { text: "hunter2" }, result: inApp });
  expect([capture, click, type].map(auditLine)).toEqual([
    '[UI] 2025-01-02 03:04:05 ui_capture mode=window title="My App" size=1920x1080',
    '[UI] 2025-01-02 03:04:05 ui_click x=500 y=300 button=left window="My App"',
    '[UI] 2025-01-02 03:04:05 ui_type text="[REDACTED]" window="My App"',
  ]);
  expect(auditLine({ ...click, ok: false, result: { code: "denied" } })).toMatch(/ ok=false error=denied$/);
});

test("a capture shows mode, window title and size [S1-104]", () => {
  const result = { window_title: "Untitled – Editor", screenshot_pixel_width: 1280, screenshot_pixel_height: 800 };
  expect(auditLine(entry({ tool: "take_screenshot", result }))).toContain(
    ' take_screenshot mode=window window="Untitled – Editor" size=1280x800 ',
  );
  expect(
    auditLine(entry({ tool: "ui_capture", arguments: { mode: "fullscreen" }, result: { width: 5, height: 6 } })),
  ).toContain(" ui_capture mode=fullscreen size=5x6");
});

test("a click shows x, y, button and window [S1-105]", () => {
  const result = { target: { x: 110, y: 220, window_title: "Calculator" } };
  expect(auditLine(entry({ arguments: { x: 10, y: 20, clicks: 2 }, result }))).toContain(
    " click x=10 y=20 button=left window=Calculator clicks=2 ",
  );
  expect(auditLine(entry({ tool: "ui_click", arguments: { button: "right" }, result }))).toContain(
    ' ui_click x=110 y=220 button=right window="Calculator"',
  );
});

test.each(["type_text", "ui_type", "android_type_text"])(
  "%s never shows its text, and shows the window [S1-106]",
  (tool) => {
    const line = auditLine(
      entry({ tool, arguments: { text: "hunter2" }, result: { target: { window_title: "Log in" } } }),
    );
    expect(line).toContain(` ${tool} text="[REDACTED]" window="Log in"`);
    expect(line).not.toContain("hunter2");
  },
);

test("a failed call says with which code", () => {
  expect(auditLine(entry({ ok: false, result: { code: "denied", message: "no" } }))).toMatch(/ ok=false error=denied$/);
});

/** Reads a line back the way a log reader would: words, and quoted text with backslash escapes. */
function fieldsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/gu)].map(([field]) => field);
}

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    'x"\n[UI] 2025-01-02T03:04:05.006Z type_text ok=true',
    '" ok=true "',
    "a\u2028[UI] b",
    "a\u0085[UI] b",
    "\u001B[2K\r[UI] fake",
    "\u202Eevil",
    "\uD800",
  ),
);

test("no title, argument or tool name can add a line or a field", () => {
  fc.assert(
    fc.property(nasty, nasty, nasty, (title, tool, key) => {
      const given = { x: 1, y: 2, [key]: title };
      const line = auditLine(entry({ tool: `click${tool}`, arguments: given, result: { window_title: title } }));
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      const fields = fieldsOf(line);
      expect(fields.filter((field) => field === "[UI]")).toHaveLength(1);
      const count = (name: string): number => fields.filter((field) => field.startsWith(`${name}=`)).length;
      const own = (name: string): number => (key === name ? 2 : 1);
      expect(fields.at(-1)).toBe("ok=true");
      expect([count("ok"), count("window")]).toEqual([own("ok"), own("window")]);
    }),
  );
});
