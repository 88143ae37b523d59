import { describe, expect, test } from "vitest";
import { answered, codeOf, openDesktop, startApp } from "../support/element-app.ts";
import { dataOf } from "../support/handsight.ts";
import { residentMb } from "../support/memory.ts";
import { kinds, MutatingApp, names, type Mutation } from "../support/mutating.ts";

describe.each([
  ["gtk3", "GTK3 Mutating"],
  ["gtk4", "GTK4 Mutating"],
  ["qt5", "Qt5 Mutating"],
  ["qt6", "Qt6 Mutating"],
] as const)("a tree that changes while it is read: %s", (toolkit, title) => {
  test("gives a tree, not an error, whatever is removed from it", { timeout: 120_000 }, async () => {
    const { env, handsight } = await openDesktop();
    await using app = await MutatingApp.start(toolkit, title, env, handsight);
    const among = kinds.filter((kind) => app.things(kind).length > 0);
    const whats = ["insert", "remove", "rebuild", "move", "replace"] as const;
    const storming = { isOn: true };
    let changes = 0;
    const storm = (async () => {
      for (; storming.isOn; changes++) {
        const kind = among[changes % among.length] ?? "buttons";
        const change: Mutation = {
          do: whats[changes % whats.length] ?? "move",
          in: kind,
          at: changes * 7,
          to: changes * 3,
          name: names[kind][changes % 4] ?? "",
        };
        await app.mutate(change);
      }
    })();
    for (let look = 0; look < 40; look++) {
      const args = { window_title: title, format: look % 2 === 0 ? "json" : "text", max_nodes: 5_000 };
      const answer = await answered(handsight, "take_ax_snapshot", args);
      expect(codeOf(answer)).toBeUndefined();
      const elements = (answer.data["elements"] ?? []) as { uid: string; depth: number }[];
      expect(new Set(elements.map(({ uid }) => uid)).size).toBe(elements.length);
      elements.forEach(({ depth }, index) => expect(depth).toBeLessThanOrEqual((elements[index - 1]?.depth ?? -1) + 1));
    }
    storming.isOn = false;
    await storm;
    expect(changes).toBeGreaterThan(100);
    expect((await app.snapshot()).length).toBeGreaterThan(3);
  });
});

test("the hidden pages of a GTK 4 stack are not elements", { timeout: 120_000 }, async () => {
  const { env, handsight } = await openDesktop();
  const title = "GTK4 Stack";
  const { uid } = await startApp(handsight, "gtk4_stack", title, env);
  await uid("Button:Button A");
  for (const page of ["B", "C", "A"]) {
    await handsight.call("ax_select", { uid: await uid(`Tab:Page ${page}`) });
    await uid(`Button:Button ${page}`);
    const { elements } = await handsight.call("find_elements", { selector: "Button", window_title: title });
    expect((elements as { name: string }[]).map(({ name }) => name)).toEqual([`Button ${page}`]);
    const { matches } = await handsight.call("find_text", { text: "Button", window_title: title });
    expect(new Set((matches as { text: string }[]).map(({ text }) => text))).toEqual(new Set([`Button ${page}`]));
  }
});

