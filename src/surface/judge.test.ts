import { beforeEach, describe, expect, test } from "vitest";
import type { NodeState, UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import type { Difference } from "../vision/compare.ts";
import { judge, type Expectation, type Noise } from "./judge.ts";
import { comparePictures, type State, type StatePicture, type Subject } from "./state.ts";

const node = (runtimeId: string, name: string, more: Partial<UiNode> = {}): UiNode => ({
  runtimeId,
  role: "button",
  nativeRole: "push button",
  name,
  states: ["enabled", "showing"],
  actions: ["press"],
  bounds: { x: 10, y: 10, width: 80, height: 24 },
  ...more,
});

const window = (id: number, pid: number, more: Partial<WindowInfo> = {}): WindowInfo => ({
  id,
  pid,
  title: `Window ${id}`,
  appName: "App",
  className: "app",
  processName: "app",
  kind: "normal",
  bounds: { x: 0, y: 0, width: 400, height: 300 },
  isVisible: true,
  isMinimized: false,
  isMaximized: false,
  isFullscreen: false,
  isForeground: true,
  canMinimize: true,
  canMaximize: true,
  displayId: 1,
  ...more,
});

const size = { width: 400, height: 300 };
let density = 1;

interface Square {
  readonly x: number;
  readonly y: number;
  readonly side?: number;
  readonly shade?: number;
}

/** A grey window with squares in other colours; positions and sizes in screen units. */
function picture(...squares: readonly Square[]): StatePicture {
  const pixels = (units: number): number => Math.round(units * density);
  const [width, height] = [pixels(size.width), pixels(size.height)];
  const data = new Uint8Array(width * height * 4).fill(128);
  for (const { x, y, side = 10, shade = 250 } of squares) {
    for (let row = pixels(y); row < pixels(y + side); row++)
      data.fill(shade, (row * width + pixels(x)) * 4, (row * width + pixels(x + side)) * 4);
  }
  return {
    pixels: { data, width, height, stride: width * 4, format: "bgrx" },
    bounds: { x: 0, y: 0, ...size },
  };
}

const root = node("w", "Main", { role: "window", bounds: { x: 0, y: 0, ...size } });
const field = node("f", "Name", {
  role: "textbox",
  value: "",
  states: ["enabled", "showing", "editable", "focused"],
  bounds: { x: 10, y: 100, width: 200, height: 24 },
});
const target = node("b", "OK");
const quiet: Noise = { pixels: undefined, nodes: new Set() };
const press: Expectation = { focusCounts: false, pixelsCount: false, movingCounts: false };
const subject: Subject = { pid: 1, windowId: 7, node: target };

function state(more: Partial<State> = {}): State {
  return {
    nodes: [root, target, field],
    node: target,
    windows: [window(7, 1), window(8, 2)],
    picture: picture(),
    ...more,
  };
}

const effect = (after: State, expectation = press, noise = quiet, before = state(), who = subject) =>
  judge(who, before, after, noise, expectation).effect;

describe.each([1, 1.5, 2])("with %s pixels per screen unit:", (pixels) => {
  density = pixels;
  beforeEach(() => {
    density = pixels;
  });

  describe("what counts as an effect of pressing a button [S4-4, S4-33]", () => {
    test("nothing at all is no_change", () => {
      expect(effect(state())).toBe("no_change");
    });

    test("a label that changes elsewhere in the app is confirmed, and named", () => {
      const after = state({ nodes: [root, target, { ...field, value: "saved" }] });
      expect(judge(subject, state(), after, quiet, press)).toMatchObject({
        effect: "confirmed",
        changes: { tree: ['~ textbox "Name" value "" → "saved"'] },
      });
    });

    test("a button that renames itself is confirmed, though its own name is gone", () => {
      const renamed = { ...target, name: "Pause" };
      expect(effect(state({ nodes: [root, renamed, field], node: renamed }))).toBe("confirmed");
    });

    test("a state that the element itself gains out of view, in no list, is confirmed", () => {
      const cell = node("c", "B500", { role: "cell", states: ["enabled"], bounds: undefined });
      const selected = { ...cell, states: ["enabled", "selected"] as const };
      const listed = [root, target, field];
      const before = state({ nodes: listed, node: cell });
      const who = { ...subject, node: cell };
      expect(effect(state({ nodes: listed, node: selected }), press, quiet, before, who)).toBe("confirmed");
    });

    test("taking the focus, or looking pressed, is not an effect", () => {
      const states: readonly NodeState[] = ["enabled", "showing", "focused"];
      const focused = { ...target, states };
      const after = state({
        nodes: [root, focused, { ...field, states: ["enabled", "showing", "editable"] }],
        node: focused,
        picture: picture({ x: 12, y: 12, side: 16 }),
      });
      expect(effect(after)).toBe("no_change");
    });

    test("a dialog of the app is confirmed; a notification of another app is not", () => {
      const mine = state({ windows: [window(9, 1, { title: "Saved" }), window(7, 1), window(8, 2)] });
      const theirs = state({
        windows: [window(9, 2, { title: "New mail" }), window(7, 1), window(8, 2, { title: "12:01" })],
      });
      expect(judge(subject, state(), mine, quiet, press)).toMatchObject({
        effect: "confirmed",
        changes: { windows: ['opened "Saved" (9)'] },
      });
      expect(effect(theirs)).toBe("no_change");
    });

    test("a tooltip is not an effect", () => {
      const tip = node("t", "Saves the file", { role: "tooltip" });
      const after = state({
        nodes: [root, target, field, tip],
        windows: [window(9, 1, { kind: "tooltip" }), window(7, 1), window(8, 2)],
      });
      expect(effect(after)).toBe("no_change");
    });

    test("an element that was ticking before is not evidence", () => {
      const clock = node("c", "12:00:01", { role: "text" });
      const before = state({ nodes: [root, target, clock] });
      const after = state({ nodes: [root, target, { ...clock, name: "12:00:02" }] });
      expect(effect(after, press, { pixels: undefined, nodes: new Set(["c"]) }, before)).toBe("no_change");
      expect(effect(after, press, quiet, before)).toBe("confirmed");
    });

    test("numbers that change elsewhere may run by themselves: it asks for another look", () => {
      const clock = node("c", "12:00:01", { role: "text" });
      const before = state({ nodes: [root, target, clock] });
      const doubt = (name: string) =>
        judge(subject, before, state({ nodes: [root, target, { ...clock, name }] }), quiet, press).doubt?.may;
      expect(doubt("12:00:02")).toBe("run");
      expect(doubt("stopped")).not.toBe("run");
    });

    test("what a running clock draws is no evidence either", () => {
      const clock = node("c", "12:00:01", { role: "text", bounds: { x: 300, y: 200, width: 80, height: 40 } });
      const after = state({ nodes: [root, target, clock], picture: picture({ x: 320, y: 204, side: 30 }) });
      const key = { ...press, pixelsCount: true };
      const before = state({ nodes: [root, target, clock] });
      expect(effect(after, key, { pixels: undefined, nodes: new Set(["c"]) }, before)).toBe("no_change");
      expect(effect(after, key, quiet, before)).toBe("confirmed");
    });

    test("elements that differ while no pixel does may differ at every reading", () => {
      const row = node("r", "Row", { role: "row" });
      const judged = judge(subject, state(), state({ nodes: [root, target, field, row] }), quiet, press);
      expect(judged).toMatchObject({ effect: "confirmed", doubt: { may: "vary" } });
      const varies = { ...quiet, kinds: new Set(["row Row"]) };
      expect(effect(state({ nodes: [root, target, field, row] }), press, varies)).toBe("no_change");
    });

    test("copying is confirmed; selected text counts where text can be selected", () => {
      const copies = (clipboard: number, primary: number) => state({ traces: { clipboard, primary } });
      const judged = (after: State, expectation = press) => judge(subject, copies(0, 0), after, quiet, expectation);
      expect(judged(copies(1, 0))).toMatchObject({ effect: "confirmed", changes: { clipboard: ["clipboard"] } });
      expect(judged(copies(0, 1)).effect).toBe("no_change");
      expect(judged(copies(0, 1), { ...press, selectionCounts: true })).toMatchObject({
        effect: "confirmed",
        changes: { clipboard: ["primary selection"] },
      });
    });

    test("a window of an app that names no process belongs to it by class", () => {
      const unnamed = (id: number, className: string) => ({ ...window(id, 0, { className }), pid: undefined });
      const [main, dialog, other] = [unnamed(7, "Tk"), unnamed(9, "Tk"), unnamed(8, "Xcalc")];
      const who: Subject = { pid: undefined, windowId: 9, node: undefined };
      const blind = { nodes: undefined, node: undefined };
      const seen = (...windows: readonly WindowInfo[]) => state({ ...blind, windows });
      expect(judge(who, seen(main, dialog, other), seen(main, other), quiet, press).changes.windows).toEqual([
        'closed "Window 9" (9)',
      ]);
      expect(judge(who, seen(main, dialog, other), seen(main, dialog), quiet, press).changes.windows).toBeUndefined();
    });

    test("pixels that change far from the button are no proof either way", () => {
      expect(effect(state({ picture: picture({ x: 300, y: 200, side: 40 }) }))).toBe("unverifiable");
    });

    test("without a tree or a picture nothing can be said", () => {
      const blind = state({ nodes: undefined, node: undefined, picture: undefined });
      expect(effect(blind, press, quiet, blind)).toBe("unverifiable");
    });
  });

  describe("what counts where pixels are all there is", () => {
    const bare = (shown: State["picture"]) => state({ nodes: undefined, node: undefined, picture: shown });
    const canvas: Subject = { pid: 1, windowId: 7, node: undefined };
    const draw: Expectation = { focusCounts: false, pixelsCount: true, movingCounts: true };

    test("a drawn line is confirmed, with the box around it", () => {
      const result = judge(canvas, bare(picture()), bare(picture({ x: 100, y: 100, side: 60 })), quiet, draw);
      expect(result).toMatchObject({
        effect: "confirmed",
        changes: { pixels: { box: { x: 96, y: 96, width: 64, height: 64 } } },
      });
    });

    test("a blinking caret is not", () => {
      const caret = bare(picture({ x: 100, y: 100, side: 2 }));
      expect(effect(caret, { ...draw, pixelsCount: false }, quiet, bare(picture()), canvas)).toBe("no_change");
      expect(effect(caret, draw, quiet, bare(picture()), canvas)).toBe("unverifiable");
    });

    test("a digit is as small as a caret; whether it blinks has to be looked at", () => {
      const doubt = (side: number) =>
        judge(canvas, bare(picture()), bare(picture({ x: 100, y: 100, side })), quiet, draw).doubt?.may;
      expect(doubt(6)).toBe("blink");
      expect(doubt(2)).toBeUndefined();
    });
  });

  test("a disabled element that can be used by and by was not enabled by the click on it", () => {
    const disabled: UiNode = { ...target, states: ["showing"] };
    const before = state({ nodes: [root, disabled, field], node: disabled });
    expect(effect(state(), press, quiet, before, { ...subject, node: disabled })).toBe("no_change");
    const renamed = { ...target, name: "Done" };
    const after = state({ nodes: [root, renamed, field], node: renamed });
    expect(effect(after, press, quiet, before, { ...subject, node: disabled })).toBe("confirmed");
  });

  test("a button that is disabled after a key that may save is looked at again; other keys disable it themselves", () => {
    const disabled = { ...field, states: field.states.filter((each) => each !== "enabled") };
    const after = state({ nodes: [root, target, disabled] });
    const key: Expectation = { focusCounts: false, pixelsCount: true, movingCounts: false };
    expect(judge(subject, state(), after, quiet, { ...key, mayWrite: true }).doubt?.may).toBe("pass");
    expect(judge(subject, state(), after, quiet, key).doubt?.may).not.toBe("pass");
    const renamed = state({ nodes: [root, { ...target, name: "Saved" }, disabled] });
    expect(judge(subject, state(), renamed, quiet, { ...key, mayWrite: true }).doubt?.may).not.toBe("pass");
  });

  describe("what counts for focus", () => {
    test("a click into a field is there to focus it", () => {
      const before = state({ nodes: [root, target, { ...field, states: ["enabled", "showing", "editable"] }] });
      const result = judge({ ...subject, node: field }, before, state(), quiet, { ...press, focusCounts: true });
      expect(result).toMatchObject({
        effect: "confirmed",
        changes: { focus: { from: "nothing", to: 'textbox "Name"' } },
      });
    });

    test("an app that loses the focus while a field is to get it has not focused the field", () => {
      const after = state({ nodes: [root, target, { ...field, states: ["enabled", "showing", "editable"] }] });
      expect(effect(after, { ...press, focusCounts: "gained" })).toBe("no_change");
      expect(effect(after, { ...press, focusCounts: true })).toBe("confirmed");
    });
  });

  describe("beside what moves by itself", () => {
    const blind = { nodes: undefined, node: undefined };
    const tap: Expectation = { focusCounts: false, pixelsCount: true, movingCounts: false };
    const nothing: Subject = { pid: 1, windowId: 7, node: undefined };
    const moving = (...squares: readonly Square[]): Noise => {
      const [still, moved] = [picture(), picture(...squares)];
      return { pixels: comparePictures(still, moved) as Difference, nodes: new Set() };
    };
    const drawn = (noise: Noise, ...squares: readonly Square[]) =>
      effect(state({ ...blind, picture: picture(...squares) }), tap, noise, state(blind), nothing);

    test("digits into which a counter carries are not reported as an effect", () => {
      const counter = moving({ x: 240, y: 104, side: 28 }, { x: 268, y: 104, side: 28 });
      expect(drawn(counter, { x: 212, y: 104, side: 28 })).toBe("unverifiable");
      expect(drawn(counter, { x: 184, y: 104, side: 28 }, { x: 212, y: 104, side: 28 })).toBe("unverifiable");
    });

    test("what changes above, below and further away is", () => {
      const counter = moving({ x: 240, y: 104, side: 28 }, { x: 268, y: 104, side: 28 });
      expect(drawn(counter, { x: 212, y: 160, side: 28 })).toBe("confirmed");
      expect(drawn(counter, { x: 212, y: 104, side: 28 }, { x: 100, y: 104, side: 28 })).toBe("confirmed");
    });

    test("letters beside a blinking cursor, and a picture beside one that plays, are", () => {
      const cursor = moving({ x: 80, y: 104, side: 8 }, { x: 80, y: 112, side: 8 });
      expect(drawn(cursor, { x: 96, y: 104, side: 24 })).toBe("confirmed");
      const film = moving({ x: 200, y: 80, side: 180 });
      expect(drawn(film, { x: 100, y: 104, side: 28 })).toBe("confirmed");
    });
  });

  describe("what counts as an effect of setting a password", () => {
    const secret = { ...field, states: ["enabled", "showing", "editable", "password"] as const };
    const who: Subject = { ...subject, node: secret };
    const before = state({ nodes: [root, target, secret], node: secret });
    const setting: Expectation = { ...press, isDotted: true };
    const judged = (after: State["picture"]) => judge(who, before, { ...before, picture: after }, quiet, setting);

    test("dots in the field are proof enough", () => {
      const dots = picture({ x: 20, y: 105, side: 16 }, { x: 40, y: 105, side: 16 });
      expect(judged(dots)).toMatchObject({ effect: "confirmed", isCertain: true });
    });

    test("without them it is unverifiable: the same number of dots looks the same", () => {
      expect(judged(picture())).toMatchObject({ effect: "unverifiable", isCertain: false });
      expect(judged(picture({ x: 300, y: 200, side: 40 })).effect).toBe("unverifiable");
    });
  });

  describe("what counts as an effect of a drag or of scrolling", () => {
    const wheel: Expectation = { focusCounts: false, pixelsCount: true, movingCounts: true };
    const other = node("o", "Other", { bounds: { x: 250, y: 10, width: 80, height: 24 } });
    const who: Subject = { ...subject, others: [other] };
    const judged = (after: State["picture"]) => judge(who, state(), state({ picture: after }), quiet, wheel).effect;

    test("a focus ring or hover on the buttons where it began and ended is not", () => {
      expect(judged(picture({ x: 12, y: 12, side: 16 }, { x: 252, y: 12, side: 20 }))).toBe("no_change");
    });

    test("the picture of what is dragged, a window of no known kind, is not", () => {
      const windows = [window(9, 1, { kind: "unknown", title: "" }), window(7, 1), window(8, 2)];
      const dragged = state({ windows });
      expect(judge(who, state(), dragged, quiet, wheel).effect).toBe("no_change");
      expect(judge(who, state(), dragged, quiet, { ...wheel, movingCounts: false }).effect).toBe("confirmed");
    });

    test("little that is drawn may fade again; a row that stays where it is was not scrolled", () => {
      const glow = state({ picture: picture({ x: 200, y: 200, side: 30 }) });
      expect(judge(who, state(), glow, quiet, wheel)).toMatchObject({ effect: "confirmed", doubt: { may: "fade" } });
      const page = state({ picture: picture({ x: 0, y: 0, side: 290 }) });
      expect(judge(who, state(), page, quiet, wheel).doubt).toBeUndefined();
      const row = { ...target, role: "row" };
      const [before, after] = [state({ node: row }), { ...glow, node: row }];
      expect(judge(who, before, after, quiet, { ...wheel, scrolls: true }).effect).toBe("no_change");
    });

    test("anything drawn beside them is one", () => {
      expect(judged(picture({ x: 12, y: 12, side: 16 }, { x: 200, y: 200, side: 30 }))).toBe("confirmed");
    });

    test("what is drawn in a field is one", () => {
      const inField = { ...subject, node: field };
      const after = state({ node: field, picture: picture({ x: 20, y: 104, side: 18 }) });
      expect(judge(inField, state({ node: field }), after, quiet, wheel).effect).toBe("confirmed");
    });
  });
});
