import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFixture } from "../support/fixture.ts";
import type { Handsight } from "../support/handsight.ts";
import { openApp } from "../support/open-app.ts";

interface MarkedRegion {
  readonly region: number;
  readonly region_id: string;
  readonly role: string;
  readonly name: string;
  readonly source: string;
  readonly confidence: number;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly uid?: string;
}

async function mark(handsight: Handsight, args: object): Promise<readonly MarkedRegion[]> {
  const { regions } = await handsight.call("mark_regions", { details: true, ...args });
  return regions as MarkedRegion[];
}

const named = (regions: readonly MarkedRegion[], name: string): MarkedRegion => {
  const region = regions.find((each) => each.name === name);
  if (!region) throw new Error(`no region "${name}" among ${regions.map((each) => each.name).join(", ")}`);
  return region;
};

describe("an app that paints its own controls", () => {
  test("is clicked by region number, wherever its window has moved to, with the effect confirmed [S3-22, S3-44, S3-46, S3-51]", async () => {
    const { handsight, app, windowId } = await openApp("gtk3_painted", "Painted");
    const { data, images } = await handsight.ask("mark_regions", { window_title: "Painted" });
    expect(images).toHaveLength(1);
    const legend = String(data["legend"]);
    expect(legend).toMatch(/^\d+ ~button "Start game"$/m);
    const regions = await mark(handsight, { window_title: "Painted" });
    const start = named(regions, "Start game");
    expect(start).toMatchObject({ source: "ocr", role: "button" });
    expect(await handsight.call("click_region", { region: start.region })).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "press", name: "Start game" });
    await handsight.call("set_window", { action: "move", window_id: windowId, x: 60, y: 40 });
    expect(await handsight.call("click", { region_id: named(regions, "Quit").region_id })).toMatchObject({
      effect: "confirmed",
    });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "press", name: "Quit" });
    const again = await mark(handsight, { window_title: "Painted" });
    expect(named(again, "High scores").region_id).toBe(named(regions, "High scores").region_id);
  });

  test("one region is looked at closely, wherever its window has moved to, and can then be acted on [S3-50]", async () => {
    const { handsight, windowId } = await openApp("gtk3_painted", "Painted");
    await handsight.call("set_window", { action: "move", window_id: windowId, x: 10, y: 10 });
    const start = named(await mark(handsight, { window_title: "Painted" }), "Start game");
    const look = async () => {
      const { bounds } = await handsight.call("take_screenshot", { mode: "element", region: start.region });
      const { text } = await handsight.call("ocr", { mode: "element", region_id: start.region_id });
      return { bounds: bounds as Record<"x" | "y" | "width" | "height", number>, text };
    };
    const before = await look();
    expect(before.text).toBe("Start game");
    await handsight.call("set_window", { action: "move", window_id: windowId, x: 70, y: 50 });
    const { bounds, text } = await look();
    expect(text).toBe("Start game");
    expect([bounds.x - before.bounds.x, bounds.y - before.bounds.y]).toEqual([60, 40]);
    expect(await handsight.call("click", { region: start.region })).toMatchObject({ effect: "confirmed" });
    const both = await handsight.ask("take_screenshot", { mode: "element", region: start.region, text: "Quit" });
    expect(both.data).toMatchObject({ error: { code: "invalid_argument" } });
  });

  test("every tool that acts at a place accepts a region [S3-44, S3-46]", async () => {
    const { handsight, app } = await openApp("gtk3_painted", "Painted");
    const regions = await mark(handsight, { window_title: "Painted" });
    const [start, quit] = [named(regions, "Start game"), named(regions, "Quit")];
    const typed = { region: quit.region, text: "no" };
    expect(await handsight.call("type_text", typed)).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "key", text: "o", pressed: "Quit" });
    const dragged = { region: start.region, to_region_id: quit.region_id };
    expect(await handsight.call("drag", dragged)).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "drop", name: "Quit", dragged: "Start game" });
    const { bounds } = start;
    await handsight.call("move_mouse", { region: start.region });
    const { x, y } = await handsight.call("get_mouse_position");
    expect([x, y]).toEqual([bounds.x + bounds.width / 2, bounds.y + bounds.height / 2]);
    expect(await handsight.call("scroll", { region_id: quit.region_id, direction: "down" })).toMatchObject({
      target: { form: "region" },
    });
    const both = await handsight.ask("type_text", { ...typed, into: "Name" });
    expect(both.data).toMatchObject({ error: { code: "invalid_argument" } });
  });

  test("act, read_text, wait_for and find_image accept a region, too [S3-44, S3-46]", async () => {
    const { handsight, app, windowId } = await openApp("gtk3_painted", "Painted");
    const regions = await mark(handsight, { window_title: "Painted" });
    const [start, quit, status] = [
      named(regions, "Start game"),
      named(regions, "Quit"),
      regions.find(({ name }) => name.startsWith("Ready")),
    ];
    await handsight.call("set_window", { action: "move", window_id: windowId, x: 60, y: 40 });
    expect(await handsight.call("act", { action: "click", region: start.region })).toMatchObject({
      effect: "confirmed",
    });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "press", name: "Start game" });
    expect(await handsight.call("act", { action: "type", region_id: quit.region_id, text: "no" })).toMatchObject({
      effect: "confirmed",
    });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "key", text: "o", pressed: "Quit" });
    const dragged = { action: "drag", region_id: start.region_id, to_region: quit.region };
    expect(await handsight.call("act", dragged)).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "drop", name: "Quit", dragged: "Start game" });
    const read = await handsight.call("read_text", { region: start.region });
    expect(read).toMatchObject({ text: "Start game", source: "ocr", truncated: false });
    expect(read).not.toHaveProperty("element");
    const area = { mode: "element", region: quit.region, format: "png" };
    const { images } = await handsight.ask("take_screenshot", area);
    const template_image_base64 = images[0]?.toString("base64");
    const matchesIn = async (region_id: string) =>
      (await handsight.call("find_image", { region_id, template_image_base64, mode: "accurate" }))["matches"];
    expect(await matchesIn(quit.region_id)).toHaveLength(1);
    expect(await handsight.call("wait_for", { condition: "stable", region_id: quit.region_id })).toMatchObject({
      met: true,
    });
    const change = { condition: "change", region: status?.region, timeout_ms: 20_000 };
    const waiting = handsight.call("wait_for", change).finally(() => clearInterval(changing));
    let count = 0;
    const changing = setInterval(() => app.tell(`${count++} changes`), 100);
    expect(await waiting).toMatchObject({ met: true });
  });

  test("what only an element can do is refused for a region without one, with a point to click", async () => {
    const { handsight } = await openApp("gtk3_painted", "Painted");
    const { region } = named(await mark(handsight, { window_title: "Painted" }), "Quit");
    for (const [tool, more] of [
      ["ax_click", {}],
      ["act", { action: "set_value", value: "x" }],
    ] as const) {
      expect((await handsight.ask(tool, { region, ...more })).data).toMatchObject({
        error: {
          code: "not_dispatchable",
          fallback: { x: expect.any(Number) },
          hint: expect.stringContaining("click"),
        },
      });
    }
    for (const [tool, wrong] of [
      ["ax_click", {}],
      ["ax_click", { region, uid: "a1g1" }],
      ["ax_click", { region, region_id: "x" }],
      ["act", { action: "click", region, uid: "a1g1" }],
      ["act", { action: "drag", region }],
      ["read_text", { region, text: "Quit" }],
      ["wait_for", { region, text: "Quit" }],
      ["wait_for", { condition: "change", region, window_title: "Painted" }],
      ["wait_for", { condition: "change", region: { x: 1, y: 1, width: 0, height: 5 } }],
    ] as const) {
      expect((await handsight.ask(tool, wrong)).data, JSON.stringify(wrong)).toMatchObject({
        error: { code: "invalid_argument" },
      });
    }
  });

  test("a rule about its window applies to its regions, whichever window has the keyboard focus", async () => {
    const rules = join(await mkdtemp(join(tmpdir(), "handsight-rules-")), "policy.json");
    await writeFile(rules, JSON.stringify({ rules: [{ access: "act", window: "Painted", verdict: "deny" }] }));
    const { desktop, handsight, app } = await openApp("gtk3_painted", "Painted", { args: ["--rules", rules] });
    const { region, region_id } = named(await mark(handsight, { window_title: "Painted" }), "Start game");
    const other = await startFixture("gtk3_controls", { env: desktop.env });
    onTestFinished(() => other.stop());
    await other.waitFor(({ event }) => event === "ready", 30_000);
    const isActive = async () => JSON.stringify(await handsight.call("get_active_window"));
    await expect.poll(isActive, { timeout: 10_000 }).toContain("Controls");
    for (const [tool, args] of [
      ["click", { region }],
      ["click_region", { region }],
      ["act", { action: "click", region_id }],
    ] as const) {
      expect((await handsight.ask(tool, args)).data, tool).toMatchObject({ error: { code: "denied" } });
    }
    expect(app.events.filter(({ event }) => event === "press")).toEqual([]);
  });

  test("an icon without text is a region by its looks, and can be clicked", async () => {
    const { handsight, app } = await openApp("gtk3_painted", "Painted");
    const regions = await mark(handsight, { window_title: "Painted" });
    const icon = regions.filter(({ source }) => source === "heuristic").at(-1);
    expect(await handsight.call("click", { region: icon?.region })).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "press", name: "gear" });
  });

  test("a loaded picture is a region wherever it is found, and is clicked by its number", async () => {
    const { handsight, app } = await openApp("gtk3_painted", "Painted");
    const before = await mark(handsight, { window_title: "Painted" });
    const icon = before.filter(({ source }) => source === "heuristic").at(-1);
    if (!icon) throw new Error("no icon was seen");
    const { images } = await handsight.ask("take_screenshot", { mode: "region", ...icon.bounds, format: "png" });
    const { image_id } = await handsight.call("load_image", {
      image_base64: images[0]?.toString("base64"),
      id_prefix: "gear",
    });
    const regions = await mark(handsight, { window_title: "Painted", template_ids: [image_id] });
    const gear = named(regions, String(image_id));
    expect(gear).toMatchObject({ source: "template", role: "image" });
    expect(gear.confidence).toBeGreaterThan(0.95);
    expect(regions.filter(({ bounds }) => bounds.x === icon.bounds.x && bounds.y === icon.bounds.y)).toHaveLength(1);
    expect(await handsight.call("click_region", { region: gear.region })).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "press", name: "gear" });
    const unknown = await handsight.ask("mark_regions", { window_title: "Painted", template_ids: ["img9xyz"] });
    expect(unknown.data).toMatchObject({ error: { code: "not_found" } });
  });

  test("on the second monitor of a 2× desktop its regions are clicked just the same [S3-58]", async () => {
    const { handsight, app, windowId } = await openApp("gtk3_painted", "Painted", {
      width: 1600,
      height: 1200,
      monitors: 2,
      scale: 2,
    });
    await handsight.call("set_window", { action: "move", window_id: windowId, x: 1750, y: 150 });
    const regions = await mark(handsight, { mode: "display", display_id: 2 });
    const scores = named(regions, "High scores");
    expect(await handsight.call("click_region", { region: scores.region })).toMatchObject({ effect: "confirmed" });
    await expect.poll(() => app.events.at(-1)).toMatchObject({ event: "press", name: "High scores" });
  });

  test("a region of a window that was resized or closed since is refused, not guessed", async () => {
    const { handsight, app, windowId } = await openApp("gtk3_painted", "Painted");
    const { region } = named(await mark(handsight, { window_title: "Painted" }), "Quit");
    await handsight.call("set_window", { action: "resize", window_id: windowId, width: 700, height: 500 });
    expect((await handsight.ask("click_region", { region })).data).toMatchObject({ error: { code: "stale_frame" } });
    expect((await handsight.ask("click_region", { region: 999 })).data).toMatchObject({ error: { code: "not_found" } });
    await app.stop();
    expect((await handsight.ask("click_region", { region })).data).toMatchObject({ error: { code: "window_gone" } });
  });
});

