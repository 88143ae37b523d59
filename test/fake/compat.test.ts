import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { ToolError } from "../../src/base/errors.ts";
import { roleNamed, roles } from "../../src/base/roles.ts";
import { auditLine } from "../../src/journal/audit.ts";
import { controlType } from "../../src/tools/compat/ui-models.ts";
import { allTools, selectTools } from "../../src/tools/registry.ts";
import { describeTool } from "../../src/tools/describe.ts";
import { FakeElements, type FakeNode } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

// No process on the test machine has this id.
const pid = 2_000_000_000;
const login = {
  id: 1,
  title: "Login Form",
  processName: "login",
  pid,
  bounds: { x: 100, y: 50, width: 400, height: 300 },
};
const mail = { id: 2, title: "Inbox - Mail", pid: 22, bounds: { x: 600, y: 200, width: 300, height: 200 } };
const draft = { id: 3, title: "Draft - Mail", pid: 22, isVisible: false };

const at = (x: number, y: number) => ({ x, y, width: 80, height: 20 });
const form: readonly FakeNode[] = [
  { runtimeId: "w", role: "window", name: "Login Form", bounds: login.bounds },
  { runtimeId: "box", parent: "w", role: "group", bounds: at(110, 60) },
  {
    runtimeId: "user",
    parent: "box",
    role: "textbox",
    name: "Username",
    automationId: "user",
    value: "ann",
    states: ["enabled", "showing", "focused", "editable"],
    actions: ["set_value", "focus"],
    bounds: at(110, 60),
  },
  { runtimeId: "play", parent: "box", role: "button", name: "Play", actions: ["press"], bounds: at(110, 100) },
  { runtimeId: "label", parent: "box", role: "text", name: "Hello", bounds: at(110, 140) },
  { runtimeId: "volume", parent: "box", role: "slider", name: "Volume", value: 3, actions: ["set_value"] },
  { runtimeId: "zone", parent: "w", role: "group", name: "Drop here", bounds: at(300, 100) },
];

function open(flags: Record<string, string> = {}) {
  const opened = openFakeSession(
    { width: 1920, height: 1080, windows: [login, mail, draft] },
    { tools: "default,compat-ui,compat-debug", ...flags },
  );
  const elements = new FakeElements(form.map((node) => ({ ...node, pid })));
  const apps = { ...opened.backend.apps, launch: async () => ({ pid }) };
  Object.assign(opened.backend, { elements, apps });
  return { ...opened, elements, events: opened.backend.desktop.events };
}

