import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkout } from "../support/checkout.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { openSimulator, type Simulator } from "../simulators/macos/simulator.ts";

let simulator: Simulator;
let handsight: Handsight;

/** `handsight mcp` itself, on a Mac whose frameworks are simulated: one display at twice the density, one left of it. */
beforeAll(async () => {
  simulator = await openSimulator({ displays: ["0,0,1280,900,2", "-1024,0,1024,768,1"] });
  handsight = await startHandsight(simulator.env, ["--policy", "allow", "--tools", "all"]);
  await handsight.call("list_windows");
});

beforeEach(async () => {
  await simulator.ask("reset");
});

afterAll(async () => {
  await handsight[Symbol.asyncDispose]();
  expect(await simulator.close()).toMatchObject({ live: 0, objects: [], held: false, violations: [] });
});

interface Listed {
  readonly windows: readonly { readonly window_id: number; readonly title: string; readonly owner_name: string }[];
}

async function windowId(title: string): Promise<number> {
  const { windows } = (await handsight.call("list_windows")) as unknown as Listed;
  return windows.find((window) => window.title === title)?.window_id ?? 0;
}

async function uidOf(app: string, name: string): Promise<string> {
  const { elements } = (await handsight.call("find_elements", { app_name: app, name })) as {
    readonly elements: readonly { readonly uid: string; readonly name: string; readonly role: string }[];
  };
  const found = elements.find((each) => each.name === name && each.role !== "text");
  if (!found) throw new Error(`no "${name}" among ${JSON.stringify(elements)}`);
  return found.uid;
}

const codeOf = async (tool: string, args: unknown = {}): Promise<unknown> =>
  (((await handsight.ask(tool, args)).data["error"] ?? {}) as { readonly code?: string }).code;

/** The host is the server's only child that has the simulator loaded. */
async function hostPid(): Promise<number> {
  const children = (await readFile(`/proc/${handsight.pid}/task/${handsight.pid}/children`, "utf8")).trim().split(" ");
  for (const child of children.map(Number)) {
    if ((await readFile(`/proc/${child}/maps`, "utf8")).includes("macos.so")) return child;
  }
  throw new Error("no host");
}

/** Until the server has sent a message to an app that does not answer. */
async function untilAsked(): Promise<void> {
  const before = Number(await simulator.ask("trips"));
  await expect.poll(async () => Number(await simulator.ask("trips"))).toBeGreaterThan(before);
}

describe("windows and pictures, on the simulator:", () => {
  test("are listed in points, without the Dock and the menu bar [S0-18, S0-20, S0-21]", async () => {
    const { windows } = (await handsight.call("list_windows")) as unknown as Listed & {
      readonly windows: readonly { readonly bounds: unknown }[];
    };
    expect(windows.map(({ title }) => title)).toEqual(["Conformance", "System Settings"]);
    expect(windows[0]).toMatchObject({ owner_name: "Conformance", bounds: { x: 50, y: 60, width: 601, height: 501 } });
  });

  test("list, focus, screenshot, click: a pixel of the picture is clicked where it shows [S0-38]", async () => {
    const id = await windowId("System Settings");
    expect(await handsight.call("focus_window", { window_id: id })).toMatchObject({ ok: true });
    const shot = await handsight.ask("take_window_screenshot", { window_id: id });
    expect(shot.data).toMatchObject({ window_id: id, bounds: { width: 481 } });
    const [picture] = shot.images;
    await writeFile(join(checkout, ".build", "macos-simulator-window.jpg"), picture ?? "");
    const scale = Number(shot.data["scale"]);
    const search = JSON.parse(await simulator.ask("place Search")) as { x: number; y: number };
    const pixel = { x: Math.round((search.x - 700 + 20) * scale), y: Math.round((search.y - 100 + 10) * scale) };
    await handsight.call("click", { window_id: id, ...pixel });
    expect(await handsight.call("get_focused_element")).toMatchObject({ element: { name: "Search" } });
  });

  test("displays have negative origins and their own density", async () => {
    expect(await handsight.call("list_displays")).toMatchObject({
      displays: [
        { bounds: { x: 0, width: 1280 }, scale: 2, is_primary: true },
        { bounds: { x: -1024, width: 1024 }, scale: 1, is_primary: false },
      ],
    });
  });
});

