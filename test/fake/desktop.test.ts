import { describe, expect, test } from "vitest";
import { ToolError } from "../../src/base/errors.ts";
import { FakeElements } from "../../src/platform/fake/elements.ts";
import { allTools } from "../../src/tools/registry.ts";
import { openFakeSession } from "../support/fake-session.ts";

const editor = {
  id: 1,
  title: "Notes - Editor",
  appName: "Editor",
  pid: 11,
  bounds: { x: 100, y: 50, width: 800, height: 600 },
};
const mail = {
  id: 2,
  title: "Inbox - Mail",
  appName: "Mail",
  pid: 22,
  bounds: { x: 300, y: 200, width: 400, height: 300 },
};
const mailDraft = { id: 3, title: "Draft - Mail", appName: "Mail", pid: 22 };

const open = () => openFakeSession({ width: 1920, height: 1080, windows: [editor, mail, mailDraft] });

describe("a window that the window manager leaves behind", () => {
  const beside = { ...mail, bounds: { x: 1000, y: 200, width: 400, height: 300 } };
  const openStubborn = (windows: readonly object[]) => {
    const opened = openFakeSession({ width: 1920, height: 1080, windows: windows as never });
    const { desktop, pointer } = opened.backend;
    if (!pointer) throw new Error("no pointer");
    Object.assign(opened.backend.windows ?? {}, {
      change: async () => {
        throw new ToolError("timeout", "The window manager did not give the focus to window 2.");
      },
    });
    const down = pointer.down.bind(pointer);
    pointer.down = async (...args) => {
      await down(...args);
      if (desktop.pointer.x >= beside.bounds.x) desktop.activeWindow = 2;
    };
    return { ...opened, events: desktop.events };
  };

  test("is clicked in its middle only if that is asked for, and the result says so [S0-26]", async () => {
    const { call, events } = openStubborn([editor, beside]);
    await expect(call("focus_window", { window_id: 2 })).rejects.toMatchObject({ code: "timeout" });
    expect(events).toEqual([]);
    expect(await call("focus_window", { window_id: 2, fallback: "click" })).toMatchObject({
      ok: true,
      effect: "confirmed",
      method: "input",
      window: { window_id: 2, is_foreground: true },
      warning: expect.stringContaining("Its middle was clicked") as string,
    });
    expect(events).toEqual(["move 1200,350", "down left", "up left"]);
  });

  test("is not clicked into either: nothing is sent to a window without the focus [S0-79]", async () => {
    const { call, events } = openStubborn([editor, beside]);
    await expect(call("click", { window_id: 2, window_x: 5, window_y: 5 })).rejects.toMatchObject({ code: "timeout" });
    expect(events).toEqual([]);
  });

  test("is not clicked through another window, and a click that did not help is no success", async () => {
    const covered = openStubborn([{ ...editor, bounds: { x: 900, y: 0, width: 900, height: 900 } }, beside]);
    const asking = { window_id: 2, fallback: "click" };
    await expect(covered.call("focus_window", asking)).rejects.toMatchObject({ code: "timeout" });
    expect(covered.events).toEqual([]);
    const deaf = openStubborn([
      { ...beside, id: 3 },
      { ...beside, bounds: { ...beside.bounds, x: 100 } },
    ]);
    await expect(deaf.call("focus_window", asking)).rejects.toMatchObject({ code: "timeout" });
    expect(deaf.events).toContain("down left");
  });
});

test("one click or two, with a pause of 50 ms between them unless told otherwise [S0-44, S1-35]", async () => {
  const { call, backend } = open();
  const { pointer } = backend;
  if (!pointer) throw new Error("no pointer");
  const downs: number[] = [];
  const down = pointer.down.bind(pointer);
  pointer.down = async (...args) => {
    downs.push(performance.now());
    await down(...args);
  };
  await call("click", { x: 5, y: 5 });
  expect(downs).toHaveLength(1);
  await call("click", { x: 5, y: 5, clicks: 2 });
  expect(downs).toHaveLength(3);
  // A timer may fire within the same millisecond that it was set for.
  expect((downs[2] ?? 0) - (downs[1] ?? 0)).toBeGreaterThanOrEqual(49);
  await expect(call("click", { x: 5, y: 5, clicks: 0 })).rejects.toMatchObject({ code: "invalid_argument" });
});

