import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { serveHttp } from "../../src/mcp/http.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { dataOf, startHandsight, type Handsight } from "../support/handsight.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

/**
 * One process shows "Editor", which may be used, and "Payroll", which may not; another shows "Notes". Every row tries
 * to reach Payroll under the name of something else. It passes if the call is refused and nothing reached Payroll.
 */

interface Windows {
  readonly editor: number;
  readonly payroll: number;
  readonly notes: number;
  readonly pid: number;
}

interface Found {
  readonly uid: string;
  readonly stable_id?: string;
  readonly click_point?: { readonly x: number; readonly y: number };
}

/** What a row is built from, as seen by a server with its own refs. */
interface Stage extends Windows {
  readonly payButton: string;
  readonly payField: string;
  readonly ownButton: string;
  readonly ownField: string;
  /** The centre of Payroll's button on the screen. */
  readonly at: { readonly x: number; readonly y: number };
  readonly own: { readonly x: number; readonly y: number };
  readonly region: number;
  readonly ownRegion: number;
  /** A screenshot of the whole screen. */
  readonly shot: string;
}

type Row = readonly [what: string, tool: string, args: (stage: Stage) => object];

const acting: readonly Row[] = [
  ["uid, window_id of the editor", "click", (s) => ({ uid: s.payButton, window_id: s.editor })],
  ["uid, window_title of the editor", "click", (s) => ({ uid: s.payButton, window_title: "Editor" })],
  ["uid, app of another process", "click", (s) => ({ uid: s.payButton, window_title: "Notes" })],
  ["uid, pid of another process", "click", (s) => ({ uid: s.payButton, window_id: s.notes })],
  ["uid alone", "click", (s) => ({ uid: s.payButton })],
  ["uid, in the background", "click", (s) => ({ uid: s.payButton, delivery: "background" })],
  ["uid, with the mouse", "click", (s) => ({ uid: s.payButton, delivery: "foreground" })],
  ["a selector in the same process", "click", () => ({ selector: 'Button:"Pay Payroll"' })],
  ["a selector by pid", "click", (s) => ({ selector: 'Button:"Pay Payroll"', pid: s.pid })],
  ["a text in the same process", "click", () => ({ text: "Pay Payroll" })],
  ["a text below an element of it", "click", (s) => ({ text: "Pay Payroll", within: s.payButton })],
  ["a point of the screen", "click", (s) => ({ ...s.at })],
  ["a point, title of the editor", "click", (s) => ({ ...s.at, window_title: "Editor" })],
  ["a point, pid of the process", "click", (s) => ({ ...s.at, pid: s.pid })],
  ["a point of the window", "click", (s) => ({ window_id: s.payroll, window_x: 40, window_y: 60 })],
  ["a point outside the editor", "click", (s) => ({ window_id: s.editor, window_x: 440, window_y: 60 })],
  ["a pixel of the whole screen", "click", (s) => pixel(s)],
  ["a pixel, title of the editor", "click", (s) => ({ ...pixel(s), window_title: "Editor" })],
  ["a pixel placed by hand", "click", (s) => placed(s)],
  ["a pixel placed by hand, title of the editor", "click", (s) => ({ ...placed(s), window_title: "Editor" })],
  ["a region", "click", (s) => ({ region: s.region })],
  ["a region, window_id of the editor", "click", (s) => ({ region: s.region, window_id: s.editor })],
  ["the tool for regions", "click_region", (s) => ({ region: s.region })],
  ["a double click", "click", (s) => ({ ...s.at, clicks: 2 })],
  ["the right button", "click", (s) => ({ uid: s.payButton, button: "right" })],
  ["hovering", "move_mouse", (s) => ({ ...s.at })],
  ["hovering by uid, title of the editor", "move_mouse", (s) => ({ uid: s.payButton, window_title: "Editor" })],
  ["the wheel", "scroll", (s) => ({ ...s.at, direction: "down" })],
  [
    "the wheel by uid, window_id of the editor",
    "scroll",
    (s) => ({ uid: s.payButton, window_id: s.editor, direction: "up" }),
  ],
  ["a drag that begins there", "drag", (s) => ({ start_x: s.at.x, start_y: s.at.y, end_x: s.own.x, end_y: s.own.y })],
  ["a drag that ends there", "drag", (s) => ({ start_x: s.own.x, start_y: s.own.y, end_x: s.at.x, end_y: s.at.y })],
  ["a drag across it", "drag", (s) => ({ start_x: s.own.x, start_y: s.at.y, end_x: 1_500, end_y: s.at.y, steps: 60 })],
  ["a drag by uid", "drag", (s) => ({ uid: s.ownButton, to_uid: s.payButton })],
  [
    "a drag by uid, window_id of the editor",
    "drag",
    (s) => ({ uid: s.payButton, to_uid: s.payField, window_id: s.editor }),
  ],
  ["a drag from uid to point", "drag", (s) => ({ uid: s.ownButton, end_x: s.at.x, end_y: s.at.y })],
  ["a drag between regions", "drag", (s) => ({ region: s.ownRegion, to_region: s.region })],
  ["text into its field", "type_text", (s) => ({ text: "x", uid: s.payField })],
  [
    "text into its field, title of the editor",
    "type_text",
    (s) => ({ text: "x", uid: s.payField, window_title: "Editor" }),
  ],
  ["text into its field by name", "type_text", () => ({ text: "x", into: "Name Payroll" })],
  ["text into its field by name and pid", "type_text", (s) => ({ text: "x", into: "Name Payroll", pid: s.pid })],
  ["text to its window", "type_text", (s) => ({ text: "x", window_id: s.payroll })],
  [
    "text into a region, title of the editor",
    "type_text",
    (s) => ({ text: "x", region: s.region, window_title: "Editor" }),
  ],
  ["a key to its window", "press_key", () => ({ key: "enter", window_title: "Payroll" })],
  ["pressed natively", "ax_click", (s) => ({ uid: s.payButton })],
  ["pressed natively by region", "ax_click", (s) => ({ region: s.region })],
  ["a value set natively", "ax_set_value", (s) => ({ uid: s.payField, value: "x" })],
  ["the focus set natively", "ax_focus", (s) => ({ uid: s.payField })],
  ["act: press", "act", (s) => ({ action: "press", uid: s.payButton })],
  ["act: press, window_id of the editor", "act", (s) => ({ action: "press", uid: s.payButton, window_id: s.editor })],
  [
    "act: set_value, title of the editor",
    "act",
    (s) => ({ action: "set_value", uid: s.payField, value: "x", window_title: "Editor" }),
  ],
  ["act: type", "act", (s) => ({ action: "type", uid: s.payField, text: "x" })],
  ["act: drag onto it", "act", (s) => ({ action: "drag", uid: s.ownButton, to_uid: s.payButton })],
  [
    "act: scroll, title of the editor",
    "act",
    (s) => ({ action: "scroll", uid: s.payButton, direction: "down", window_title: "Editor" }),
  ],
  ["act: a key to its window", "act", (s) => ({ action: "key", key: "a", window_id: s.payroll })],
  ["ui_click on a point", "ui_click", (s) => ({ ...s.at })],
  ["ui_click by selector in the same process", "ui_click", () => ({ selector: 'Button:"Pay Payroll"' })],
  ["ui_click by its title", "ui_click", () => ({ selector: 'Button:"Pay Payroll"', window_title: "Payroll" })],
  ["ui_mouse_move", "ui_mouse_move", (s) => ({ ...s.at })],
  ["ui_focus_window", "ui_focus_window", () => ({ window_title: "Payroll" })],
  ["to the front by id", "focus_window", (s) => ({ window_id: s.payroll })],
  ["to the front by title", "focus_window", () => ({ window_title: "Payr" })],
  ["moved", "set_window", (s) => ({ window_id: s.payroll, action: "move", x: 500, y: 40 })],
  ["closed", "set_window", () => ({ window_title: "Payroll", action: "close" })],
];