describe("an app with a tree", () => {
  test("is analysed by its text, its elements, a point of it and what changed in it [S3-17, S3-42]", async () => {
    const { handsight } = await openApp("gtk3_controls", "Controls");
    const shot = await handsight.call("take_screenshot", { window_title: "Controls", include_ocr: false });
    expect(shot).toMatchObject({ window_title: expect.stringContaining("Controls") as string });
    const { lines } = await handsight.call("ocr", { screenshot_id: shot["screenshot_id"] });
    expect((lines as { text: string }[]).map(({ text }) => text).join("\n")).toContain("Press me");
    const { elements } = await handsight.call("find_elements", { selector: 'Button:"Press me"' });
    const [button] = elements as { uid: string; click_point: { x: number; y: number }; runtime_id: string }[];
    expect(await handsight.call("element_at_point", { ...button?.click_point })).toMatchObject({
      element: { runtime_id: button?.runtime_id },
    });
    await handsight.call("click", { uid: button?.uid });
    const since = await handsight.call("compare_screenshots", { before: shot["screenshot_id"] });
    expect(since).toMatchObject({ changed: true });
  });

  test("has its elements as regions in a named space, which lead to the element itself [S3-43, S3-52]", async () => {
    const { handsight, app } = await openApp("gtk3_controls", "Controls");
    const regions = await mark(handsight, { window_title: "Controls" });
    const press = named(regions, "Press me");
    expect(press).toMatchObject({ source: "accessibility", role: "button", uid: expect.stringMatching(/^a\d+g\d+$/) });
    expect(regions.map(({ region }) => region)).toEqual(regions.map((_, index) => index + 1));
    expect(regions.filter(({ name }) => name === "Press me")).toHaveLength(1);
    expect(await handsight.call("click_region", { region: press.region })).toMatchObject({
      effect: "confirmed",
      method: "ax",
    });
    await expect.poll(() => app.events.map(({ event }) => event)).toContain("pressed");
    const field = { region: named(regions, "Username").region, text: "ada" };
    expect(await handsight.call("type_text", field)).toMatchObject({
      effect: "confirmed",
      node_after: { value: "ada" },
    });
    expect(await handsight.call("read_text", { region: field.region })).toMatchObject({
      text: "ada",
      source: "accessibility",
      element: { name: "Username" },
    });
    const set = { action: "set_value", region: field.region, value: "grace" };
    expect(await handsight.call("act", set)).toMatchObject({ effect: "confirmed", node_after: { value: "grace" } });
    expect(await handsight.call("ax_click", { region_id: press.region_id })).toMatchObject({ effect: "confirmed" });
    const check = { region: named(regions, "Check me").region };
    expect(await handsight.call("ax_toggle", check)).toMatchObject({
      node_after: { states: expect.arrayContaining(["checked"]) },
    });
    const few = await handsight.call("mark_regions", { window_title: "Controls", max_regions: 5 });
    expect(few).toMatchObject({ count: 5, coordinate_space: "screen pixels" });
    expect(Number(few["cut"])).toBeGreaterThan(10);
  });

  test("without any marks, a region is refused with advice", async () => {
    const { handsight } = await openApp("gtk3_controls", "Controls");
    expect((await handsight.ask("click", { region: 3 })).data).toMatchObject({
      error: { code: "not_found", hint: expect.stringContaining("mark_regions") },
    });
    const both = await handsight.ask("click", { region: 3, x: 1, y: 1 });
    expect(both.data).toMatchObject({ error: { code: "invalid_argument" } });
  });
});