test("a picture of a window names it, however it was found; any other names none [S2-23]", async () => {
  const { call } = open();
  for (const where of [{ window_id: 2 }, { app_name: "Mail", window_title: "Inbox" }, { window_title: "inbox" }]) {
    expect(await call("take_screenshot", { ...where, mode: "window" })).toMatchObject({ screenshot_window_id: 2 });
  }
  expect(await call("take_screenshot", { mode: "screen" })).not.toHaveProperty("screenshot_window_id");
  const region = { mode: "region", x: 0, y: 0, width: 50, height: 50 };
  expect(await call("take_screenshot", region)).not.toHaveProperty("screenshot_window_id");
});

test("a snapshot without an app is of the one in front [S2-7]", async () => {
  const { call, backend } = open();
  const nodes = [editor, mail].map(({ id, title, pid }) => ({
    runtimeId: title,
    role: "button" as const,
    name: `Button of ${id}`,
    pid,
    bounds: { x: 0, y: 0, width: 10, height: 10 },
  }));
  Object.assign(backend, { elements: new FakeElements(nodes) });
  for (const { id, appName } of [editor, mail]) {
    await call("focus_window", { window_id: id });
    for (const which of [{}, { app_name: appName }]) {
      const { snapshot } = await call("take_ax_snapshot", which);
      expect(snapshot).toMatch(new RegExp(`^button "Button of ${id}"[^\\n]*$`));
    }
  }
});

describe("targets: exactly one form per call [S2-47]", () => {
  test("a screen point is clicked as given [S2-44, S0-51]", async () => {
    const { call, backend } = open();
    const result = await call("click", { x: 640, y: 210 });
    expect(backend.desktop.events).toEqual(["move 640,210", "down left", "up left"]);
    expect(result).toMatchObject({
      ok: true,
      effect: "unverifiable",
      target: { x: 640, y: 210, form: "screen point" },
    });
  });

  test("a pixel of a shrunk window screenshot lands on the window [S0-38, S0-45]", async () => {
    const { call, backend } = open();
    const shot = await call("take_window_screenshot", { window_id: 1, max_side: 400 });
    expect(shot).toMatchObject({ image_width: 400, image_height: 300, scale: 0.5, bounds: editor.bounds });
    await call("click", { window_id: 1, x: 100, y: 100 });
    expect(backend.desktop.events).toContain("move 301,251");
  });

  test("a point of a window is relative to its corner [S2-45]", async () => {
    const { call, backend } = open();
    await call("click", { window_id: 2, window_x: 10, window_y: 20 });
    expect(backend.desktop.events).toEqual(["window focus 2", "move 310,220", "down left", "up left"]);
  });

  test("a pixel of a screenshot is found by its id, or by origin and scale [S2-22, S2-46]", async () => {
    const { call, backend } = open();
    const shot = await call("take_screenshot", {
      mode: "region",
      x: 200,
      y: 100,
      width: 400,
      height: 200,
      max_side: 200,
    });
    expect(shot).toMatchObject({ screenshot_scale: 0.5 });
    await call("click", { screenshot_id: shot["screenshot_id"], screenshot_x: 50, screenshot_y: 10 });
    await call("click", {
      screenshot_x: 50,
      screenshot_y: 10,
      screenshot_origin_x: 200,
      screenshot_origin_y: 100,
      screenshot_scale: 0.5,
    });
    expect(backend.desktop.events.filter((event) => event.startsWith("move"))).toEqual([
      "move 301,121",
      "move 301,121",
    ]);
  });

  test.each([
    [{ x: 1, y: 1, window_x: 2, window_y: 2, window_id: 1 }, "mixed"],
    [{ x: 1 }, "go together"],
    [{}, "No target"],
    [{ window_x: 2, window_y: 2 }, "need window_id"],
    [{ screenshot_x: 1, screenshot_y: 1 }, "screenshot_id"],
    [{ screenshot_id: "f1abc" }, "missing"],
    [{ x: 1, y: 1, colour: "red" }, 'unknown argument "colour"'],
    [{ x: 1, y: 1, buton: "left" }, 'did you mean "button"'],
    [{ x: "far", y: 1 }, "expected number"],
  ])("%j is refused", async (args, message) => {
    const { call, backend } = open();
    await expect(call("click", args)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(message),
    });
    expect(backend.desktop.events).toEqual([]);
  });

  test("out of bounds is refused with the valid range, and clamped when asked [S0-46, S0-68]", async () => {
    const { call, backend } = open();
    await expect(call("click", { x: 1920, y: 5 })).rejects.toMatchObject({
      code: "out_of_bounds",
      message: expect.stringContaining("1919,1079"),
    });
    await call("take_window_screenshot", { window_id: 1 });
    await expect(call("click", { window_id: 1, x: 800, y: 0 })).rejects.toMatchObject({ code: "out_of_bounds" });
    await call("click", { window_id: 1, x: 5000, y: -7, clamp: true });
    expect(backend.desktop.events).toContain("move 899,50");
  });
});

