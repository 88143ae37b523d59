import { centre, type Rect } from "../../src/base/geometry.ts";
import { toScope } from "../../src/platform/scope.ts";
import type { NodeAction, UiNode } from "../../src/base/node.ts";
import type { Button } from "../../src/platform/backend.ts";
import type { FakeNode } from "../../src/platform/fake/elements.ts";
import { openFake, type FakeBackend } from "../../src/platform/fake/index.ts";
import { overlayColourAt } from "../../src/platform/fake/overlay.ts";
import { colours, names, titles, type AppEvent, type KnownApp, type OtherApp, type Stage } from "./stage.ts";
import { conform } from "./suite.ts";

conform("fake", async () => openStage());

const pid = 1000;
const windowId = 1;
const otherId = 2;
const dialogId = 3;
const window: Rect = { x: 50, y: 40, width: 600, height: 500 };
const padAt: Rect = { x: 60, y: 80, width: 200, height: 150 };

const place = (row: number): Rect => ({ x: 300, y: 80 + row * 30, width: 200, height: 24 });

const on = ["enabled", "showing"] as const;
const field = ["enabled", "showing", "editable", "focusable"] as const;

const plain: readonly FakeNode[] = [
  { runtimeId: "w", role: "window", name: titles.window, bounds: window },
  { runtimeId: "button", role: "button", name: names.button, bounds: place(0), actions: ["press", "focus"] },
  { runtimeId: "disabled", role: "button", name: names.disabled, bounds: place(1), states: ["showing"] },
  { runtimeId: "check", role: "checkbox", name: names.check, bounds: place(2), actions: ["toggle"] },
  {
    runtimeId: "field",
    role: "textbox",
    name: names.field,
    bounds: place(3),
    states: field,
    actions: ["focus", "set_value"],
    value: "",
  },
  {
    runtimeId: "secret",
    role: "textbox",
    name: names.secret,
    bounds: place(4),
    states: [...field, "password"],
    value: "hunter2",
  },
  {
    runtimeId: "slider",
    role: "slider",
    name: names.slider,
    bounds: place(5),
    actions: ["set_value"],
    value: 30,
    range: { min: 0, max: 100 },
  },
  {
    runtimeId: "more",
    role: "button",
    name: names.expander,
    bounds: place(6),
    states: [...on, "expandable", "collapsed"],
    actions: ["expand", "collapse"],
  },
  { runtimeId: "list", role: "list", name: names.list, bounds: place(7) },
  ...Array.from({ length: 40 }, (_, index): FakeNode => ({
    runtimeId: `row ${index + 1}`,
    parent: "list",
    role: "listitem",
    name: `Fruit ${index + 1}`,
    states: index < 5 ? [...on, "selectable"] : ["enabled", "selectable"],
    actions: ["select", "scroll_into_view"],
  })),
];

const controls = plain.map((node): FakeNode => ({
  ...node,
  pid,
  windowId,
  ...(node.runtimeId === "w" ? {} : { parent: node.parent ?? "w" }),
}));

