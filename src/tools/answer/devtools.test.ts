import { describe, expect, test } from "vitest";
import { ToolError } from "../../base/errors.ts";
import { devtoolsError, devtoolsTexts } from "./devtools.ts";

const bounds = { x: 480, y: 290, width: 40, height: 20 };
const json = (tool: string, data: Record<string, unknown>): unknown => {
  const [text = "", ...more] = devtoolsTexts(tool, data);
  expect(more).toEqual([]);
  return JSON.parse(text);
};

describe("the S2 surface spells", () => {
  test("windows, texts, devices and frames as arrays [S2-31, S2-73, S2-94, S2-125, S2-129]", () => {
    const window = { id: 7, window_id: 7, title: "Letter", bounds, app_name: "Editor", pid: 1 };
    expect(json("list_windows", { windows: [window], filtered: {} })).toEqual([
      { id: 7, title: "Letter", bounds, app_name: "Editor" },
    ]);
    const match = { text: "Save", x: 500, y: 300, confidence: 1, bounds };
    expect(json("find_text", { matches: [{ ...match, source: "accessibility", uid: "a1g1" }] })).toEqual([match]);
    expect(json("android_list_devices", { devices: [{ serial: "abc", state: "device", model: "Pixel" }] })).toEqual([
      { serial: "abc", state: "device" },
    ]);
    expect(json("android_find_text", { matches: [{ text: "OK", x: 1, y: 2, bounds, uid: "n1g1" }] })).toEqual([
      { text: "OK", x: 1, y: 2, bounds },
    ]);
    expect(json("stop_recording", { frames: [{ path: "a.jpg" }], ended: "stopped" })).toEqual([{ path: "a.jpg" }]);
  });

  test("the element at a point flat, with what there is and the name of its role on macOS [S2-38]", () => {
    const element = {
      uid: "a1g1",
      role: "button",
      name: "Save",
      description: "Save document",
      bounds,
      pid: 5,
      states: [],
    };
    expect(json("element_at_point", { element, ancestors: [], untrusted_text: true })).toEqual({
      role: "AXButton",
      name: "Save",
      label: "Save document",
      bounds,
      pid: 5,
      untrusted_text: true,
    });
  });

  test.each([
    ["ax_click", "AXPress"],
    ["ax_set_value", "AXSetAttributeValue"],
    ["ax_select", "AXSelectedRows"],
  ])("what %s did as %s, and the effect beside it [S2-55, S2-61, S2-66]", (tool, via) => {
    const bbox = { x: 1, y: 2, w: 3, h: 4 };
    const data = { ok: true, effect: "confirmed", method: "ax", dispatched_via: "Action.DoAction(click)", bbox };
    expect(json(tool, data)).toEqual({ ok: true, dispatched_via: via, bbox, effect: "confirmed" });
    // Only what was done natively has that name.
    expect(json(tool, { ...data, method: "input", dispatched_via: "keyboard" })).toMatchObject({
      dispatched_via: "keyboard",
    });
  });

  test("errors with a fallback or null [S2-56]", () => {
    const error = (details: object) =>
      JSON.parse(devtoolsError(new ToolError("not_dispatchable", "No.", details).toEnvelope())) as unknown;
    expect(error({})).toMatchObject({ error: { code: "not_dispatchable", message: "No.", fallback: null } });
    expect(error({ fallback: { x: 1, y: 2 } })).toMatchObject({ error: { fallback: { x: 1, y: 2 } } });
  });

  test("pages in sentences and lines [S2-105, S2-104]", () => {
    const pages = [
      { url: "http://a/", selected: false },
      { url: "http://b/", selected: true },
    ];
    expect(devtoolsTexts("cdp_connect", { pages })).toEqual(["Connected. Selected page: http://b/"]);
    const message = "Clicked uid=d1 'Submit' (button) at (200, 300)";
    expect(devtoolsTexts("cdp_click", { message, effect: "confirmed" })).toEqual([`${message}\neffect: confirmed`]);
    const matches = [{ uid: "d1", role: "textbox", name: "Search" }];
    expect(json("cdp_find_elements", { matches, total: 1, inventory: { textbox: 1 } })).toMatchObject({
      matches: [{ uid: "d1", role: "textbox", label: "Search" }],
      inventory: { textbox: 1 },
    });
    expect(devtoolsTexts("cdp_take_dom_snapshot", { snapshot: 'd1 button "New"\n d2 link "More"' })).toEqual([
      'uid=d1 button "New"\n uid=d2 link "More"',
    ]);
    expect(devtoolsTexts("take_ax_snapshot", { snapshot: 'window "A" a1g1\n  button "Save" a2g1' })).toEqual([
      'AXWindow "A" a1g1\n  AXButton "Save" a2g1',
    ]);
  });
});