describe("elements, on the simulator:", () => {
  test("open the Wi-Fi pane by selecting its row [S2-64, S2-65, S2-66]", async () => {
    const uid = await uidOf("System Settings", "Wi-Fi");
    expect(await handsight.call("ax_select", { uid })).toMatchObject({
      effect: "confirmed",
      dispatched_via: "AXSelectedRows",
    });
    expect(await simulator.ask("log")).toContain("Wi-Fi");
  });

  test("fill the search field [S2-60, S2-61]", async () => {
    const uid = await uidOf("System Settings", "Search");
    expect(await handsight.call("ax_set_value", { uid, value: "sound" })).toMatchObject({
      effect: "confirmed",
      dispatched_via: "AXSetAttributeValue",
      node_after: { value: "sound" },
    });
  });

  test("what cannot be pressed is clicked at the point that the refusal names [S2-63]", async () => {
    const refusal = (await handsight.ask("ax_click", { uid: await uidOf("System Settings", "Search") })).data;
    const { code, fallback } = refusal["error"] as { readonly code: string; readonly fallback: object };
    expect(code).toBe("not_dispatchable");
    await handsight.call("click", fallback);
    await handsight.call("type_text", { text: "wi-fi" });
    expect(await handsight.call("get_focused_element")).toMatchObject({ element: { name: "Search", value: "wi-fi" } });
  });

  test("a hit on a container goes on to the most specific element [S2-39]", async () => {
    const { x, y } = JSON.parse(await simulator.ask("place Fruit 2")) as { x: number; y: number };
    expect(await handsight.call("element_at_point", { x: x + 30, y: y + 10 })).toMatchObject({
      element: { name: "Fruit 2", role: "text" },
    });
  });
});

describe("debug_ui_action on a launched app, on the simulator:", () => {
  interface Node {
    readonly id: string;
    readonly title: string | null;
    readonly children: readonly Node[];
  }
  let sessionId: string;
  let ids: ReadonlyMap<string | null, string>;
  const act = (action: string, fields: Record<string, unknown>) =>
    handsight.call("debug_ui_action", { sessionId, action, ...fields });

  beforeEach(async () => {
    const started = await handsight.call("debug_launch", { command: "Simulated App" });
    sessionId = String(started["sessionId"]);
    const { tree } = (await handsight.call("debug_ui", { sessionId })) as { readonly tree: readonly Node[] };
    const below = (node: Node): readonly Node[] => [node, ...node.children.flatMap(below)];
    ids = new Map(tree.flatMap(below).map(({ title, id }) => [title, id]));
  });

  test("click presses [S4-38]", async () => {
    expect(await act("click", { id: ids.get("Play") })).toMatchObject({ success: true, method: "ax" });
    expect(await simulator.ask("log")).toContain('"pressed","name":"Play"');
  });

  test("set_value writes a number, and a text into a field [S4-47, S4-48]", async () => {
    expect(await act("set_value", { id: ids.get("Level"), value: 7 })).toMatchObject({
      success: true,
      method: "ax",
      changed: true,
      node_after: { value: 7 },
    });
    expect(await act("set_value", { id: ids.get("Name"), value: 5 })).toMatchObject({ node_after: { value: "5" } });
  });

  test("set_value on what has no value is refused in S4's words [S4-49, S4-54]", async () => {
    expect(await act("set_value", { id: ids.get("Play"), value: "x" })).toMatchObject({
      success: false,
      error: "element does not support set_value; try 'type'",
    });
  });

  test("type sends keys to the focused field [S4-40, S4-50, S4-51]", async () => {
    expect(await act("type", { id: ids.get("Name"), text: "Ada ✓" })).toMatchObject({
      success: true,
      method: "cgevent",
      node_after: { value: "Ada ✓" },
    });
  });

  test("key and scroll are sent as events [S4-42]", async () => {
    expect(await act("key", { key: "escape" })).toMatchObject({ success: true, method: "cgevent" });
    expect(await act("scroll", { id: ids.get("Level"), direction: "down" })).toMatchObject({
      success: true,
      method: "cgevent",
    });
  });

  test("drag drops what is dragged [S4-43]", async () => {
    const dragged = await act("drag", { id: ids.get("Drag me"), toId: ids.get("Drop here") });
    expect(dragged).toMatchObject({ success: true, method: "cgevent" });
    expect(await simulator.ask("log")).toContain("dropped");
  });
});