describe("a picture of a window that changed", () => {
  test("moved: the point moves with it and the result says so", async () => {
    const { call, backend } = open();
    const shot = await call("take_window_screenshot", { window_id: 1 });
    backend.desktop.update(1, { bounds: { ...editor.bounds, x: 150, y: 60 } });
    const result = await call("click", { screenshot_id: shot["screenshot_id"], screenshot_x: 10, screenshot_y: 10 });
    expect(result["warning"]).toContain("moved by 50,10");
    expect(backend.desktop.events).toContain("move 160,70");
  });

  test("resized: refused as stale, nothing clicked [S0-48, S0-79]", async () => {
    const { call, backend } = open();
    await call("take_window_screenshot", { window_id: 1 });
    backend.desktop.update(1, { bounds: { ...editor.bounds, width: 801 } });
    await expect(call("click", { window_id: 1, x: 10, y: 10 })).rejects.toMatchObject({ code: "stale_frame" });
    expect(backend.desktop.events).toEqual([]);
  });

  test("closed: window_gone, nothing clicked [S0-47]", async () => {
    const { call, backend } = open();
    await call("take_window_screenshot", { window_id: 1 });
    backend.desktop.close(1);
    await expect(call("click", { window_id: 1, x: 10, y: 10 })).rejects.toMatchObject({ code: "window_gone" });
    expect(backend.desktop.events).toEqual([]);
  });

  test("an id of another session is not found", async () => {
    const first = open();
    const second = open();
    const shot = await first.call("take_screenshot", { mode: "screen" });
    await second.call("take_screenshot", { mode: "screen" });
    const click = second.call("click", { screenshot_id: shot["screenshot_id"], screenshot_x: 1, screenshot_y: 1 });
    await expect(click).rejects.toMatchObject({ code: "not_found" });
  });

  test("a window that is not in front is focused before it is clicked, by the window manager [S0-49]", async () => {
    const { call, backend } = open();
    await call("click", { window_id: 2, x: 5, y: 5 });
    expect(backend.desktop.events[0]).toBe("window focus 2");
    expect(backend.desktop.activeWindow).toBe(2);
  });
});

describe("windows are named, never guessed [S0-77]", () => {
  test("an app with several windows means its topmost [S2-74]", async () => {
    const { call } = open();
    const result = await call("focus_window", { app_name: "mail" });
    expect(result).toMatchObject({ effect: "confirmed", window: { window_id: 2, is_foreground: true } });
  });

  test("a title that matches several windows is an error that lists them", async () => {
    const { call } = open();
    await expect(call("focus_window", { window_title: "mail" })).rejects.toMatchObject({
      code: "ambiguous_target",
      candidates: [expect.stringContaining("Inbox"), expect.stringContaining("Draft")],
    });
  });

  test.each(["tooltip", "menu"] as const)("a %s with the title of its app is not matched", async (kind) => {
    const { call } = openFakeSession({ windows: [{ ...editor, id: 9, title: "Notes", kind }, editor] });
    for (const query of [{ window_title: "notes" }, { app_name: "editor" }, { pid: editor.pid }]) {
      expect(await call("focus_window", query)).toMatchObject({ window: { window_id: editor.id } });
    }
    expect(await call("take_window_screenshot", { window_id: 9 })).toMatchObject({ window_id: 9 });
  });

  test("part of a title is enough, in any case [S1-81]", async () => {
    const { call } = open();
    expect(await call("focus_window", { window_title: "INBOX" })).toMatchObject({ window: { window_id: 2 } });
  });

  test("no match lists what there is", async () => {
    const { call } = open();
    await expect(call("focus_window", { window_title: "Excel" })).rejects.toMatchObject({
      code: "not_found",
      candidates: expect.arrayContaining([expect.stringContaining("Notes - Editor")]),
    });
  });
});