const pixel = ({ shot, at }: Stage) => ({ screenshot_id: shot, screenshot_x: at.x, screenshot_y: at.y });
const placed = ({ at }: Stage) => ({
  screenshot_x: at.x - 10,
  screenshot_y: at.y - 10,
  screenshot_origin_x: 10,
  screenshot_origin_y: 10,
  screenshot_scale: 1,
});

/** A process that makes one call has no refs. */
const withoutRefs: readonly Row[] = acting.filter(([what]) =>
  /^(a selector by pid|a text in the same|a point of the (screen|window)|a drag that ends|text to its window)/.test(
    what,
  ),
);

const looking: readonly Row[] = [
  ["a picture of the screen", "take_screenshot", () => ({ mode: "screen" })],
  ["a picture of its display", "take_screenshot", () => ({ mode: "display", display_id: 1 })],
  [
    "a picture of a part",
    "take_screenshot",
    (s) => ({ mode: "region", x: s.at.x - 5, y: s.at.y - 5, width: 20, height: 20 }),
  ],
  ["a picture of it", "take_window_screenshot", (s) => ({ window_id: s.payroll })],
  ["a picture by title", "take_screenshot", () => ({ mode: "window", window_title: "Payroll" })],
  ["an element by selector", "take_screenshot", () => ({ mode: "element", selector: 'Button:"Pay Payroll"' })],
  ["its text", "ocr", () => ({ mode: "screen" })],
  ["its regions", "mark_regions", () => ({ mode: "screen" })],
  ["a text in the same process", "find_text", () => ({ text: "Pay" })],
  ["elements of the same process", "find_elements", () => ({ selector: "Button" })],
  ["elements by pid", "find_elements", (s) => ({ selector: "Button", pid: s.pid })],
  ["the tree of the process", "take_ax_snapshot", () => ({})],
  ["the tree by app", "take_ax_snapshot", (s) => ({ pid: s.pid })],
  ["what is at a point", "element_at_point", (s) => ({ ...s.at })],
  ["its text by selector", "read_text", () => ({ selector: 'Button:"Pay Payroll"' })],
  [
    "waiting for its element",
    "wait_for",
    () => ({ condition: "element", selector: 'Button:"Pay Payroll"', timeout_ms: 0 }),
  ],
  ["ui_get_element at a point", "ui_get_element", (s) => ({ ...s.at })],
  ["ui_get_element by selector", "ui_get_element", () => ({ selector: 'Button:"Pay Payroll"' })],
];