function openStage(scale = 1): Stage & { readonly pixelsPerUnit: number } {
  const screen = { width: 800, height: 600 };
  const app = { id: "fake-app", name: "FakeApp", executable: "fake-app" };
  const backend = openFake({
    ...screen,
    scale,
    windows: [{ id: windowId, title: titles.window, pid, bounds: window }],
    elements: controls,
    apps: [{ ...app, window: { id: otherId, title: "Launched" } }],
  });
  const { desktop } = backend;
  return {
    backend,
    screen,
    pixelsPerUnit: scale,
    app: new FakeKnownApp(backend),
    atScale: async (other) => openStage(other),
    reopen: async () => backend,
    async openOther(): Promise<OtherApp> {
      const other = 1001;
      desktop.open({ id: otherId, title: titles.other, pid: other, bounds: window });
      return {
        pid: other,
        isOpen: async () => desktop.find(otherId) !== undefined,
        freeze: async () => freeze(backend, other),
        [Symbol.asyncDispose]: async () => desktop.close(otherId),
      };
    },
    async seen(point) {
      using below = await backend.screen?.capture({
        kind: "region",
        rect: { x: point.x, y: point.y, width: 1, height: 1 },
      });
      const [blue = 0, green = 0, red = 0] = below?.pixels.data ?? [];
      return overlayColourAt(desktop.overlay, point) ?? (red << 16) | (green << 8) | blue;
    },
    clipboard: {
      read: async () => desktop.clipboard ?? "",
      write: async (text) => void (desktop.clipboard = text),
      writePicture: async () => void (desktop.clipboard = undefined),
    },
    launchable: {
      id: app.id,
      args: ["--quiet"],
      unknown: "missing-app",
      isRunning: async (launched) =>
        desktop.find(otherId)?.pid === launched && desktop.events.includes("launch fake-app --quiet"),
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

function freeze({ desktop }: FakeBackend, frozen: number): AsyncDisposable {
  desktop.frozen.add(frozen);
  return { [Symbol.asyncDispose]: async () => void desktop.frozen.delete(frozen) };
}

/** The state and input of the fake desktop, in the terms of every known app. */
class FakeKnownApp implements KnownApp {
  readonly title = titles.window;
  readonly pid = pid;
  readonly scope = toScope({ pid });
  readonly #backend: FakeBackend;
  readonly #initial: readonly UiNode[];
  #said: AppEvent[] = [];
  #heard = 0;
  #at = { x: 0, y: 0 };
  #isHeld = false;

  constructor(backend: FakeBackend) {
    this.#backend = backend;
    const { elements } = backend.desktop;
    if (!elements) throw new Error("the fake has no elements");
    this.#initial = elements.nodes;
    elements.onPerform = (node, action) => this.#hear(node, action);
  }

  get events(): readonly AppEvent[] {
    const { events } = this.#backend.desktop;
    for (const line of events.slice(this.#heard)) this.#read(line);
    this.#heard = events.length;
    return this.#said;
  }

  async reset(): Promise<void> {
    const { desktop } = this.#backend;
    for (const { id } of desktop.windows) if (id !== windowId) desktop.close(id);
    desktop.update(windowId, {
      title: titles.window,
      bounds: window,
      isMinimized: false,
      isMaximized: false,
      isVisible: true,
    });
    desktop.activate(windowId);
    if (desktop.elements) desktop.elements.nodes = this.#initial;
    this.#paint(colours.left, colours.right);
    this.#heard = desktop.events.length;
    this.#said = [];
  }

  async act(command: Parameters<KnownApp["act"]>[0]): Promise<void> {
    const { desktop } = this.#backend;
    switch (command) {
      case "swap colours":
        return this.#paint(colours.right, colours.left);
      case "focus field":
        return desktop.elements?.focus("field");
      case "remove button":
        if (desktop.elements) {
          desktop.elements.nodes = desktop.elements.nodes.filter(({ runtimeId }) => runtimeId !== "button");
        }
        return;
      case "retitle":
        return desktop.update(windowId, { title: titles.renamed });
      case "open dialog":
        return desktop.open({ id: dialogId, title: titles.dialog, kind: "dialog", pid });
      case "check":
        return desktop.elements?.mark("check", "checked");
    }
  }

  async pad(): Promise<Rect> {
    return padAt;
  }

  async place(name: string): Promise<Rect> {
    const bounds = controls.find((node) => node.name === name)?.bounds;
    if (!bounds) throw new Error(`nothing is called ${name}`);
    return bounds;
  }

  async window(): Promise<Rect> {
    return this.#backend.desktop.need(windowId).bounds;
  }

  async text(): Promise<string> {
    return String(this.#backend.desktop.elements?.find("field")?.value ?? "");
  }

  async freeze(): Promise<AsyncDisposable> {
    return freeze(this.#backend, pid);
  }

  #paint(left: number, right: number): void {
    const half = { ...padAt, width: padAt.width / 2 };
    this.#backend.desktop.paint({ windowId, rect: half, colour: left });
    this.#backend.desktop.paint({ windowId, rect: { ...half, x: centre(padAt).x }, colour: right });
  }

  #hear({ name, role }: UiNode, action: NodeAction): void {
    if (action.name === "press") this.#said.push({ event: "pressed", name });
    if (action.name === "select") this.#said.push({ event: "selected", name });
    if (action.name === "toggle") this.#said.push({ event: "toggled", name, on: true });
    if (action.name === "expand" || action.name === "collapse") {
      this.#said.push({ event: "expanded", name, on: action.name === "expand" });
    }
    if (action.name === "set_value" && role === "slider") {
      this.#said.push({ event: "value", name, value: Number(action.value) });
    }
  }

  /** "move 10,20", "down left", "wheel 0,3", "key down shift" */
  #read(line: string): void {
    const [first = "", second = "", third = ""] = line.split(" ");
    const [x = 0, y = 0] = second.split(",").map(Number);
    if (first === "move") {
      this.#at = { x, y };
      this.#said.push({ event: "move", x, y, isHeld: this.#isHeld });
    } else if (first === "wheel") this.#said.push({ event: "wheel", x, y });
    else if (first === "key") this.#said.push({ event: "key", key: third, isDown: second === "down" });
    else if (first === "down" || first === "up") {
      this.#isHeld = first === "down";
      this.#said.push({ event: this.#isHeld ? "press" : "release", button: second as Button, ...this.#at });
    }
  }
}