describe("list_windows [S0-12…S0-17, S2-73]", () => {
  test("has the union of all fields", async () => {
    const { call } = open();
    const { windows } = (await call("list_windows", { filter: "notes" })) as { windows: unknown[] };
    expect(windows).toHaveLength(1);
    expect(windows[0]).toMatchObject({
      window_id: 1,
      id: 1,
      title: "Notes - Editor",
      app_name: "Editor",
      owner_name: "Editor",
      pid: 11,
      bounds: editor.bounds,
      is_foreground: true,
      is_minimized: false,
    });
  });

  test("leaves out tiny, ownerless, hidden and system windows, and counts them [S0-19, S0-20, S0-21, S1-60]", async () => {
    const { call } = openFakeSession({
      windows: [
        editor,
        { id: 4, bounds: { x: 0, y: 0, width: 49, height: 500 } },
        { id: 5, appName: "", pid: undefined },
        { id: 6, isVisible: false },
        { id: 7, kind: "dock" },
        { id: 8, isMinimized: true, isVisible: false },
      ],
    });
    const ids = (result: Record<string, unknown>) =>
      (result["windows"] as { window_id: number }[]).map((each) => each.window_id);
    const shown = await call("list_windows");
    expect(ids(shown)).toEqual([1, 8]);
    expect(shown["filtered"]).toEqual({ tiny: 1, unowned: 1, system: 1, hidden: 1 });
    expect(ids(await call("list_windows", { include_hidden: true, include_system: true }))).toEqual([1, 4, 5, 6, 7, 8]);
  });
});

describe("hands", () => {
  test("a drag interpolates ten steps and releases [S4-43, S4-64, S2-72]", async () => {
    const { call, backend } = open();
    await call("drag", { start_x: 100, start_y: 100, end_x: 200, end_y: 150, step_ms: 0 });
    const { events } = backend.desktop;
    expect(events[0]).toBe("move 100,100");
    expect(events[1]).toBe("down left");
    expect(events.slice(2, 12)).toEqual(Array.from({ length: 10 }, (_, i) => `move ${110 + i * 10},${105 + i * 5}`));
    expect(events.at(-1)).toBe("up left");
  });

  test("a drag takes its time: ten steps, 16 ms each by default [S4-46]", async () => {
    const { call, backend } = open();
    const started = performance.now();
    await call("drag", { start_x: 100, start_y: 100, end_x: 200, end_y: 150 });
    expect(backend.desktop.events.filter((event) => event.startsWith("move"))).toHaveLength(11);
    // A lower bound holds however slow the machine is.
    expect(performance.now() - started).toBeGreaterThanOrEqual(10 * 15);
  });

  test("the middle button is also called center [S2-48]", async () => {
    const { call, backend } = open();
    await call("click", { x: 10, y: 10, button: "center" });
    expect(backend.desktop.events).toEqual(["move 10,10", "down middle", "up middle"]);
  });

  test("a chord goes down in order and up in reverse [S1-73]", async () => {
    const { call, backend } = open();
    await call("press_key", { key: "t", modifiers: ["ctrl", "shift"] });
    expect(backend.desktop.events).toEqual([
      "key down ctrl",
      "key down shift",
      "key down t",
      "key up t",
      "key up shift",
      "key up ctrl",
    ]);
  });

  test("the wheel takes pixels or a direction, positive is down [S2-71, S4-27]", async () => {
    const { call, backend } = open();
    await call("scroll", { x: 10, y: 10, delta_y: 200 });
    await call("scroll", { x: 10, y: 10, delta_y: -10 });
    await call("scroll", { direction: "left" });
    expect(backend.desktop.events.filter((event) => event.startsWith("wheel"))).toEqual([
      "wheel 0,4",
      "wheel 0,-1",
      "wheel -3,0",
    ]);
  });

  test.each([
    ["click", { x: 5, y: 5, modifiers: ["ctrl"] }, "down"],
    ["drag", { start_x: 1, start_y: 1, end_x: 50, end_y: 50 }, "move"],
    ["press_key", { key: "ctrl+alt+x", hold_ms: 5000 }, "key down"],
  ])("a cancelled %s releases everything it holds", async (tool, args, at) => {
    const { outcome, backend } = open();
    const controller = new AbortController();
    let seen = 0;
    backend.desktop.beforeEach = (operation) => {
      if (operation === at && ++seen === 2) controller.abort();
      if (operation === at && at === "down") controller.abort();
    };
    const result = await outcome(tool, args, { signal: controller.signal });
    expect(result).toMatchObject({ kind: "failed", envelope: { error: { code: "cancelled" } } });
    expect([...backend.desktop.buttonsDown, ...backend.desktop.keysDown]).toEqual([]);
  });

  test("a failing backend in the middle of a drag still gets the button released", async () => {
    const { outcome, backend } = open();
    let moves = 0;
    backend.desktop.beforeEach = (operation) => {
      if (operation === "move" && ++moves === 4) throw new Error("lost");
    };
    const result = await outcome("drag", { start_x: 1, start_y: 1, end_x: 50, end_y: 50, step_ms: 0 });
    expect(result).toMatchObject({ kind: "failed", envelope: { error: { code: "internal" } } });
    expect([...backend.desktop.buttonsDown]).toEqual([]);
  });
});