let desktop: VirtualDesktop;
let app: Fixture;
let notes: Fixture;
const folder = mkdtempSync(join(tmpdir(), "handsight-decided-"));
let held = 0;
let tried = 0;

const ruleFile = (name: string, rules: readonly object[]): string => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ rules }));
  return file;
};
const noActing = ruleFile("acting", [
  { window: "Payroll", access: "act", verdict: "deny" },
  { window: "Payroll", access: "manage", verdict: "deny" },
]);
const nothing = ruleFile("nothing", [{ window: "Payroll", verdict: "deny" }]);

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1600, height: 700, monitors: 1, scale: 1 });
  const { env } = desktop;
  notes = await startFixture("gtk3_editor", { env, args: ["--title", "Notes", "--geometry", "300x200+900+300"] });
  app = await startFixture("gtk3_two_windows", { env });
  const setUp = await startHandsight(env);
  await setUp.call("wait_for", { condition: "window", window_title: "Notes", timeout_ms: 20_000 });
  await setUp.call("wait_for", {
    condition: "element",
    selector: 'Button:"Pay Payroll"',
    pid: app.pid,
    timeout_ms: 20_000,
  });
  await setUp.call("focus_window", { window_title: "Editor" });
  await setUp[Symbol.asyncDispose]();
});