describe("a screen with several windows", () => {
  test("keeps the ids of what stays in sight, whatever moves or covers the rest [S3-44]", async () => {
    const { handsight, desktop, windowId } = await openApp("gtk3_controls", "Controls", { width: 1600, height: 900 });
    const painted = await startFixture("gtk3_painted", { env: desktop.env });
    onTestFinished(() => painted.stop());
    const { window } = await handsight.call("wait_for", { window_title: "Painted" });
    const move = (id: number, x: number, y: number) =>
      handsight.call("set_window", { action: "move", window_id: id, x, y });
    await move(windowId, 0, 0);
    await move((window as { window_id: number }).window_id, 800, 100);
    const apart = await mark(handsight, { mode: "screen" });
    // Over the centre of the other window, so that the root of its tree is hidden.
    await move((window as { window_id: number }).window_id, 300, 200);
    const over = await mark(handsight, { mode: "screen" });
    const gear = (set: typeof apart) => set.filter(({ source }) => source === "heuristic").at(-1)?.region_id;
    for (const name of ["Press me", "Freeze", "Start game", "Quit"]) {
      expect(named(over, name).region_id, name).toBe(named(apart, name).region_id);
    }
    expect(gear(apart)).toBeDefined();
    expect(gear(over)).toBe(gear(apart));
    expect(over.filter(({ name }) => name === "Colour")).toEqual([]);
    expect(await handsight.call("click_region", { region: named(over, "Start game").region })).toMatchObject({
      effect: "confirmed",
    });
    await expect.poll(() => painted.events.at(-1)).toMatchObject({ event: "press", name: "Start game" });
    const alone = await mark(handsight, { window_id: windowId });
    expect(named(alone, "Press me").region_id).toBe(named(apart, "Press me").region_id);
  });
});

test("a region of a row that was scrolled away never reaches the row that took its place", async () => {
  const title = "GTK4 Controls";
  const { handsight, app } = await openApp("gtk4_controls", title, {
    app: ["--tab", "Table", "--rows", "2000", "--geometry", "500x400"],
  });
  const rows = async () =>
    (await mark(handsight, { window_title: title })).filter(({ name }) => /^Record \d+$/.test(name)).slice(2, 8);
  await expect.poll(async () => (await rows()).length, { timeout: 20_000 }).toBe(6);
  const shown = await rows();
  const [first] = shown;
  if (!first) throw new Error("no rows");
  const place = { x: first.bounds.x + 10, y: first.bounds.y + 5 };
  await handsight.call("scroll", { ...place, direction: "down", amount: 40 });
  for (const { region, name } of shown) {
    const before = app.events.length;
    const { isError, data } = await handsight.ask("click_region", { region });
    if (isError) {
      expect(data).toMatchObject({ error: { hint: expect.stringMatching(/mark_regions|ax_scroll/) } });
    }
    const selected = app.events.slice(before).flatMap((event) => (event.event === "selected" ? [event["name"]] : []));
    expect(selected.filter((each) => each !== name)).toEqual([]);
  }
});
