import { ToolError } from "../../base/errors.ts";
import { clampInto, contains, intersect, screenPoint, type Rect, type ScreenPoint } from "../../base/geometry.ts";
import type { Pixels } from "../../base/frame.ts";
import { isModifier, type Key } from "../../base/keys.ts";
import type { NodeAction, UiNode } from "../../base/node.ts";
import type {
  Apps,
  Backend,
  Button,
  CallOptions,
  CaptureArea,
  Elements,
  Keyboard,
  Pointer,
  Screen,
  WindowInfo,
  Windows,
} from "../backend.ts";
import type { AndroidDevice } from "./device.ts";
import { devicePid, deviceWindowId } from "./identity.ts";
import { keyCodeOf } from "./keys.ts";

// ViewConfiguration: a press becomes long after 400 to 500 ms.
const longPressMs = 700;
// Slow enough not to be a fling, so that a list stops where the finger does.
const scrollMs = 400;
const dragMs = 500;
// Swipes that begin at the very edge belong to the system: back, home, notifications.
const edge = 0.12;
const screenPerNotch = 0.1;

/** A device as a surface: its display is the screen, what is in front its one window, a finger the pointer. */
export function deviceBackend(device: AndroidDevice): Backend {
  return {
    id: `android ${device.serial}`,
    screen: screenOf(device),
    pointer: pointerOf(device),
    keyboard: keyboardOf(device),
    windows: windowsOf(device),
    elements: elementsOf(device),
    apps: appsOf(device),
    diagnose: async () => [
      {
        ability: "connection",
        status: "ok",
        detail: `${device.serial}: ${device.facts.model}, Android ${device.facts.android}`,
      },
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}

function screenOf(device: AndroidDevice): Screen {
  return {
    async displays(options = {}) {
      const bounds = await device.bounds(options);
      const { density } = await device.display(options);
      const names = device.displays.length > 0 ? device.displays.map(({ name }) => name) : ["display"];
      return names.map((name, id) => ({ id, name, bounds, isPrimary: id === 0, scale: density / 160 }));
    },
    bounds: (options = {}) => device.bounds(options),
    async capture(area: CaptureArea, options = {}) {
      const display =
        area.kind === "display" && device.displays.length > 1 ? needDisplay(device, area.displayId) : undefined;
      const pixels = await device.capture(display, options);
      const screen = { x: 0, y: 0, width: pixels.width, height: pixels.height };
      if (area.kind !== "region") return { pixels, bounds: screen, [Symbol.dispose]() {} };
      const part = intersect(area.rect, screen);
      if (!part)
        throw new ToolError("out_of_bounds", `The region is off the screen (${screen.width}×${screen.height}).`);
      return { pixels: cut(pixels, part), bounds: part, [Symbol.dispose]() {} };
    },
  };
}

function needDisplay(device: AndroidDevice, id: number): string {
  const display = device.displays[id];
  if (display) return display.id;
  throw new ToolError("not_found", `There is no display ${id}.`, { hint: `It has ${device.displays.length}.` });
}

function cut({ data, format, stride }: Pixels, { x, y, width, height }: Rect): Pixels {
  const from = y * stride + x * (format === "rgb" ? 3 : 4);
  return {
    data: data.subarray(from, from + (height - 1) * stride + width * (format === "rgb" ? 3 : 4)),
    format,
    stride,
    width,
    height,
  };
}

/** A finger: what is pressed, moved and let go goes out as one gesture when it is let go. */
function pointerOf(device: AndroidDevice): Pointer {
  let at = screenPoint(0, 0);
  let pressed: { readonly from: ScreenPoint; readonly since: number; readonly button: Button } | undefined;
  const touch = async (button: Button, options: CallOptions): Promise<void> => {
    if (button === "left") await device.tap(at, options);
    else if (button === "right") await device.swipe(at, at, { ...options, durationMs: longPressMs });
    else if (button === "back") await device.press("KEYCODE_BACK", options);
    else throw new ToolError("not_supported", `A touch screen has no ${button} button.`);
  };
  return {
    position: async () => at,
    async move(to) {
      at = to;
    },
    async down(button) {
      pressed = { from: at, since: performance.now(), button };
    },
    async up(button, options = {}) {
      const was = pressed;
      pressed = undefined;
      if (was?.button !== button) return;
      const isStill = Math.abs(was.from.x - at.x) < 8 && Math.abs(was.from.y - at.y) < 8;
      const heldMs = performance.now() - was.since;
      if (!isStill) await device.swipe(was.from, at, { ...options, durationMs: Math.max(dragMs, heldMs) });
      else if (heldMs > longPressMs) await device.swipe(at, at, { ...options, durationMs: heldMs });
      else await touch(button, options);
    },
    tap: (button, options = {}) => touch(button, options),
    wheel: ({ x, y }, options = {}) => scroll(device, at, { x, y }, options),
  };
}

async function scroll(
  device: AndroidDevice,
  at: ScreenPoint,
  notches: { readonly x: number; readonly y: number },
  options: CallOptions,
): Promise<void> {
  const screen = await device.bounds(options);
  const inner: Rect = {
    x: Math.round(screen.width * edge),
    y: Math.round(screen.height * edge),
    width: Math.round(screen.width * (1 - 2 * edge)),
    height: Math.round(screen.height * (1 - 2 * edge)),
  };
  const centre = contains(screen, at) && (at.x !== 0 || at.y !== 0) ? at : middleOf(screen);
  let [left, down] = [notches.x * screenPerNotch * screen.width, notches.y * screenPerNotch * screen.height];
  while (Math.abs(left) >= 1 || Math.abs(down) >= 1) {
    const across = Math.sign(left) * Math.min(Math.abs(left), inner.width);
    const along = Math.sign(down) * Math.min(Math.abs(down), inner.height);
    // The content follows the finger, so the finger goes the other way.
    const start = clampInto(inner, { x: centre.x + across / 2, y: centre.y + along / 2 });
    const end = clampInto(inner, { x: start.x - across, y: start.y - along });
    const from = { x: end.x + across, y: end.y + along };
    await device.swipe(screenPoint(from.x, from.y), screenPoint(end.x, end.y), { ...options, durationMs: scrollMs });
    left -= across;
    down -= along;
  }
}

/** Keys go out when they are struck, with the modifiers held at that moment; a modifier alone when it is let go. */
function keyboardOf(device: AndroidDevice): Keyboard {
  let held: Key[] = [];
  let isStruck = false;
  const codeOf = (key: Key): string => {
    const code = keyCodeOf(key);
    if (code !== undefined) return code;
    throw new ToolError("not_supported", `Android has no key "${key}".`, { hint: "Use type_text for text." });
  };
  return {
    async down(key, options = {}) {
      if (isModifier(key)) {
        held.push(key);
        isStruck = false;
        return;
      }
      isStruck = true;
      if (held.length > 0) await device.chord([...held, key].map(codeOf), options);
      else if (keyCodeOf(key) === undefined) await device.type(key, options);
      else await device.press(codeOf(key), options);
    },
    async up(key, options = {}) {
      if (!isModifier(key)) return;
      const alone = held.length === 1 && !isStruck;
      held = held.filter((each) => each !== key);
      if (alone) await device.press(codeOf(key), options);
    },
    async text(text, options = {}) {
      await device.type(text, options);
    },
  };
}

function windowsOf(device: AndroidDevice): Windows {
  const only = async (options: CallOptions): Promise<WindowInfo> => {
    const { front, size } = await device.glance(options);
    return {
      id: deviceWindowId,
      title: front?.activity ?? "",
      appName: front?.package ?? "",
      className: front?.activity ?? "",
      pid: devicePid,
      processName: front?.package ?? "",
      kind: "normal",
      bounds: { x: 0, y: 0, ...size },
      isVisible: true,
      isMinimized: false,
      isMaximized: true,
      isFullscreen: true,
      isForeground: true,
      canMinimize: false,
      canMaximize: false,
      displayId: 0,
    };
  };
  return {
    list: async (options = {}) => [await only(options)],
    get: async (id, options = {}) => (id === deviceWindowId ? only(options) : undefined),
    active: async () => deviceWindowId,
    async change(_id, { to }, options = {}) {
      if (to === "focus" || to === "front" || to === "restore" || to === "maximize") return;
      if (to === "minimize") {
        await device.press("KEYCODE_HOME", options);
        return;
      }
      if (to === "close") {
        await device.press("KEYCODE_BACK", options);
        return;
      }
      throw new ToolError("not_supported", `What is on a device's screen cannot be changed with "${to}".`);
    },
  };
}

function appsOf(device: AndroidDevice): Apps {
  return {
    async running(options = {}) {
      const front = await device.foreground(options);
      return front
        ? [{ name: front.package, pid: devicePid, executable: front.activity, windowIds: [deviceWindowId] }]
        : [];
    },
    installed: async (options = {}) =>
      (await device.apps({ ...options, all: false })).map((name) => ({ id: name, name, executable: name })),
    async launch(app, args, options = {}) {
      if (args.length > 0) throw new ToolError("not_supported", "Apps of a device take no arguments.");
      await device.launch(app, options);
      return { pid: devicePid };
    },
    async quit() {
      throw new ToolError("not_supported", "Apps of a device are left, not ended.", {
        hint: "Press KEYCODE_HOME with android_press_key.",
      });
    },
  };
}

function elementsOf(device: AndroidDevice): Elements {
  const find = (nodes: readonly UiNode[], id: string): UiNode | undefined =>
    nodes.find((node) => node.runtimeId === id);
  const recent = (timeoutMs: number | undefined, signal: AbortSignal | undefined) =>
    timeoutMs === undefined ? device.recentNodes({ signal }) : device.quickNodes({ signal });
  return {
    async tree(_scope, { maxNodes, root, signal, timeoutMs }) {
      const all = await (timeoutMs === undefined ? device.nodes({ signal }) : device.quickNodes({ signal }));
      const nodes = root === undefined ? all : below(all, root);
      return limit(nodes, maxNodes);
    },
    async at(point, { timeoutMs, signal } = {}) {
      const nodes = await recent(timeoutMs, signal);
      const hit = nodes.filter(({ bounds }) => bounds && contains(bounds, point));
      const innermost = hit.at(-1);
      return innermost ? [innermost, ...ancestors(nodes, innermost)] : [];
    },
    async focused({ timeoutMs, signal } = {}) {
      return (await recent(timeoutMs, signal)).findLast(({ states }) => states.includes("focused"));
    },
    async read(runtimeIds, { signal } = {}) {
      const nodes = await device.recentNodes({ signal });
      return runtimeIds.map((id) => find(nodes, id));
    },
    async perform(runtimeId, action, { signal } = {}) {
      const node = find(await device.recentNodes({ signal }), runtimeId);
      if (!node) {
        throw new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
      }
      return { via: await perform(device, node, action, { signal }) };
    },
    async text(runtimeId, { maxChars, signal }) {
      const node = find(await device.recentNodes({ signal }), runtimeId);
      if (!node || node.states.includes("password")) return undefined;
      const text = String(node.value ?? node.name);
      return { text: text.slice(0, maxChars), length: text.length };
    },
  };
}

async function perform(device: AndroidDevice, node: UiNode, action: NodeAction, options: CallOptions): Promise<string> {
  const at = node.clickPoint ?? (node.bounds && middleOf(node.bounds));
  if (!at) throw new ToolError("not_dispatchable", `${node.role} "${node.name}" is not on the screen.`);
  switch (action.name) {
    case "press":
    case "toggle":
    case "select":
    case "focus":
      return device.tap(at, options);
    case "menu":
      return device.swipe(at, at, { ...options, durationMs: longPressMs });
    case "set_value": {
      if (!node.states.includes("focused")) await device.tap(at, options);
      const length = String(node.value ?? "").length || (node.states.includes("password") ? mostHidden : 0);
      // From wherever the cursor is, this much in both directions is all of it.
      for (let left = length; left > 0; left -= keysPerCall) {
        const count = Math.min(left, keysPerCall);
        const keys = [...Array<string>(count).fill("KEYCODE_DEL"), ...Array<string>(count).fill("KEYCODE_FORWARD_DEL")];
        await device.pressMany(keys, options);
      }
      const text = String(action.value);
      return text === "" ? "input keyevent" : device.type(text, options);
    }
    case "expand":
    case "collapse":
    case "scroll_into_view":
    case "scroll_to":
      throw new ToolError("not_dispatchable", `Android has no "${action.name}" for ${node.role} "${node.name}".`, {
        hint: action.name.startsWith("scroll") ? "Use scroll or android_swipe." : "Click it.",
      });
  }
}

// How many characters a hidden text has is not told.
const mostHidden = 64;
const keysPerCall = 100;

const middleOf = ({ x, y, width, height }: Rect): ScreenPoint =>
  screenPoint(Math.floor(x + width / 2), Math.floor(y + height / 2));

function ancestors(nodes: readonly UiNode[], node: UiNode): readonly UiNode[] {
  const found: UiNode[] = [];
  for (let parent = node.parent; parent !== undefined;) {
    const next = nodes.find(({ runtimeId }) => runtimeId === parent);
    if (!next) break;
    found.push(next);
    parent = next.parent;
  }
  return found;
}

function below(nodes: readonly UiNode[], root: string): readonly UiNode[] {
  const inside = new Set([root]);
  const found = nodes.filter((node) => {
    const isIn = node.runtimeId === root || (node.parent !== undefined && inside.has(node.parent));
    if (isIn) inside.add(node.runtimeId);
    return isIn;
  });
  if (found.length > 0) return found;
  throw new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
}

function limit(nodes: readonly UiNode[], maxNodes: number) {
  const kept = nodes.slice(0, maxNodes);
  const omitted = new Map<string, number>();
  const last = kept.at(-1)?.runtimeId ?? "";
  for (const { parent = last } of nodes.slice(maxNodes)) omitted.set(parent, (omitted.get(parent) ?? 0) + 1);
  return { nodes: kept, omitted: [...omitted].map(([parent, count]) => ({ parent, count })) };
}