describe("the compatibility sets", () => {
  const names = (...sets: string[]) => selectTools(sets).map(({ name }) => name);
  const ui = [
    "ui_capture",
    "ui_list_windows",
    "ui_click",
    "ui_type",
    "ui_mouse_move",
    "ui_get_element",
    "ui_focus_window",
    "ui_wait",
  ];
  const debug = ["debug_launch", "debug_ui", "debug_ui_action"];

  test("are chosen by name and part of all [S1-40, S1-57, S1-61, S1-67, S1-74, S1-76, S1-80, S1-82, S1-125, S4-11, S4-59]", () => {
    expect(names("compat-ui")).toEqual(ui);
    expect(names("compat-debug")).toEqual(debug);
    expect(names("all")).toEqual(allTools.map(({ name }) => name));
    expect(names("all")).toEqual(expect.arrayContaining([...ui, ...debug]));
  });

  test("are off by default", () => {
    expect(names("default").filter((name) => /^(ui|debug)_/.test(name))).toEqual([]);
    expect(names("default", "compat-debug")).toEqual(expect.arrayContaining([...debug, "click"]));
  });

  test("have the required parameters and defaults [S1-28…S1-30, S1-37, S1-41…S1-44, S1-46, S1-47, S1-49, S1-50, S1-58, S1-59, S1-62…S1-65, S1-68…S1-70, S1-75, S1-77, S1-78, S1-81, S1-83…S1-85, S4-20…S4-28]", () => {
    const inputs = selectTools(["compat-ui", "compat-debug"]).map((tool) => {
      const { properties = {}, required = [] } = describeTool(tool).inputSchema as {
        properties?: Record<string, { enum?: unknown[]; default?: string | number | boolean | [] }>;
        required?: string[];
      };
      const fields = Object.entries(properties).map(
        ([name, field]) =>
          `${name}${required.includes(name) ? "!" : ""}${field.enum ? `:${field.enum.join("|")}` : ""}${
            field.default === undefined ? "" : `=${String(field.default)}`
          }`,
      );
      return `${tool.name} ${fields.join(" ")}`;
    });
    expect(inputs).toEqual([
      "ui_capture mode:fullscreen|window|region=fullscreen window_title x y width height format:png|jpeg=png quality=85 output:base64|file=base64 file_path analyze=false analyze_prompt=Describe what you see in this screenshot",
      "ui_list_windows include_hidden=false filter",
      "ui_click x y button:left|right|middle=left clicks:1|2=1 window_title selector",
      "ui_type text keys window_title delay_ms=10",
      "ui_mouse_move x! y! window_title",
      "ui_get_element x y selector window_title",
      "ui_focus_window window_title!",
      "ui_wait window_title element_selector timeout_ms=10000",
      "debug_launch command! args= timeoutMs=10000",
      "debug_ui sessionId! maxNodes=2000",
      "debug_ui_action sessionId! action!:click|set_value|type|key|scroll|drag id value text key modifiers= direction:up|down|left|right amount=3 toId settleMs=80",
    ]);
  });

  test("take a quality of 1 to 100, which a PNG ignores, and a delay of 0 to 1000 [S1-45, S1-71]", async () => {
    const { call, outcome } = open();
    const bytes = async (format: string, quality: number) =>
      String((await call("ui_capture", { mode: "fullscreen", format, quality }))["Base64Data"]).length;
    expect(await bytes("png", 1)).toBe(await bytes("png", 100));
    expect(await bytes("jpeg", 1)).toBeLessThan(await bytes("jpeg", 100));
    for (const [tool, args] of [
      ["ui_capture", { format: "jpeg", quality: 0 }],
      ["ui_capture", { format: "jpeg", quality: 101 }],
      ["ui_type", { text: "x", delay_ms: -1 }],
      ["ui_type", { text: "x", delay_ms: 1_001 }],
    ] as const) {
      expect(await outcome(tool, args), JSON.stringify(args)).toMatchObject({
        envelope: { error: { code: "invalid_argument" } },
      });
    }
  });

  test("look or act as the permission rules classify them [S1-87, S1-88]", () => {
    const observing = selectTools(["compat-ui"]).filter(({ access }) => access === "observe");
    expect(observing.map(({ name }) => name)).toEqual(["ui_capture", "ui_list_windows", "ui_get_element", "ui_wait"]);
  });

  test("say when to use them [S1-128]", () => {
    for (const { summary } of selectTools(["compat-ui"])) expect(summary).toMatch(/Use it /);
  });
});

test.each(
  selectTools(["compat-ui", "compat-debug"]).map((tool) => [tool.name, Object.keys(tool.input.shape)] as const),
)(
  "whatever %s is given, it is no fault of ours",
  async (name, fields) => {
    const { outcome, call } = open();
    const { sessionId } = await call("debug_launch", { command: "fake-app" });
    const value = fc.oneof(
      fc.constantFrom(
        "window",
        "region",
        "click",
        "key",
        "drag",
        "Button:Play",
        "Login",
        "ctrl",
        "png",
        "file",
        sessionId,
      ),
      fc.array(fc.constantFrom("ctrl", "cmd", "a", "tab"), { maxLength: 6 }),
      fc.integer({ min: -10, max: 300 }),
      fc.anything(),
    );
    // Without these hardly anything gets past the first check.
    const likely: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      sessionId: fc.constant(sessionId),
      action: fc.constantFrom("click", "set_value", "type", "key", "scroll", "drag"),
      key: fc.constantFrom("a", "tab", "nokey"),
      modifiers: fc.array(fc.constantFrom("cmd", "ctrl"), { maxLength: 8 }),
    };
    const own = Object.fromEntries(Object.entries(likely).filter(([field]) => fields.includes(field)));
    const garbage = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 });
    const args = fc.tuple(fc.record(own), garbage).map(([good, bad]) => ({ ...good, ...bad }));
    const check = fc.asyncProperty(args, async (given) => {
      // This test is not about endless waits.
      const quick = fields.includes("timeout_ms") ? { ...given, timeout_ms: 0 } : given;
      expect(JSON.stringify(await outcome(name, quick))).not.toContain('"code":"internal"');
    });
    await fc.assert(check, { numRuns: 40 });
  },
  60_000,
);