test("rules reach a goal on the simulated Mac", async () => {
  const run = await handsight.call("run_agent", {
    goal: 'Check "Check me" and click "Press me"',
    window: "Conformance",
    model: "rules",
  });
  expect(run).toMatchObject({ status: "done" });
  expect(JSON.parse(await simulator.ask("log"))).toEqual(
    expect.arrayContaining([
      { event: "toggled", name: "Check me", on: true },
      { event: "pressed", name: "Press me" },
    ]),
  );
});

describe("what macOS does not allow, on the simulator:", () => {
  test("Screen Recording is named, with the app to allow and a restart [S0-54, S0-55, S0-56]", async () => {
    await simulator.ask("recording off");
    try {
      const { data } = await handsight.ask("take_screenshot");
      expect(data["error"]).toMatchObject({ code: "permission_missing" });
      expect(JSON.stringify(data)).toMatch(
        /System Settings → Privacy & Security → Screen Recording: allow .+ then restart/,
      );
    } finally {
      await simulator.ask("recording on");
    }
  });

  test("Accessibility is named, and nothing is clicked [S0-54, S0-55, S0-57]", async () => {
    await simulator.ask("accessibility off");
    try {
      const { data } = await handsight.ask("click", { x: 300, y: 110 });
      expect(data["error"]).toMatchObject({ code: "permission_missing" });
      expect(JSON.stringify(data)).toContain("System Settings → Privacy & Security → Accessibility");
      expect(await simulator.ask("log")).toBe("[]");
    } finally {
      await simulator.ask("accessibility on");
    }
  });

  test("a locked screen is neither photographed nor typed on", async () => {
    await simulator.ask("locked on");
    try {
      expect(await codeOf("take_screenshot")).toBe("not_supported");
      expect(await codeOf("press_key", { key: "a" })).toBe("not_supported");
    } finally {
      await simulator.ask("locked off");
    }
  });

  test("doctor says what is missing, and that no real Mac has run this", async () => {
    await simulator.ask("recording off");
    try {
      const said = JSON.stringify((await handsight.ask("capabilities")).data);
      expect(said).toContain("not on a real Mac");
      expect(said).toContain("Screen Recording is not allowed");
    } finally {
      await simulator.ask("recording on");
    }
  });
});

describe("faults, on the simulator:", () => {
  test("the process that calls macOS is lost in mid-call: the call says so, and the next one works", async () => {
    await simulator.ask("freeze 503");
    const reading = codeOf("take_ax_snapshot", { app_name: "System Settings" });
    await untilAsked();
    process.kill(await hostPid(), "SIGKILL");
    expect(await reading).toBe("not_connected");
    expect(await codeOf("list_windows")).toBeUndefined();
  });

  test("an app that hangs costs its deadline, and the next call works", async () => {
    await simulator.ask("freeze 503");
    expect(await codeOf("take_ax_snapshot", { app_name: "System Settings" })).toBe("timeout");
    await simulator.ask("thaw 503");
    expect(await codeOf("take_ax_snapshot", { app_name: "System Settings" })).toBeUndefined();
  });

  test("an element that is gone is refused", async () => {
    const uid = await uidOf("Conformance", "Press me");
    await simulator.ask("act remove button");
    expect(await codeOf("ax_click", { uid })).toMatch(/uid_not_found|snapshot_expired/);
  });
});