afterAll(async () => {
  await app?.stop();
  await notes?.stop();
  await desktop?.[Symbol.asyncDispose]();
  removeFolderNow(folder);
  console.log(`what is decided about is what is acted on: held ${held} of ${tried}`);
});

type Call = (tool: string, args: object) => Promise<Record<string, unknown>>;

/** How many events have reached Payroll since the app started. */
const reached = (): number => app.events.filter(({ window }) => window === "Payroll").length;

async function listWindows(call: Call): Promise<Windows> {
  const { windows } = (await call("list_windows", {})) as {
    windows: { window_id: number; title: string; pid: number }[];
  };
  const of = (title: string) => windows.find((each) => each.title === title);
  return {
    editor: of("Editor")?.window_id ?? 0,
    payroll: of("Payroll")?.window_id ?? 0,
    notes: of("Notes")?.window_id ?? 0,
    pid: app.pid,
  };
}

async function openStage(call: Call): Promise<Stage> {
  const windows = await listWindows(call);
  const find = async (selector: string): Promise<Found> => {
    const { elements } = (await call("find_elements", { selector, pid: app.pid })) as { elements: readonly Found[] };
    const [first] = elements;
    if (!first) throw new Error(`no ${selector}`);
    return first;
  };
  const [payButton, payField] = [await find('Button:"Pay Payroll"'), await find('TextBox:"Name Payroll"')];
  const [ownButton, ownField] = [await find('Button:"Pay Editor"'), await find('TextBox:"Name Editor"')];
  const { regions } = (await call("mark_regions", { mode: "screen", include_image: false, details: true })) as {
    regions: readonly { region: number; name: string; role: string }[];
  };
  const regionOf = (name: string): number => regions.find((each) => each.name === name)?.region ?? 0;
  const { screenshot_id: shot } = (await call("take_screenshot", { mode: "screen", max_side: 1600 })) as {
    screenshot_id: string;
  };
  return {
    ...windows,
    payButton: payButton.uid,
    payField: payField.uid,
    ownButton: ownButton.uid,
    ownField: ownField.uid,
    at: payButton.click_point ?? { x: 0, y: 0 },
    own: ownButton.click_point ?? { x: 0, y: 0 },
    region: regionOf("Pay Payroll"),
    ownRegion: regionOf("Pay Editor"),
    shot,
  };
}

/** The call is refused, and nothing reached Payroll. */
async function expectHeld(tool: string, ask: () => Promise<Record<string, unknown>>): Promise<void> {
  tried++;
  const before = reached();
  const answer = await ask();
  const { code } = (answer["error"] as { code?: string } | undefined) ?? {};
  // The compatibility sets answer in their own format.
  const text = JSON.stringify(answer);
  const isRefused = tool.startsWith("ui_")
    ? /refused|denied|another window|not permitted|PERMISSION/i.test(text)
    : code === "denied" || code === "invalid_argument" || code === "out_of_bounds";
  expect(isRefused, text.slice(0, 400)).toBe(true);
  // Anything sent would have arrived by the time the app has answered.
  expect(reached(), "Payroll noticed it").toBe(before);
  held++;
}