describe("ui_capture", () => {
  test("the whole screen at full size, as base64 of a PNG [S1-27, S1-48, S1-56, S1-114]", async () => {
    const result = await open().call("ui_capture");
    const bytes = Buffer.from(String(result["Base64Data"]), "base64");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(bytes.readUInt32BE(16)).toBe(1920);
    expect(result).toEqual({
      Success: true,
      Error: null,
      Base64Data: expect.any(String),
      FilePath: null,
      MimeType: "image/png",
      Width: 1920,
      Height: 1080,
      FileSizeBytes: bytes.length,
    });
  });

  test("a window by part of its title, any case, and a region [S1-12, S1-14, S1-42, S1-43]", async () => {
    const { call } = open();
    expect(await call("ui_capture", { mode: "window", window_title: "login f" })).toMatchObject({
      Width: 400,
      Height: 300,
    });
    const region = { mode: "region", x: 10, y: 20, width: 30, height: 40, format: "jpeg" };
    expect(await call("ui_capture", region)).toMatchObject({ Width: 30, Height: 40, MimeType: "image/jpeg" });
  });

  test("a screen too wide for a message is written to a file at full size [S1-46, S1-47]", async () => {
    const folder = await mkdtemp(join(tmpdir(), "handsight-wide-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { call } = openFakeSession({ width: 9_000, height: 100 }, { tools: "all" });
    const file = join(folder, "wide.png");
    expect(await call("ui_capture", { output: "file", file_path: file })).toMatchObject({
      Success: true,
      Width: 9_000,
    });
    expect((await readFile(file)).readUInt32BE(16)).toBe(9_000);
    expect(await call("ui_capture", {})).toMatchObject({ Success: false, Error: expect.stringContaining("larger") });
  });

  test("the picture also goes to the model as a picture, and to the journal only as a file", async () => {
    const { outcome, session } = open({ journal: "on" });
    const result = await outcome("ui_capture");
    expect(result).toMatchObject({ kind: "done", images: [{ mimeType: "image/png" }] });
    expect(session.journal.entries()[0]?.result).toMatchObject({ Base64Data: "[REDACTED]" });
    await session[Symbol.asyncDispose]();
  });

  test.each([
    [{ mode: "window", window_title: "nowhere" }, /No window matches.*Login Form/],
    [{ mode: "window", window_title: "mail" }, /2 windows match.*Inbox - Mail.*Draft - Mail/],
    [{ mode: "window", window_title: "draft" }, /minimised/],
    [{ mode: "region", x: 1 }, /needs x, y, width and height/],
    [{ analyze: true }, /needs a vision model, and none is configured/],
  ])("%j is Success false with a text, not an error [S1-53, S1-108, S1-49]", async (args, error) => {
    const { outcome, session } = open();
    const result = await outcome("ui_capture", args);
    expect(result).toMatchObject({
      kind: "done",
      data: { Success: false, Error: expect.stringMatching(error), Base64Data: null, FilePath: null, Width: 0 },
    });
    expect(session.journal.entries()[0]).toMatchObject({ ok: false });
  });

  test("its log line has mode, window and size [S1-104]", async () => {
    const { call, session } = open();
    await call("ui_capture", { mode: "window", window_title: "Login" });
    const [entry] = session.journal.entries();
    expect(entry && auditLine(entry)).toMatch(/^\[UI\] \S+ \S+ ui_capture mode=window title="Login" size=400x300$/);
  });
});

describe("ui_capture into a file", () => {
  async function folder(parent = tmpdir()): Promise<string> {
    const made = await mkdtemp(join(parent, "handsight-compat-"));
    onTestFinished(() => rm(made, { recursive: true, force: true }));
    return made;
  }

  test("writes the picture and names it instead of sending it [S1-31, S1-47, S1-55]", async () => {
    const file_path = join(await folder(), "shot.png");
    const result = await open().call("ui_capture", { output: "file", file_path });
    const bytes = await readFile(file_path);
    expect(result).toMatchObject({ Success: true, FilePath: file_path, Base64Data: null, FileSizeBytes: bytes.length });
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  });

  test("without a path it is base64 [S1-55]", async () => {
    expect(await open().call("ui_capture", { output: "file" })).toMatchObject({
      Base64Data: expect.any(String),
      FilePath: null,
    });
  });

  test("a link in the way does not lead out", async () => {
    const [inside, outside] = [await folder(), await folder("/var/tmp")];
    await symlink(outside, join(inside, "way"));
    await symlink(join(outside, "shot.png"), join(inside, "link.png"));
    const { call } = open();
    const shoot = (name: string) => call("ui_capture", { output: "file", file_path: join(inside, name) });
    expect(await shoot("way/shot.png")).toMatchObject({ Success: false, Error: expect.stringContaining("outside") });
    expect(await shoot("link.png")).toMatchObject({ Success: false, Error: expect.stringContaining("symbolic link") });
    expect(await readdir(outside)).toEqual([]);
  });

  test("elsewhere, without a folder or as anything but a picture it is refused", async () => {
    const [inside, outside] = [await folder(), await folder("/var/tmp")];
    await mkdir(join(inside, "folder.png"));
    const { call } = open();
    const errors = [
      join(outside, "shot.png"),
      "nowhere/shot.png",
      join(inside, "run.sh"),
      join(inside, "folder.png"),
    ].map(async (file_path) => (await call("ui_capture", { output: "file", file_path }))["Error"]);
    expect(await Promise.all(errors)).toEqual([
      expect.stringContaining("outside the folders"),
      expect.stringContaining("does not exist"),
      expect.stringContaining("does not end in .png"),
      expect.stringContaining("is a folder, not a file"),
    ]);
  });
});

describe("ui_list_windows", () => {
  test("every field, hidden windows on request, filtered by part of the title [S1-15, S1-26, S1-58…S1-60, S1-115]", async () => {
    const { call } = open();
    const titles = async (args: object) =>
      ((await call("ui_list_windows", args))["Windows"] as { Title: string }[]).map(({ Title }) => Title);
    expect(await titles({})).toEqual(["Login Form", "Inbox - Mail"]);
    expect(await titles({ include_hidden: true, filter: "MAIL" })).toEqual(["Inbox - Mail", "Draft - Mail"]);
    expect((await call("ui_list_windows", { filter: "login" }))["Windows"]).toEqual([
      {
        Handle: 1,
        Title: "Login Form",
        ProcessName: "login",
        ProcessId: pid,
        X: 100,
        Y: 50,
        Width: 400,
        Height: 300,
        IsVisible: true,
        IsMinimized: false,
        IsMaximized: false,
        IsForeground: true,
      },
    ]);
  });
});

describe("ui_click and ui_mouse_move", () => {
  test("screen coordinates, buttons and double clicks [S1-18, S1-33, S1-34, S1-62…S1-64, S1-109]", async () => {
    const { call, events } = open();
    expect(await call("ui_click", { x: 5, y: 6, button: "right", clicks: 2 })).toMatchObject({ Success: true });
    expect(events).toEqual(["move 5,6", "down right", "up right", "down right", "up right"]);
  });

  test("with a title the coordinates are relative to that window's corner [S1-36, S1-65, S1-75]", async () => {
    const { call, events } = open();
    await call("ui_click", { x: 10, y: 20, window_title: "inbox" });
    await call("ui_mouse_move", { x: 1, y: 2, window_title: "Login" });
    await call("ui_mouse_move", { x: 3, y: 4 });
    expect(events).toEqual(["window focus 2", "move 610,220", "down left", "up left", "move 101,52", "move 3,4"]);
  });

  test("a selector presses the element [S1-66]", async () => {
    const { call, elements } = open();
    expect(await call("ui_click", { selector: "Button:Play", window_title: "Login" })).toMatchObject({ Success: true });
    expect(elements.performed).toEqual(["press play"]);
  });

  test.each([
    [{}, /^Give x and y or selector\.$/],
    [{ x: 1 }, /^Give x and y/],
    [{ x: 1, y: 1, selector: "Button:Play" }, /Several targets are given/],
    [{ x: 5_000, y: 1 }, /off the screen/],
    [{ x: 1, y: 1, window_title: "mail" }, /2 windows match/],
    [{ selector: "Button:Stop" }, /matches/],
  ])("%j clicks nothing and says why", async (args, error) => {
    const { call, events, elements } = open();
    expect(await call("ui_click", args)).toEqual({
      Success: false,
      Error: expect.stringMatching(error),
      Effect: null,
      Changed: null,
    });
    expect([...events, ...elements.performed]).toEqual([]);
  });
});

describe("ui_type", () => {
  test("text goes to the active window, keys are pressed in order and released in reverse [S1-21, S1-22, S1-68, S1-69, S1-73]", async () => {
    const { call, events } = open();
    await call("ui_type", { text: "né 🎉" });
    await call("ui_type", { keys: ["ctrl", "shift", "s"] });
    expect(events).toEqual([
      "type né 🎉",
      "key down ctrl",
      "key down shift",
      "key down s",
      "key up s",
      "key up shift",
      "key up ctrl",
    ]);
  });

  test("the window named is focused first, and text comes before keys [S1-38, S1-70]", async () => {
    const { call, events } = open();
    await call("ui_type", { text: "hi", keys: ["enter"], window_title: "inbox" });
    expect(events).toEqual(["window focus 2", "type hi", "key down enter", "key up enter"]);
  });

  test("nothing to type and unknown keys are reported", async () => {
    const { call } = open();
    expect(await call("ui_type", {})).toMatchObject({ Success: false, Error: "Give text or keys." });
    expect(await call("ui_type", { text: "x", keys: ["hyper"] })).toMatchObject({
      Success: false,
      Error: expect.stringContaining('Unknown key "hyper"'),
    });
  });

  test("what was typed is in no log [S1-106]", async () => {
    const { call, session } = open();
    await call("ui_type", { text: "hunter2", window_title: "Login" });
    const [entry] = session.journal.entries();
    expect(JSON.stringify(entry)).not.toContain("hunter2");
    expect(entry && auditLine(entry)).toMatch(/ui_type text="\[REDACTED\]" window="Login"$/);
  });
});

describe("ui_get_element", () => {
  const user = {
    AutomationId: "user",
    Name: "Username",
    ClassName: "textbox",
    ControlType: "TextBox",
    X: 110,
    Y: 60,
    Width: 80,
    Height: 20,
    IsEnabled: true,
    IsVisible: true,
    Value: "ann",
    Children: [],
  };

  test("by selector and by point, with every field [S1-39, S1-77, S1-78, S1-79]", async () => {
    const { call } = open();
    const found = { Success: true, Error: null, Element: user };
    expect(await call("ui_get_element", { selector: "TextBox:Username" })).toEqual(found);
    expect(await call("ui_get_element", { selector: "TextBox:Username", window_title: "Login" })).toEqual(found);
    expect(await call("ui_get_element", { x: 115, y: 65, window_title: "Login" })).toEqual(found);
    // Only the window that is named is searched.
    const elsewhere = { selector: "TextBox:Username", window_title: "Inbox" };
    expect(await call("ui_get_element", elsewhere)).toMatchObject({ Success: false, Element: null });
  });

  test("its children are nested [S1-4, S1-39]", async () => {
    const { call } = open();
    const { Element } = (await call("ui_get_element", { selector: "Window:Login Form" })) as {
      Element: { Children: { ControlType: string; Children: { Name: string }[] }[] };
    };
    expect(Element.Children.map(({ ControlType }) => ControlType)).toEqual(["Group", "Group"]);
    expect(Element.Children[0]?.Children.map(({ Name }) => Name)).toEqual(["Username", "Play", "Hello", "Volume"]);
  });

  test("its coordinates can be clicked without conversion [S1-126]", async () => {
    const { call, events } = open();
    const { Element } = (await call("ui_get_element", { selector: "Button:Play" })) as {
      Element: { X: number; Y: number };
    };
    await call("ui_click", { x: Element.X + 10, y: Element.Y + 10 });
    expect(events).toContain("move 120,110");
  });

  test("its ControlType is what selectors understand [S1-127]", () => {
    expect(controlType("togglebutton")).toBe("ToggleButton");
    expect(controlType("list")).toBe("List");
    expect(roles.map((role) => roleNamed(controlType(role)))).toEqual([...roles]);
  });

  test.each([
    [{ selector: "Button:Stop" }, /matches/],
    [{ x: 1_000, y: 700 }, /There is no element at 1000,700/],
    [{ x: 1, y: 1, selector: "Button:Play" }, /not both/],
    [{}, /^Give x and y or selector\.$/],
    [{ selector: "Buton:Play" }, /did you mean/],
  ])("%j is no element and a text", async (args, error) => {
    expect(await open().call("ui_get_element", args)).toEqual({
      Success: false,
      Error: expect.stringMatching(error),
      Element: null,
    });
  });
});

describe("ui_focus_window and ui_wait", () => {
  test("focus by part of the title [S1-17, S1-80, S1-81]", async () => {
    const { call, events } = open();
    expect(await call("ui_focus_window", { window_title: "inbox" })).toMatchObject({ Success: true, Changed: true });
    expect(events).toEqual(["window focus 2"]);
    expect(await call("ui_focus_window", { window_title: "nowhere" })).toMatchObject({ Success: false });
  });

  test("waits for a window that appears later [S1-83]", async () => {
    const { call, backend } = open();
    let looks = 0;
    backend.desktop.beforeEach = (operation) => {
      if (operation === "list" && ++looks === 3) backend.desktop.update(1, { title: "Dashboard" });
    };
    expect(await call("ui_wait", { window_title: "dashb" })).toMatchObject({
      Success: true,
      Window: { Title: "Dashboard", Handle: 1 },
      Element: null,
    });
    expect(looks).toBe(3);
  });

  test("waits for an element by the selectors ui_get_element takes [S1-84, S1-127]", async () => {
    const { call, elements, backend } = open();
    let looks = 0;
    backend.desktop.beforeEach = (operation) => {
      if (operation === "list" && ++looks === 3) elements.change("play", { name: "Pause" });
    };
    expect(await call("ui_wait", { element_selector: "Button:Pause" })).toMatchObject({
      Success: true,
      Element: { Name: "Pause", ControlType: "Button", X: 110 },
    });
  });

  test("a timeout and nothing to wait for are Success false", async () => {
    const { call } = open();
    expect(await call("ui_wait", { window_title: "never", timeout_ms: 100 })).toMatchObject({
      Success: false,
      Error: expect.stringContaining("not met within 100 ms"),
      Window: null,
    });
    expect(await call("ui_wait")).toMatchObject({ Success: false, Error: "Give window_title or element_selector." });
  });

  test("a cancelled wait is cancelled, not an answer", async () => {
    const { outcome } = open();
    const cancel = new AbortController();
    const waiting = outcome("ui_wait", { window_title: "never" }, { signal: cancel.signal });
    cancel.abort();
    expect(await waiting).toMatchObject({ kind: "failed", envelope: { error: { code: "cancelled" } } });
  });
});

interface Tree {
  readonly id: string;
  readonly title: string;
  readonly children: readonly Tree[];
}

async function openDebug(flags: Record<string, string> = {}) {
  const opened = open(flags);
  const { sessionId, pid: started } = await opened.call("debug_launch", { command: "fake-app", args: ["--demo"] });
  opened.events.length = 0;
  const list = async () => {
    const { tree } = (await opened.call("debug_ui", { sessionId })) as { tree: readonly Tree[] };
    const flat = (nodes: readonly Tree[]): readonly Tree[] => nodes.flatMap((node) => [node, ...flat(node.children)]);
    return new Map(flat(tree).map(({ title, id }) => [title, id]));
  };
  const act = (action: string, args: object = {}) => opened.call("debug_ui_action", { sessionId, action, ...args });
  return { ...opened, sessionId, started, ids: await list(), list, act };
}

const failed = (error: string) => ({
  success: false,
  method: null,
  node_before: null,
  node_after: null,
  changed: false,
  error,
});

describe("debug_launch and debug_ui", () => {
  test("a session has its process, and a tree with stable ids [S4-2, S4-21, S4-60]", async () => {
    const { started, sessionId, call, list, ids } = await openDebug();
    expect(started).toBe(pid);
    expect(ids.size).toBeGreaterThan(5);
    expect(await list()).toEqual(ids);
    expect(await call("debug_ui", { sessionId })).toMatchObject({
      sessionId,
      pid,
      omitted: 0,
      tree: [
        {
          role: "window",
          children: [
            {
              children: [
                { title: "Username", value: "ann", focused: true, actions: ["set_value", "focus"] },
                { title: "Play" },
                { title: "Hello" },
                { title: "Volume", value: 3, bounds: null },
              ],
            },
            { title: "Drop here", children: [] },
          ],
        },
      ],
    });
  });

  test("a session nobody started is an error", async () => {
    await expect(open().call("debug_ui", { sessionId: "none" })).rejects.toMatchObject({ code: "not_found" });
    await expect(open().call("debug_ui_action", { sessionId: "none", action: "key", key: "a" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("debug_ui_action", () => {
  test("click presses natively, and changed says whether the node differs [S4-18, S4-30…S4-33, S4-38, S4-63]", async () => {
    const { act, ids, elements } = await openDebug();
    const id = ids.get("Play");
    const before = {
      id,
      role: "button",
      title: "Play",
      value: null,
      enabled: true,
      focused: false,
      bounds: { x: 110, y: 100, width: 80, height: 20 },
    };
    expect(await act("click", { id })).toEqual({
      success: true,
      method: "ax",
      node_before: before,
      node_after: before,
      changed: false,
    });
    elements.onPerform = ({ runtimeId }) => elements.change(runtimeId, { states: ["showing"] });
    expect(await act("click", { id })).toEqual({
      success: true,
      method: "ax",
      node_before: before,
      node_after: { ...before, enabled: false },
      changed: true,
    });
  });

  test("a node without a native press is clicked in its centre with the pointer [S4-15, S4-31, S4-38, S4-64]", async () => {
    const { act, ids, events } = await openDebug();
    expect(await act("click", { id: ids.get("Hello") })).toMatchObject({ success: true, method: "cgevent" });
    expect([...new Set(events)]).toEqual(["move 150,150", "down left", "up left"]);
  });

  test("set_value writes numbers as numbers, and as text into a text field [S4-24, S4-47, S4-48]", async () => {
    const { act, ids, elements } = await openDebug();
    const written: unknown[] = [];
    elements.onPerform = ({ runtimeId }, action) => {
      if (action.name !== "set_value" || typeof action.value === "boolean") return;
      written.push(action.value);
      elements.change(runtimeId, { value: action.value });
    };
    expect(await act("set_value", { id: ids.get("Volume"), value: 7 })).toMatchObject({
      method: "ax",
      node_before: { value: 3 },
      node_after: { value: 7 },
      changed: true,
    });
    expect(await act("set_value", { id: ids.get("Username"), value: 7 })).toMatchObject({ success: true });
    expect(await act("set_value", { id: ids.get("Username"), value: "bob" })).toMatchObject({ success: true });
    expect(written).toEqual([7, "7", "bob"]);
  });

  test("waits no longer than settleMs, 80 ms unless told otherwise [S4-16, S4-29]", async () => {
    // The limit of the other tools, far longer than this test may take.
    const { act, ids, elements } = await openDebug({ settleMs: "30000" });
    expect(await act("click", { id: ids.get("Play") })).toMatchObject({ success: true, changed: false });
    const slow = act("click", { id: ids.get("Play"), settleMs: 30_000 });
    await expect.poll(() => elements.performed.length).toBe(2);
    elements.change("play", { name: "Pause" });
    expect(await slow).toMatchObject({ success: true, changed: true });
  });

  test("type sends keys to the focused field [S4-25, S4-40]", async () => {
    const { act, ids, events, elements } = await openDebug();
    const typing = { id: ids.get("Username"), text: "hi" };
    expect(await act("type", typing)).toMatchObject({ success: true, method: "cgevent" });
    expect(events).toEqual(["type hi"]);
    // Natively if the app can, otherwise by a click into its middle.
    elements.mark("user", undefined, "focused");
    await act("type", typing);
    expect(elements.performed).toEqual(["focus user"]);
    elements.change("user", { states: ["enabled", "showing", "editable"], actions: ["set_value"] });
    events.length = 0;
    await act("type", typing);
    expect(events.filter((event) => !event.startsWith("window"))).toEqual([
      "move 150,70",
      "down left",
      "up left",
      "type hi",
    ]);
  });

  test("key goes to the program without a node [S4-26, S4-32, S4-41, S4-65]", async () => {
    const { act, events, call } = await openDebug();
    await call("focus_window", { window_id: 2 });
    expect(await act("key", { key: "return", modifiers: ["cmd", "shift", "alt", "ctrl"] })).toEqual({
      success: true,
      method: "cgevent",
      node_before: null,
      node_after: null,
      changed: false,
    });
    expect(events.slice(1, 7)).toEqual([
      "window focus 1",
      "key down meta",
      "key down shift",
      "key down alt",
      "key down ctrl",
      "key down enter",
    ]);
  });

  test("scroll turns the wheel over the centre, three notches by default [S4-27, S4-42]", async () => {
    const { act, ids, events } = await openDebug();
    await act("scroll", { id: ids.get("Hello"), direction: "down" });
    await act("scroll", { id: ids.get("Hello"), direction: "left", amount: 1 });
    expect([...new Set(events)]).toEqual(["move 150,150", "wheel 0,3", "wheel -1,0"]);
    expect(events.filter((event) => event.startsWith("wheel"))).toHaveLength(2);
  });

  test("drag goes from node to node in ten steps and shows what it was dropped on [S4-28, S4-43, S4-64]", async () => {
    const { act, ids, events, elements, backend } = await openDebug();
    backend.desktop.beforeEach = (operation) => {
      if (operation === "up") elements.change("zone", { name: "Dropped 1" });
    };
    const id = ids.get("Hello");
    expect(await act("drag", { id, toId: ids.get("Drop here") })).toMatchObject({
      success: true,
      method: "cgevent",
      node_before: { id: ids.get("Drop here"), title: "Drop here" },
      node_after: { id: ids.get("Drop here"), title: "Dropped 1" },
      changed: true,
    });
    const moves = events.slice(events.indexOf("down left") - 1).filter((event) => event.startsWith("move"));
    expect(moves).toHaveLength(11);
    expect([moves[0], moves[1], moves.at(-1)]).toEqual(["move 150,150", "move 169,146", "move 340,110"]);
  });

  test("a node that moved in the tree, or that our action renamed, is still the same [S4-17, S4-62]", async () => {
    const { act, ids, elements } = await openDebug();
    elements.change("play", { parent: "w" });
    elements.onPerform = ({ name }) => elements.change("play", { name: name === "Play" ? "Pause" : "Play" });
    expect(await act("click", { id: ids.get("Play") })).toMatchObject({
      node_after: { title: "Pause" },
      changed: true,
    });
    expect(await act("click", { id: ids.get("Play") })).toMatchObject({ node_after: { title: "Play" } });
    expect(elements.performed).toEqual(["press play", "press play"]);
  });

  test("a recreated node is found by its id, and one that became another is not mistaken for it [S4-12, S4-62]", async () => {
    const { act, ids, elements } = await openDebug();
    elements.change("play", { runtimeId: "play again" });
    expect(await act("click", { id: ids.get("Play"), toId: "of no use here" })).toMatchObject({ success: true });
    expect(elements.performed).toEqual(["press play again"]);
    elements.change("play again", { name: "Delete" });
    expect(await act("click", { id: ids.get("Play") })).toEqual(failed("node not found"));
  });
});

test("debug_ui_action needs the permission that debug_ui needs, and no other [S4-61]", async () => {
  const { act, call, sessionId, ids, elements } = await openDebug();
  const missing = () => {
    throw new ToolError("permission_missing", "Accessibility is not permitted.");
  };
  elements.tree = async () => missing();
  elements.read = async () => missing();
  await expect(call("debug_ui", { sessionId })).rejects.toMatchObject({ code: "permission_missing" });
  expect(await act("click", { id: ids.get("Play") })).toMatchObject({
    success: false,
    error: expect.stringContaining("Accessibility is not permitted") as string,
  });
});

test("debug_ui_action is permitted or refused like the other acting tools", async () => {
  const { outcome } = open({ policy: "observe-only" });
  const refused = await outcome("debug_ui_action", { sessionId: "s", action: "key", key: "a" });
  expect(refused).toMatchObject({ kind: "failed", envelope: { error: { code: "denied" } } });
});

describe("debug_ui_action fails in these words", () => {
  test("node not found [S4-13, S4-34, S4-52]", async () => {
    const { act, ids, elements } = await openDebug();
    expect(await act("click", { id: "nothing" })).toEqual(failed("node not found"));
    elements.nodes = elements.nodes.filter(({ runtimeId }) => runtimeId !== "play");
    expect(await act("click", { id: ids.get("Play") })).toEqual(failed("node not found"));
    elements.perform = async () => {
      throw new ToolError("uid_not_found", "The element is gone.");
    };
    expect(await act("set_value", { id: ids.get("Volume"), value: 1 })).toEqual(failed("node not found"));
  });

  test("drag destination node not found [S4-56]", async () => {
    const { act, ids, events } = await openDebug();
    expect(await act("drag", { id: ids.get("Hello"), toId: "nothing" })).toEqual(
      failed("drag destination node not found"),
    );
    expect(events).toEqual([]);
  });

  test("element does not support set_value; try 'type' [S4-39, S4-49, S4-54]", async () => {
    const { act, ids, elements, events } = await openDebug();
    const refused = failed("element does not support set_value; try 'type'");
    expect(await act("set_value", { id: ids.get("Play"), value: "x" })).toEqual(refused);
    // A field that could be typed into is not.
    elements.change("user", { actions: ["focus"] });
    expect(await act("set_value", { id: ids.get("Username"), value: "x" })).toEqual(refused);
    elements.change("user", { actions: ["set_value", "focus"] });
    elements.perform = async () => {
      throw new ToolError("ax_error", "The app refused the value.");
    };
    expect(await act("set_value", { id: ids.get("Username"), value: "x" })).toEqual(refused);
    expect(events).toEqual([]);
  });

  test("process not running, even if it ends in between [S4-55]", async () => {
    const { act, ids, elements, backend, session } = await openDebug();
    elements.perform = async () => {
      backend.desktop.close(1);
      throw new ToolError("uid_not_found", "The element is gone.");
    };
    expect(await act("click", { id: ids.get("Play") })).toEqual(failed("process not running"));
    expect(await act("key", { key: "a" })).toEqual(failed("process not running"));
    expect(session.journal.entries().at(-1)).toMatchObject({ ok: false });
  });

  test.each([
    ["click", {}, "id"],
    ["set_value", { id: "x" }, "value"],
    ["type", { id: "x" }, "text"],
    ["key", {}, "key"],
    ["scroll", { id: "x" }, "direction"],
    ["drag", { id: "x" }, "toId"],
  ])("ValidationError for %s %j before anything is done [S4-23, S4-57, S4-58, S4-66]", async (action, args, field) => {
    const { act, events, elements } = await openDebug();
    await expect(act(action, args)).rejects.toMatchObject({
      code: "invalid_argument",
      message: `ValidationError: ${field} is required for ${action}.`,
    });
    expect([...events, ...elements.performed]).toEqual([]);
  });
});
