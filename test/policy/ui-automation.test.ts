import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCommandLine, openMcp, type CommandLine, type Front, type FrontOptions } from "./fronts.ts";

let commandLine: CommandLine;
beforeAll(async () => {
  commandLine = await openCommandLine();
});
afterAll(() => commandLine[Symbol.asyncDispose]());

interface Way {
  readonly name: string;
  readonly canAsk: boolean;
  /** Each call is a separate session. */
  readonly forgets: boolean;
  readonly open: (options: FrontOptions) => Promise<Front>;
}

const alone = ({ rules = {} }: FrontOptions): FrontOptions => ({ rules });
const ways: readonly Way[] = [
  ...(["2025-11-25", "2026-07-28"] as const).flatMap((era) => [
    {
      name: `an MCP client of ${era} that asks`,
      canAsk: true,
      forgets: false,
      open: (o: FrontOptions) => openMcp(era, o),
    },
    {
      name: `an MCP client of ${era} that cannot ask`,
      canAsk: false,
      forgets: false,
      open: (o: FrontOptions) => openMcp(era, alone(o)),
    },
  ]),
  { name: "the command line in a terminal", canAsk: true, forgets: true, open: (o) => commandLine.open(o) },
  { name: "the command line in a script", canAsk: false, forgets: true, open: (o) => commandLine.open(alone(o)) },
];

const looking: readonly [string, Record<string, unknown>][] = [
  ["ui_list_windows", {}],
  ["ui_capture", { mode: "fullscreen" }],
  ["ui_get_element", { selector: "Button:None" }],
];
const acting: readonly [string, Record<string, unknown>][] = [
  ["ui_click", { x: 30, y: 60 }],
  ["ui_type", { text: "hello", window_title: "Editor" }],
  ["ui_mouse_move", { x: 40, y: 60 }],
  ["ui_focus_window", { window_title: "Editor" }],
];

describe.each(ways)("$name", ({ canAsk, forgets, open }) => {
  test("is asked before the first use; no blocks the call, yes allows it and is remembered [S1-86, S1-89, S1-92, S1-99]", async () => {
    await using front = await open({ say: ["deny", "session"] });
    expect((await front.call("ui_list_windows")).code).toBe("denied");
    const second = await front.call("ui_list_windows");
    expect(second.code).toBe(canAsk ? "ok" : "denied");
    expect(front.asked()).toBe(canAsk ? 2 : 0);
    // A process that has ended remembers nothing; there the rule file does.
    if (canAsk && !forgets) expect((await front.call("ui_capture")).code).toBe("ok");
    expect(front.asked()).toBe(canAsk ? 2 : 0);
    if (!canAsk) expect(JSON.stringify(second.data)).toContain("--policy allow");
  });

  test("with Enabled each tool that acts needs its own permission [S1-88, S1-90, S1-94, S1-100]", async () => {
    await using front = await open({ rules: { Enabled: true }, say: acting.map(() => "tool" as const) });
    for (const [tool, args] of acting) {
      expect([tool, (await front.call(tool, args)).code]).toEqual([tool, canAsk ? "ok" : "denied"]);
    }
    expect(front.asked()).toBe(canAsk ? acting.length : 0);
  });

  test("RequireApprovalForCapture asks for pictures and for nothing else [S1-93]", async () => {
    await using front = await open({ rules: { Enabled: true, RequireApprovalForCapture: true }, say: ["once"] });
    expect((await front.call("ui_list_windows")).code).toBe("ok");
    expect(front.asked()).toBe(0);
    expect((await front.call("ui_capture")).code).toBe(canAsk ? "ok" : "denied");
    expect(front.asked()).toBe(canAsk ? 1 : 0);
  });
});

