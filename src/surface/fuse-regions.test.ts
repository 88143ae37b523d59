import { describe, expect, test } from "vitest";
import type { Rect } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import { fuse, type Sighting } from "./fuse-regions.ts";

const view = { x: 100, y: 100, width: 800, height: 600 };
const at = (x: number, y: number, width = 80, height = 24): Rect => ({ x, y, width, height });

function node(id: string, role: string, name: string, bounds: Rect, more: Partial<UiNode> = {}): UiNode {
  const actions = role === "button" ? (["press"] as const) : [];
  return { runtimeId: id, role, nativeRole: role, name, bounds, states: ["enabled", "showing"], actions, ...more };
}

const text = (words: string, box: Rect, confidence = 0.9): Sighting => ({ text: words, box, confidence });
const none = { nodes: [], templates: [], texts: [], shapes: [] };
const options = { view, maxRegions: 100 };

describe("regions out of everything that was seen [S3-19] [S3-43]", () => {
  test("what the tree names is taken from the tree; the text read on it is not a second region", () => {
    const save = node("1", "button", "Save", at(200, 200));
    const { regions } = fuse({ ...none, nodes: [save], texts: [text("Save", at(220, 205, 40, 14))] }, options);
    expect(regions).toMatchObject([
      { number: 1, source: "accessibility", role: "button", name: "Save", confidence: 1 },
    ]);
  });

  test("text on a canvas is a region of its own, and takes the shape of the button around it", () => {
    const canvas = node("1", "canvas", "", at(100, 100, 800, 600));
    const drawn = { text: "button", confidence: 0.6, box: at(300, 300, 120, 40) };
    const { regions } = fuse(
      {
        ...none,
        nodes: [canvas],
        texts: [text("Play", at(340, 312, 40, 16)), text("Score", at(300, 500, 50, 16))],
        shapes: [drawn],
      },
      options,
    );
    expect(regions).toMatchObject([
      { source: "ocr", role: "button", name: "Play", rect: drawn.box, point: { x: 360, y: 320 } },
      { source: "ocr", role: "text", name: "Score", rect: at(300, 500, 50, 16) },
    ]);
  });

  test("on a dense display the letters of a label are not separate shapes, and its button keeps its width", () => {
    const button = { text: "button", confidence: 0.6, box: at(300, 300, 320, 88) };
    const letters = [350, 365, 385].map((x) => ({ text: "icon", confidence: 0.4, box: at(x, 330, 16, 26) }));
    const texts = [text("Quit", at(350, 330, 60, 26)), text("Score", at(350, 530, 90, 26))];
    const alone = { text: "icon", confidence: 0.4, box: at(352, 530, 20, 26) };
    const { regions } = fuse({ ...none, texts, shapes: [button, ...letters, alone] }, options);
    expect(regions).toMatchObject([
      { role: "button", name: "Quit", rect: button.box },
      { role: "text", name: "Score", rect: at(350, 530, 90, 26) },
    ]);
    expect(regions).toHaveLength(2);
  });

  test("a shape that nothing else reports is a region by its looks", () => {
    const icon = { text: "icon", confidence: 0.4, box: at(700, 120, 24, 24) };
    expect(fuse({ ...none, shapes: [icon] }, options).regions).toMatchObject([
      { source: "heuristic", role: "icon", name: "", confidence: 0.4 },
    ]);
  });

  test("a known picture is a region with its name, unless it shows an element; what is read or drawn on it is not another", () => {
    const save = node("1", "button", "Save", at(200, 200));
    const gear = { text: "gear7", confidence: 0.97, box: at(700, 120, 40, 40) };
    const { regions } = fuse(
      {
        nodes: [save],
        templates: [gear, { ...gear, confidence: 0.9 }, { text: "save2", confidence: 0.99, box: at(199, 199, 82, 25) }],
        texts: [text("Go", at(710, 130, 18, 12))],
        shapes: [{ text: "icon", confidence: 0.4, box: at(702, 122, 36, 36) }],
      },
      options,
    );
    expect(regions).toMatchObject([
      { source: "template", role: "image", name: "gear7", confidence: 0.97, rect: gear.box },
      { source: "accessibility", name: "Save" },
    ]);
  });

  test("elements of a page say that they come from its document", () => {
    const { regions } = fuse(
      { ...none, nodes: [node("1", "button", "Save", at(200, 200))] },
      { ...options, nodeSource: "dom" },
    );
    expect(regions).toMatchObject([{ source: "dom", name: "Save" }]);
  });

  test("the element's own click point is preferred to its centre [S3-45]", () => {
    const link = node("1", "link", "More", at(200, 200, 300, 50), {
      actions: ["press"],
      clickPoint: { x: 210, y: 240 } as NonNullable<UiNode["clickPoint"]>,
    });
    expect(fuse({ ...none, nodes: [link] }, options).regions[0]?.point).toEqual({ x: 210, y: 240 });
  });

  test("they are numbered as a person reads", () => {
    const nodes = [
      node("1", "button", "third", at(120, 210)),
      node("2", "button", "second", at(400, 128, 80, 30)),
      node("3", "button", "first", at(120, 130)),
      node("4", "button", "fourth", at(400, 205, 80, 34)),
    ];
    const { regions } = fuse({ ...none, nodes }, options);
    expect(regions.map(({ name }) => name)).toEqual(["first", "second", "third", "fourth"]);
    expect(regions.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test("anything hidden, out of view or not usable is not a region", () => {
    const nodes = [
      node("1", "button", "hidden", at(200, 200), { states: ["enabled"] }),
      node("2", "button", "elsewhere", at(2000, 200)),
      node("3", "text", "just a label", at(200, 300)),
    ];
    const { regions } = fuse({ ...none, nodes, texts: [text("just a label", at(202, 302, 70, 18))] }, options);
    expect(regions).toEqual([]);
  });

  test("a row and the cell that fills it are one", () => {
    const row = node("1", "row", "A", at(200, 200, 300, 20), { actions: ["select"] });
    const cell = node("2", "cell", "A", at(201, 200, 298, 20), { actions: ["select"], parent: "1" });
    expect(fuse({ ...none, nodes: [row, cell] }, options).regions).toHaveLength(1);
  });

  test("ids stay in the next set: of elements by what they are, of text by what it says and where", () => {
    const seen = {
      ...none,
      nodes: [node("1", "button", "Save", at(200, 200))],
      texts: [text("Play", at(400, 400))],
    };
    const first = fuse(seen, options);
    const moved = { x: 30, y: 40 };
    const later = {
      ...none,
      nodes: [node("9", "button", "Save", at(230, 240))],
      texts: [text("New", at(150, 150)), text("Play", at(433, 440))],
    };
    const second = fuse(later, {
      ...options,
      previous: first.regions,
      anchorAt: () => ({ corner: view, moved }),
    });
    const idOf = (set: typeof first, name: string) => set.regions.find((region) => region.name === name)?.id;
    expect(idOf(second, "Save")).toBe(idOf(first, "Save"));
    expect(idOf(second, "Play")).toBe(idOf(first, "Play"));
    expect(new Set(second.regions.map(({ id }) => id)).size).toBe(3);
  });

  test("the budget leaves out the least certain ones, and says how many", () => {
    const shapes = Array.from({ length: 20 }, (_, index) => ({
      text: "icon",
      confidence: 0.4,
      box: at(120 + index * 30, 600, 20, 20),
    }));
    const nodes = [node("1", "button", "Save", at(200, 200))];
    const { regions, cut } = fuse({ ...none, nodes, shapes }, { view, maxRegions: 5 });
    expect(regions).toHaveLength(5);
    expect(regions[0]?.name).toBe("Save");
    expect(cut).toBe(16);
  });
});