describe("apps", () => {
  test("launching a running app brings it to the front; with arguments it is an error [S2-76, S2-77]", async () => {
    const { call } = open();
    expect(await call("launch_app", { app_name: "Mail" })).toMatchObject({
      already_running: true,
      window: { window_id: 2, is_foreground: true },
    });
    await expect(call("launch_app", { app_name: "Mail", args: ["--debug"] })).rejects.toMatchObject({
      code: "app_already_running",
    });
  });

  test("quitting takes a name or a pid, gently by default [S2-78]", async () => {
    const { call, backend } = open();
    await call("quit_app", { app_name: "Editor" });
    await call("quit_app", { pid: 22, force: true });
    expect(backend.desktop.events).toEqual(["quit 11", "quit 22 by force"]);
    await expect(call("quit_app", { app_name: "Editor" })).rejects.toMatchObject({ code: "process_not_running" });
  });
});

describe("wait_for", () => {
  test("a window that appears meanwhile is found [S1-83]", async () => {
    const { call, backend } = open();
    let asked = 0;
    backend.desktop.beforeEach = (operation) => {
      if (operation === "list" && ++asked === 3) backend.desktop.update(3, { title: "Dashboard" });
    };
    expect(await call("wait_for", { window_title: "dashboard" })).toMatchObject({
      met: true,
      window: { window_id: 3 },
    });
  });

  test("an open window is never mistaken for the requested element, nor for a part of the screen", async () => {
    const { call } = open();
    const editor = { window_title: "Editor" };
    await expect(call("wait_for", { ...editor, selector: "Button:Save", timeout_ms: 0 })).rejects.toMatchObject({
      code: "not_supported",
    });
    const region = { x: 0, y: 0, width: 10, height: 10 };
    const mixed: readonly (readonly [object, RegExp])[] = [
      [{ ...editor, condition: "window", text: "Save" }, /takes no text/],
      [{ condition: "stable", selector: "Button" }, /takes no selector/],
      [{ ...editor, region }, /takes no region/],
      [{ ...editor, condition: "change", region }, /not both/],
    ];
    for (const [wait, message] of mixed) {
      await expect(call("wait_for", wait)).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringMatching(message) as unknown,
      });
    }
  });

  test("a condition that is never met is a timeout [S1-85]", async () => {
    const { call } = open();
    await expect(call("wait_for", { window_title: "nowhere", timeout_ms: 0 })).rejects.toMatchObject({
      code: "timeout",
    });
  });

  test("a screen that stops changing is stable, and one that changes is seen", async () => {
    const { call, backend } = open();
    expect(await call("wait_for", { condition: "stable", quiet_ms: 50 })).toMatchObject({ met: true });
    let looks = 0;
    backend.desktop.beforeEach = (operation) => {
      if (operation === "capture" && ++looks === 3) backend.desktop.close(1);
    };
    expect(await call("wait_for", { condition: "change" })).toMatchObject({ met: true });
  });
});

