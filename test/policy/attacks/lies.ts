import { expect } from "vitest";
import { startHostileBrowser } from "../../simulators/browser/hostile-browser.ts";
import { blankPng, events, liesFor, LyingPage } from "../../simulators/browser/lying-page.ts";
import type { RawServer } from "../../support/raw-server.ts";
import { expectDone, expectNoFault, type Attack } from "./attack.ts";

interface ListedTool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
}

/** Takes the address of a browser, or a model, not a page. */
const others = new Set(["cdp_connect", "run_agent"]);
const at = { x: 5, y: 5 };

/** For tools that act only with further arguments. */
const args: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  act: { action: "click" },
  ax_set_value: { value: "v" },
  ax_scroll: { direction: "down" },
  cdp_element_at_point: at,
  cdp_evaluate_script: { function: "(e) => e", timeout: 500 },
  cdp_fill: { value: "v" },
  cdp_find_elements: { query: "Save" },
  cdp_handle_dialog: { action: "accept" },
  cdp_navigate: { url: "http://a.test/", timeout: 300 },
  cdp_press_key: { key: "a" },
  cdp_type_text: { text: "v" },
  cdp_wait_for: { text: ["Save"], timeout: 200, include_snapshot: true },
  click: { text: "Save" },
  click_region: { region: 1 },
  drag: { start_x: 1, start_y: 1, end_x: 9, end_y: 9 },
  element_at_point: at,
  find_elements: { role: "textbox" },
  find_text: { text: "Save" },
  mark_regions: { sources: ["dom"] },
  move_mouse: { text: "Save" },
  press_key: { key: "a" },
  read_text: { text: "Save" },
  scroll: { ...at, direction: "down" },
  take_window_screenshot: { window_id: 1 },
  type_text: { text: "v", into: "Save" },
  wait_for: { condition: "element", text: "Save", timeout_ms: 300 },
};

interface Trial {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Every listed tool that takes a page, with what it needs to work on it. */
async function trialsOn(server: RawServer, surface: string, uids: { readonly cdp: string; readonly ax: string }) {
  const { result } = await server.ask("tools/list", {});
  const { tools } = result as unknown as { readonly tools: readonly ListedTool[] };
  return tools.flatMap(({ name, inputSchema: { properties = {} } }): readonly Trial[] => {
    const takesPage = "surface" in properties || (name.startsWith("cdp_") && "uid" in properties);
    if (!takesPage || others.has(name)) return [];
    const given = args[name] ?? {};
    const hasTarget = "mode" in properties || ["text", "region", "x", "start_x", "role"].some((key) => key in given);
    return [
      {
        tool: name,
        args: {
          ...("surface" in properties ? { surface } : {}),
          ...("mode" in properties && name !== "find_image" ? { mode: "screen" } : {}),
          ...("settle_ms" in properties ? { settle_ms: name.startsWith("cdp_") || name === "press_key" ? 40 : 0 } : {}),
          ...("uid" in properties && !hasTarget ? { uid: name.startsWith("cdp_") ? uids.cdp : uids.ax } : {}),
          ...given,
        },
      },
    ];
  });
}

const uidIn = (told: Record<string, unknown>): string => /"uid":"(\w+)"/.exec(JSON.stringify(told))?.[1] ?? "";

async function connect(server: RawServer, port: number): Promise<string> {
  const { pages } = expectDone(await server.call("cdp_connect", { port })) as { pages: { surface: string }[] };
  return pages[0]?.surface ?? "";
}

/** Each tool is first seen to work, to learn what it asks the page; then the page lies about that. */
const everyTool: Attack<{ readonly server: RawServer }> = {
  name: "a browser that lies to every tool about all it asks",
  async run({ server }) {
    const page = new LyingPage(await blankPng(64, 48));
    await using hostile = await startHostileBrowser({ onMessage: page.onMessage });
    const surface = await connect(server, hostile.port);
    const uids = {
      cdp: uidIn(expectDone(await server.call("cdp_find_elements", { query: "Save", surface }))),
      ax: uidIn(expectDone(await server.call("find_elements", { role: "textbox", surface }))),
    };
    const trials = await trialsOn(server, surface, uids);
    const told = new Map<string, number>();
    const faults: string[] = [];
    const honest: string[] = [];
    for (const { tool, args: given } of trials) {
      page.asked.clear();
      const answer = await server.call(tool, given);
      const asked = [...page.asked];
      expectNoFault(answer);
      if (answer.result?.isError !== true) honest.push(tool);
      for (const method of asked) {
        // A different lie each time: all of them, for all tools, would take an hour. The shapes' own test tries all.
        const all = page.liesAbout(method);
        const next = told.get(method) ?? 0;
        told.set(method, next + 1);
        const lie = all[(next * 7) % all.length];
        page.lie(method, () => lie);
        const words = `${tool} when ${method} is ${JSON.stringify(lie).slice(0, 200)}`;
        try {
          expectNoFault(await server.call(tool, given));
        } catch (error) {
          faults.push(`${words}: ${String(error).slice(0, 300)}`);
        }
        page.speakTruth();
      }
    }
    await server.call("cdp_disconnect");
    expect(honest.length, `of ${trials.length} tools: ${honest.join()}`).toBeGreaterThanOrEqual(36);
    expect(faults).toEqual([]);
  },
};

export const everyEvent: Attack<{ readonly server: RawServer }> = {
  name: "a browser that lies in every event of its page",
  async run({ server }) {
    const page = new LyingPage(await blankPng(64, 48));
    await using hostile = await startHostileBrowser({ onMessage: page.onMessage });
    const surface = await connect(server, hostile.port);
    page.lie("settle", () => {
      for (const [event, truth] of Object.entries(events)) for (const lie of liesFor(truth)) page.tell(event, lie);
      return undefined;
    });
    expectNoFault(await server.call("press_key", { key: "a", surface, settle_ms: 40 }));
    expectNoFault(await server.call("cdp_press_key", { key: "a", surface, settle_ms: 40 }));
    page.speakTruth();
    expectDone(await server.call("cdp_take_dom_snapshot", { surface }));
    await server.call("cdp_disconnect");
  },
};

/** Following the parents of a frame must lead to the page. */
const circle: Attack<{ readonly server: RawServer }> = {
  name: "a browser whose frames are moved into each other",
  async run({ server }) {
    const page = new LyingPage(await blankPng(64, 48));
    await using hostile = await startHostileBrowser({ onMessage: page.onMessage });
    const surface = await connect(server, hostile.port);
    expectDone(await server.call("cdp_take_dom_snapshot", { surface }));
    page.lie("place", () => {
      page.tell("Page.frameAttached", { frameId: "f", parentFrameId: "inner" });
      page.tell("Page.frameAttached", { frameId: "own", parentFrameId: "own" });
      return { url: "http://a.test/", title: "a" };
    });
    expectNoFault(await server.call("cdp_navigate", { url: "http://a.test/", surface, timeout: 300 }));
    expectDone(await server.call("cdp_take_dom_snapshot", { surface }));
    await server.call("cdp_disconnect");
  },
};

export const lies = [everyTool, circle];