describe("over MCP:", () => {
  let handsight: Handsight;
  let stage: Stage;
  beforeAll(async () => {
    handsight = await startHandsight(desktop.env, ["--tools", "all", "--rules", noActing]);
    stage = await openStage(handsight.call);
    expect(Object.entries(stage).filter(([, value]) => value === 0 || value === "")).toEqual([]);
  });
  afterAll(() => handsight?.[Symbol.asyncDispose]());

  test.each(acting)("%s (%s)", async (_what, tool, args) => {
    await expectHeld(tool, async () => (await handsight.ask(tool, args(stage))).data);
  });

  test("the editor beside it still takes everything", async () => {
    for (const [tool, args] of [
      ["click", { uid: stage.ownButton }],
      ["click", { uid: stage.ownButton, window_id: stage.editor }],
      ["click", { uid: stage.ownButton, window_title: "Editor", delivery: "foreground" }],
      ["click", { ...stage.own, pid: stage.pid }],
      ["click", { region: stage.ownRegion, window_title: "Editor" }],
      ["type_text", { text: "x", into: "Name Editor", window_title: "Editor" }],
    ] as const) {
      expect(await handsight.call(tool, args)).toMatchObject({ ok: true });
    }
    expect(app.events.filter(({ event, window }) => event === "clicked" && window === "Editor").length).toBe(5);
  });
});

describe("looking, over MCP:", () => {
  let handsight: Handsight;
  let stage: Stage;
  beforeAll(async () => {
    const open = await startHandsight(desktop.env);
    stage = await openStage(open.call);
    await open[Symbol.asyncDispose]();
    handsight = await startHandsight(desktop.env, ["--tools", "all", "--rules", nothing]);
  });
  afterAll(() => handsight?.[Symbol.asyncDispose]());

  test.each(looking)("%s (%s)", async (_what, tool, args) => {
    await expectHeld(tool, async () => (await handsight.ask(tool, args(stage))).data);
  });

  test("the editor beside it can be looked at", async () => {
    await handsight.call("focus_window", { window_title: "Editor" });
    for (const [tool, args] of [
      ["take_screenshot", {}],
      ["take_ax_snapshot", { window_title: "Editor" }],
      ["find_elements", { selector: "Button", window_id: stage.editor }],
      ["element_at_point", stage.own],
    ] as const) {
      expect((await handsight.ask(tool, args)).isError, tool).toBe(false);
    }
  });
});

test("over HTTP, and a yes for one window is none for another", { timeout: 60_000 }, async () => {
  const config = loadConfig({ flags: { policy: "ask", tools: "all", ocr: "off", journal: "off" }, env: {} });
  const session = openSession(config, { env: desktop.env });
  const http = await serveHttp(session, { port: 0 });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const questions: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params.message);
    const answer = /Payroll/.test(params.message) ? "deny" : /look at/.test(params.message) ? "session" : "window";
    return { action: "accept", content: { answer } };
  });
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
  try {
    const call: Call = async (name, args) => {
      return dataOf(await client.callTool({ name, arguments: args as Record<string, unknown> }));
    };
    const stage = await openStage(call);
    expect(await call("click", { uid: stage.ownButton })).toMatchObject({ ok: true });
    const asked = questions.length;
    expect(await call("click", { uid: stage.ownButton, window_id: stage.editor })).toMatchObject({ ok: true });
    expect(questions.length, "the editor was allowed").toBe(asked);
    for (const [what, tool, args] of acting.filter(([, name]) => !name.startsWith("ui_"))) {
      const before = questions.length;
      await expectHeld(tool, () => call(tool, args(stage)));
      // Refused as a contradiction, or asked about under its own name.
      expect(
        questions.slice(before).filter((question) => !question.includes("Payroll")),
        what,
      ).toEqual([]);
    }
  } finally {
    await client.close();
    await http.close();
    await session[Symbol.asyncDispose]();
  }
});

describe("on the command line:", () => {
  let stage: Stage;
  beforeAll(async () => {
    await using own = await startHandsight(desktop.env);
    stage = await openStage(own.call);
  });

  test.each(withoutRefs)("%s (%s)", async (_what, tool, args) => {
    using sandbox = openSandbox(desktop.env);
    await expectHeld(tool, async () => {
      const words = ["call", tool, JSON.stringify(args(stage)), "--json", "--policy", "allow", "--rules", noActing];
      const { stdout } = await sandbox.run([...words, "--ocr", "off"]);
      return JSON.parse(stdout) as Record<string, unknown>;
    });
  });
});