describe("the way in", () => {
  test("asks once for UI automation, then per acting tool, and remembers [S1-89, S1-90]", async () => {
    const { outcome } = openFakeSession({ windows: [editor] }, { policy: "ask" });
    expect(await outcome("list_windows", {}, { canAsk: true })).toMatchObject({ kind: "ask" });
    expect(await outcome("list_windows", {}, { canAsk: true, answer: "session" })).toMatchObject({ kind: "done" });
    expect(await outcome("get_active_window", {}, { canAsk: true })).toMatchObject({ kind: "done" });
    expect(await outcome("click", { x: 1, y: 1 }, { canAsk: true })).toMatchObject({
      kind: "ask",
      question: { text: expect.stringContaining("click") },
    });
    expect(await outcome("click", { x: 1, y: 1 }, { canAsk: true, answer: "once" })).toMatchObject({ kind: "done" });
    expect(await outcome("click", { x: 1, y: 1 }, { canAsk: true })).toMatchObject({ kind: "ask" });
    expect(await outcome("click", { x: 1, y: 1 }, { canAsk: true, answer: "deny" })).toMatchObject({
      envelope: { error: { code: "denied" } },
    });
  });

  test("if nobody can be asked the refusal says how to allow it, and nothing happens", async () => {
    const { outcome, backend } = openFakeSession({ windows: [editor] }, { policy: "ask" });
    expect(await outcome("click", { x: 1, y: 1 })).toMatchObject({
      kind: "failed",
      envelope: { error: { code: "denied", hint: expect.stringContaining("--policy allow") } },
    });
    expect(backend.desktop.events).toEqual([]);
  });

  test("observe-only looks but does not touch", async () => {
    const { outcome, backend } = openFakeSession({ windows: [editor] }, { policy: "observe-only" });
    expect(await outcome("list_windows")).toMatchObject({ kind: "done" });
    for (const tool of allTools.filter(({ access }) => access !== "observe")) {
      const result = await outcome(tool.name, { x: 1, y: 1, key: "a", text: "a" });
      expect(result.kind).toBe("failed");
    }
    expect(backend.desktop.events).toEqual([]);
  });

  test("a tool the surface cannot serve stays listed and says why", async () => {
    const { outcome, session } = openFakeSession();
    const surface = await session.surface("desktop");
    Object.assign(surface.backend, { clipboard: undefined });
    expect(session.tools.some(({ name }) => name === "get_clipboard")).toBe(true);
    expect(await outcome("get_clipboard")).toMatchObject({
      kind: "failed",
      envelope: { error: { code: "not_supported", message: expect.stringContaining("clipboard") } },
    });
  });

  test("typed text never reaches the journal [S1-106]", async () => {
    const { outcome, session, backend } = open();
    await outcome("type_text", { text: "hunter2" });
    await outcome("set_clipboard", { text: "hunter2" });
    await outcome("get_clipboard");
    await outcome("type_text", { text: "hunter2", window_title: "nowhere" });
    expect(backend.desktop.typed).toBe("hunter2");
    expect(session.journal.entries()).toHaveLength(4);
    expect(JSON.stringify(session.journal.entries())).not.toContain("hunter2");
  });

  test("a bug inside a tool is `internal` with an id, and the next call works", async () => {
    const { outcome, backend } = open();
    backend.desktop.beforeEach = () => {
      throw new TypeError("oops");
    };
    expect(await outcome("list_windows")).toMatchObject({
      envelope: { error: { code: "internal", message: expect.not.stringContaining("oops") } },
    });
    backend.desktop.beforeEach = undefined;
    expect(await outcome("list_windows")).toMatchObject({ kind: "done" });
  });

  test("an unknown tool is answered with the nearest name", async () => {
    const { call } = open();
    await expect(call("list_window")).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("list_windows"),
    });
  });
});