// What asks nobody works the same in a script as in a terminal.
describe.each(ways.filter(({ name }) => !name.endsWith("script")))("$name", ({ forgets, open }) => {
  test("with Enabled the tools that look are free [S1-87, S1-90, S1-92]", async () => {
    await using front = await open({ rules: { Enabled: true }, say: [] });
    for (const [tool, args] of looking) expect([tool, (await front.call(tool, args)).code]).toEqual([tool, "ok"]);
    expect(front.asked()).toBe(0);
  });

  test("tool names ignore case [S1-91]", async () => {
    const rules = { Enabled: true, rules: [{ tool: "UI_Mouse_MOVE", verdict: "allow" }] };
    await using front = await open({ rules, say: [] });
    expect((await front.call("ui_mouse_move", { x: 40, y: 60 })).code).toBe("ok");
    expect(front.asked()).toBe(0);
  });

  test("RequireApprovalForInput off asks for no action [S1-94]", async () => {
    await using front = await open({ rules: { Enabled: true, RequireApprovalForInput: false }, say: [] });
    for (const [tool, args] of acting.slice(0, 3))
      expect([tool, (await front.call(tool, args)).code]).toEqual([tool, "ok"]);
  });

  test("AllowedWindowPatterns leaves the others out of reach; all are allowed by default [S1-95]", async () => {
    const capture = { mode: "window", window_title: "Editor" };
    await using standard = await open({ rules: { Enabled: true }, say: [] });
    expect((await standard.call("ui_capture", capture)).data["Success"]).not.toBe(false);
    await using narrow = await open({ rules: { Enabled: true, AllowedWindowPatterns: ["Mail*"] }, say: [] });
    expect((await narrow.call("ui_capture", capture)).data).toMatchObject({
      Success: false,
      Error: expect.stringContaining("No window matches") as string,
    });
  });

  test("windows named after passwords and banks are blocked by default, and BlockedWindowPatterns blocks others [S1-96, S1-99, S1-101]", async () => {
    await using standard = await open({ rules: { Enabled: true }, say: [] });
    for (const window_title of ["My passwords", "Online Banking"]) {
      expect((await standard.call("ui_capture", { mode: "window", window_title })).data).toMatchObject({
        Success: false,
        Error: expect.stringContaining("No window matches") as string,
      });
    }
    expect((await standard.call("take_screenshot", { mode: "screen" })).data["masked"]).toBe(2);
    await using own = await open({ rules: { Enabled: true, BlockedWindowPatterns: ["Edit*"] }, say: [] });
    expect((await own.call("take_screenshot", { mode: "screen" })).data["masked"]).toBe(1);
  });

  test("MaxCapturesPerMinute and the rate of actions are limits [S1-97, S1-100]", async () => {
    // Separate processes have separate minutes.
    const limit = forgets ? 0 : 2;
    const rules = {
      Enabled: true,
      RequireApprovalForInput: false,
      MaxCapturesPerMinute: limit,
      MaxActionsPerMinute: limit,
    };
    await using front = await open({ rules, say: [] });
    for (let count = 0; count < limit; count++) {
      expect((await front.call("ui_capture")).code).toBe("ok");
      expect((await front.call("ui_mouse_move", { x: 40, y: 60 })).code).toBe("ok");
    }
    for (const [tool, args] of [
      ["ui_capture", {}],
      ["ui_mouse_move", { x: 40, y: 60 }],
    ] as const) {
      const { code, data } = await front.call(tool, args);
      expect(code).toBe("rate_limited");
      expect(JSON.stringify(data)).toMatch(/Call again in [\d.]+ s/);
    }
  });

  test("every call is a line of the log, with its subject and without what was typed; LogAllActions off leaves none [S1-98, S1-103…S1-106]", async () => {
    const rules = { Enabled: true, RequireApprovalForInput: false };
    await using front = await open({ rules, say: [] });
    await front.call("ui_capture", { mode: "window", window_title: "Editor" });
    await front.call("ui_click", { x: 30, y: 60, button: "right", window_title: "Editor" });
    await front.call("ui_type", { text: "c4nary-77d0", window_title: "Editor" });
    const lines = (await front.log()).toSorted();
    const time = String.raw`^\[UI\] \d{4}-\d\d-\d\d \d\d:\d\d:\d\d `;
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`${time}ui_capture mode=window title="Editor" size=\\d+x\\d+$`)),
      expect.stringMatching(new RegExp(`${time}ui_click x=30 y=60 button=right window="Editor"`)),
      expect.stringMatching(new RegExp(`${time}ui_type text="\\[REDACTED\\]" window="Editor"`)),
    ]);
    expect(lines.join("\n")).not.toContain("c4nary");
    await using silent = await open({ rules: { ...rules, LogAllActions: false }, say: [] });
    await silent.call("ui_capture");
    expect(await silent.log()).toEqual([]);
  });
});