describe("a window of ten thousand elements", () => {
  test("fits the budget, says what was left out, and gives the rest on request", { timeout: 240_000 }, async () => {
    const { env, handsight } = await openDesktop({ width: 1600, height: 2400 });
    const title = "GTK3 Controls";
    await startApp(handsight, "gtk3_controls", title, env, ["--many", "10000", "--geometry", "1000x2200"]);
    const { snapshot, nodes, cut } = await handsight.call("take_ax_snapshot", { window_title: title });
    const text = String(snapshot);
    expect(text.length).toBeLessThan(2_000 * 4 + 200);
    expect(text.split("\n").length).toBeLessThanOrEqual(400);
    expect(nodes).toBeLessThanOrEqual(2_000);
    expect(cut).toBeGreaterThan(8_000);
    const [, count = "", ref = ""] = /… (\d+) more under (a\d+g\d+)/.exec(text) ?? [];
    expect(Number(count)).toBeGreaterThan(0);
    const below = await handsight.call("take_ax_snapshot", {
      window_title: title,
      root: ref,
      max_nodes: 1_000,
      max_tokens: 50_000,
    });
    expect(String(below["snapshot"]).split("\n").length).toBeGreaterThan(900);
    const all = await handsight.call("take_ax_snapshot", { window_title: title, max_nodes: 20_000 });
    expect(all["nodes"]).toBeGreaterThan(10_000);
    const json = { window_title: title, format: "json", max_nodes: 4_000 };
    const listed = await handsight.call("take_ax_snapshot", json);
    const shown = listed["elements"] as { readonly more?: number }[];
    expect(shown.length).toBe(4_000);
    expect(listed["cut"]).toBeGreaterThan(6_000);
    expect(shown.reduce((sum, { more = 0 }) => sum + more, 0)).toBe(listed["cut"]);
    // A tree that does not fit into a message is refused with advice on what to ask for instead, not split or cut
    // off.
    const asked = { name: "take_ax_snapshot", arguments: { ...json, max_nodes: 20_000 } };
    const tooMuch = await handsight.client.callTool({ ...asked, _meta: { "handsight/answers": "json" } });
    expect(dataOf(tooMuch)).toMatchObject({ error: { hint: expect.any(String) } });
    const { elements } = await handsight.call("find_elements", { selector: "Button:B9999", window_title: title });
    expect(elements).toMatchObject([{ name: "B9999" }]);
  });
});

describe.each([
  ["gtk3", "GTK3 Hostile", 14],
  ["qt5", "Qt5 Hostile", 16],
] as const)("hostile names: %s", (toolkit, title, count) => {
  test("forge no line, break no JSON, and fill no memory", { timeout: 180_000 }, async () => {
    const { env, handsight } = await openDesktop();
    const { app, uid } = await startApp(handsight, `${toolkit}_hostile`, title, env);
    await uid(`Button[name^="0 "]`);
    const before = await residentMb(handsight.pid);
    for (let look = 0; look < 10; look++) {
      const { snapshot } = await handsight.call("take_ax_snapshot", { window_title: title });
      const lines = String(snapshot).split("\n");
      expect(lines.filter((line) => /^ *button "\d+ ?.*" (?:\(\d+ chars\) )?a\d+g\d+/.test(line))).toHaveLength(count);
      for (const line of lines) expect(line).toMatch(/^ *[a-z]+( ".*"( \(\d+ chars\))?)? a\d+g\d+[^"]*$/);
      // Control and format characters (C0, C1, joiners, direction overrides) and line separators.
      for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(String(snapshot)).not.toMatch(/a\d+g\d+.*a\d+g\d+ focused/);
    }
    const { elements } = await handsight.call("take_ax_snapshot", { window_title: title, format: "json" });
    expect(JSON.stringify(elements).length).toBeLessThan(100_000);
    const buttons = (elements as { uid: string; role: string; name: string }[]).filter(({ role }) => role === "button");
    expect(buttons).toHaveLength(count);
    for (const [number, button] of buttons.entries()) {
      expect(button.name.startsWith(String(number))).toBe(true);
      const answer = await answered(handsight, "ax_click", { uid: button.uid, settle_ms: 0 });
      expect([number, codeOf(answer)]).toEqual([number, undefined]);
      await app.waitFor((event) => event.event === "pressed" && event["number"] === number);
    }
    for (const tool of ["find_text", "find_elements"]) {
      const args = tool === "find_text" ? { text: "x" } : { name: "x" };
      expect(codeOf(await answered(handsight, tool, { ...args, window_title: title }))).toBeUndefined();
    }
    expect(codeOf(await answered(handsight, "ax_click", { uid: buttons[12]?.uid, settle_ms: 200 }))).toBeUndefined();
    expect(await residentMb(handsight.pid)).toBeLessThan(before + 150);
  });
});
