import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

/** An app without a tree: what it shows can only be read. Its menu reaches far beyond its window. */
describe.sequential("the open menu of a window without elements", () => {
  let desktop: VirtualDesktop;
  let handsight: Handsight;
  let app: Fixture;
  const title = "Animals";

  beforeAll(async () => {
    desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
    handsight = await startHandsight(desktop.env);
    app = await startFixture("gtk3_popups", { env: { ...desktop.env, NO_AT_BRIDGE: "1" }, args: ["--title", title] });
    await handsight.call("wait_for", { window_title: title });
    await handsight.call("focus_window", { window_title: title });
    await handsight.call("wait_for", { condition: "text", text: "Area", window_title: title });
  });
  afterAll(async () => {
    await app.stop();
    await handsight[Symbol.asyncDispose]();
    await desktop[Symbol.asyncDispose]();
  });

  const linesOf = async (): Promise<string[]> =>
    String((await handsight.call("ocr", { window_title: title }))["text"]).split("\n");

  test("is not there while it is closed, and says nothing about processes", async () => {
    expect(await linesOf()).toEqual([title, "Area"]);
    const { matches, warning } = await handsight.call("find_text", { text: "Zebra two", window_title: title });
    expect(matches).toEqual([]);
    expect(warning).toMatch(/elements/);
    const { data } = await handsight.ask("click", { text: "Zebra two", window_title: title });
    expect(data).toMatchObject({ error: { code: "not_found", message: expect.stringContaining("picture") } });
    expect(JSON.stringify(data)).not.toContain("process");
  });

  test("is waited for by its text, wherever on the screen it opens", async () => {
    const opened = handsight.call("wait_for", { condition: "text", text: "Zebra three" });
    app.tell("menu");
    expect(await opened).toMatchObject({ met: true, match: { text: "Zebra three", source: "ocr" } });
  });

  test("is part of the window for ocr, find_text and mark_regions", async () => {
    expect(await linesOf()).toEqual(expect.arrayContaining(["Area", "Zebra one", "Zebra two"]));
    const { matches } = await handsight.call("find_text", { text: "Zebra two", window_title: title });
    expect(matches).toMatchObject([{ text: "Zebra two", source: "ocr" }]);
    const { legend } = await handsight.call("mark_regions", { window_title: title, include_image: false });
    expect(legend).toContain('"Zebra four"');
    expect(legend).not.toContain("Harmless");
    const other = await handsight.call("find_text", { text: "Zebra two", window_title: "Notes" });
    expect(other["matches"]).toEqual([]);
  });

  test("is not clicked, nor taken for proof, by a text that differs in a letter", async () => {
    const { data } = await handsight.ask("click", { text: "Zebra twa", window_title: title });
    expect(data).toMatchObject({
      error: { code: "not_found", candidates: [expect.stringMatching(/^"Zebra two" at \d+,\d+$/)] },
    });
    const { matches, warning } = await handsight.call("find_text", { text: "Zebra twa", window_title: title });
    expect(matches).toMatchObject([{ text: "Zebra two" }]);
    expect(warning).toContain("differ from it in a letter");
    const wait = { condition: "text", text: "Zebra tw", timeout_ms: 1_500 };
    expect(await handsight.call("wait_for", wait)).toMatchObject({ met: true });
    const other = await handsight.ask("wait_for", { ...wait, text: "Zebras two" });
    expect(other.data).toMatchObject({ error: { code: "timeout" } });
    expect(app.events.filter(({ event }) => event === "chosen")).toEqual([]);
  });

  test("is clicked by its text", async () => {
    await handsight.call("click", { text: "Zebra two", window_title: title });
    expect(await app.waitFor(({ event }) => event === "chosen")).toMatchObject({ name: "Zebra two" });
    await handsight.call("wait_for", { condition: "text_gone", text: "Zebra two" });
    expect(await linesOf()).toEqual([title, "Area"]);
  });
});
