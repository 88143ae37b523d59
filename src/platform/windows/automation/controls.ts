import { centre, intersect, type Rect } from "../../../base/geometry.ts";
import type { NodeActionName, NodeState, UiNode } from "../../../base/node.ts";
import type { Role } from "../../../base/roles.ts";
import { itemText, readItems, type ControlItem } from "./control-items.ts";
import { kindOf, message, withoutMnemonic, type ControlKind } from "./control-kinds.ts";
import type { Deadline } from "./deadline.ts";
import type { WindowFacts } from "./window.ts";

/** A window inside a window, as its class and its messages describe it. */
export interface Control {
  readonly hwnd: number;
  readonly root: number;
  readonly kind: ControlKind;
  readonly role: Role;
  readonly className: string;
  readonly style: number;
}

const editStyle = { multiline: 4, password: 0x20, readOnly: 0x800 } as const;
const dropDownList = 3;
const comboKindMask = 3;
const longestValue = 500;
const checked = { on: 1, mixed: 2 } as const;
const tabStop = 0x10000;

export function controlOf(facts: WindowFacts, hwnd: number): Control {
  const root = facts.rootOf(hwnd);
  const [className, style] = [facts.classOf(hwnd), facts.styleOf(hwnd)];
  return { hwnd, root, className, style, ...kindOf(className, style, root === hwnd) };
}

/** A combo box shows its own field and list; the windows inside it say nothing more. */
export const hasWindowsInside = ({ kind }: Control): boolean => kind !== "combo" && kind !== "listView";

export const controlId = (hwnd: number): string => `h${hwnd}`;
export const itemId = (hwnd: number, key: string): string => `h${hwnd}/${key}`;

export function parseControlId(id: string): { readonly hwnd: number; readonly key: string | undefined } | undefined {
  const match = /^h(\d+)(?:\/(\d+))?$/.exec(id);
  return match ? { hwnd: Number(match[1]), key: match[2] } : undefined;
}

interface Placed {
  readonly parent: string | undefined;
  readonly clip: Rect | undefined;
  readonly focus: number;
  readonly deadline: Deadline;
}

export function toControlNode(facts: WindowFacts, control: Control, placed: Placed): UiNode {
  const { hwnd, root, kind, role, className, style } = control;
  const { parent, clip, focus, deadline } = placed;
  const bounds = facts.boundsOf(hwnd);
  const shown = bounds && (clip ? intersect(bounds, clip) : bounds);
  const isShowing = shown !== undefined && facts.win32.isVisible(hwnd) !== 0;
  const isEnabled = facts.isEnabled(hwnd) && facts.isEnabled(root);
  const details = readDetails(facts, control, deadline);
  const states: NodeState[] = [...details.states];
  if (isEnabled) states.push("enabled");
  if (isShowing) states.push("showing");
  if ((style & tabStop) !== 0 || kind === "edit") states.push("focusable");
  if (focus === hwnd) states.push("focused");
  if (hwnd === root && facts.win32.foreground() === hwnd) states.push("active");
  return {
    runtimeId: controlId(hwnd),
    parent,
    role: details.role ?? role,
    nativeRole: className,
    name: nameOf(facts, control, deadline),
    automationId: hwnd === root || facts.idOf(hwnd) <= 0 ? undefined : String(facts.idOf(hwnd)),
    value: details.value,
    ...(details.textLength === undefined ? {} : { textLength: details.textLength }),
    range: details.range,
    bounds,
    clickPoint: shown && isShowing ? centre(shown) : undefined,
    states,
    actions: isEnabled ? actionsOf(control, states) : [],
    pid: facts.pidOf(hwnd),
    windowId: root,
  };
}

/** Read around the control itself, so that a list tells its rows and a tree its nodes. */
export function itemsOf(
  facts: WindowFacts,
  control: Control,
  { clip, deadline }: Pick<Placed, "clip" | "deadline">,
): { readonly nodes: readonly UiNode[]; readonly omitted: number } {
  const { items, omitted } = readItems(facts, control.hwnd, control.kind, deadline);
  const isEnabled = facts.isEnabled(control.hwnd);
  return { nodes: items.map((item) => toItemNode(facts, control, item, clip, isEnabled)), omitted };
}

function toItemNode(
  facts: WindowFacts,
  { hwnd, root, className }: Control,
  item: ControlItem,
  clip: Rect | undefined,
  isEnabled: boolean,
): UiNode {
  const shown = item.bounds && (clip ? intersect(item.bounds, clip) : item.bounds);
  const states: NodeState[] = ["selectable"];
  if (isEnabled) states.push("enabled");
  if (shown) states.push("showing");
  if (item.isSelected) states.push("selected");
  if (item.isExpanded !== undefined) states.push("expandable", item.isExpanded ? "expanded" : "collapsed");
  const canScroll = item.role !== "tab";
  const opening: readonly NodeActionName[] =
    item.isExpanded === undefined ? [] : [item.isExpanded ? "collapse" : "expand"];
  return {
    runtimeId: itemId(hwnd, item.key),
    parent: item.parent === undefined ? controlId(hwnd) : itemId(hwnd, item.parent),
    role: item.role,
    nativeRole: `${className} item`,
    name: item.name,
    bounds: item.bounds,
    clickPoint: shown && centre(shown),
    states,
    actions: isEnabled ? ["select", ...opening, ...(canScroll ? (["scroll_into_view"] as const) : [])] : [],
    pid: facts.pidOf(hwnd),
    windowId: root,
  };
}

interface Details {
  readonly role?: Role;
  readonly value?: string | number;
  readonly textLength?: number;
  readonly range?: { readonly min: number; readonly max: number; readonly step?: number };
  readonly states: readonly NodeState[];
}

export const isPasswordField = ({ kind, style }: Control): boolean =>
  kind === "edit" && (style & editStyle.password) !== 0;

function readDetails(facts: WindowFacts, control: Control, deadline: Deadline): Details {
  const { hwnd, kind, style, role } = control;
  const ask = (id: number, w = 0): number => facts.send(hwnd, id, { w, deadline });
  switch (kind) {
    case "check":
    case "radio": {
      const state = ask(message.button.getCheck);
      const isOn = role === "togglebutton" ? "pressed" : "checked";
      return {
        states: [
          "checkable",
          ...(state === checked.on ? ([isOn] as const) : state === checked.mixed ? (["mixed"] as const) : []),
        ],
      };
    }
    case "edit": {
      const isReadOnly = (style & editStyle.readOnly) !== 0;
      const states: NodeState[] = [isReadOnly ? "readonly" : "editable"];
      if ((style & editStyle.multiline) !== 0) states.push("multiline");
      if (isPasswordField(control)) return { states: [...states, "password"] };
      const text = facts.textOf(hwnd, deadline).replaceAll("\r\n", "\n");
      const isCut = text.length > longestValue;
      return { states, value: text.slice(0, longestValue), ...(isCut ? { textLength: text.length } : {}) };
    }
    case "combo": {
      const isOpen = ask(message.combo.isDropped) !== 0;
      const isList = (style & comboKindMask) === dropDownList;
      const index = ask(message.combo.selected) | 0;
      const value = isList
        ? index < 0
          ? ""
          : itemText(facts, hwnd, message.combo, index, deadline)
        : facts.textOf(hwnd, deadline);
      return {
        value,
        states: ["expandable", isOpen ? "expanded" : "collapsed", ...(isList ? [] : ["editable" as const])],
      };
    }
    case "trackBar": {
      const step = ask(message.trackBar.lineSize) | 0;
      // Under Wine a track bar may come to answer 0 to everything; what cannot be read has not changed.
      const known = step === 0 ? lastRead.get(hwnd) : undefined;
      if (known) return known;
      const details: Details = {
        value: ask(message.trackBar.position) | 0,
        range: {
          min: ask(message.trackBar.minimum) | 0,
          max: ask(message.trackBar.maximum) | 0,
          step: Math.max(1, step),
        },
        states: [],
      };
      if (step !== 0) lastRead.set(hwnd, details);
      return details;
    }
    case "progress":
      return {
        value: ask(message.progress.position) | 0,
        range: { min: ask(message.progress.range, 1) | 0, max: ask(message.progress.range, 0) | 0 },
        states: [],
      };
    default:
      return { states: [] };
  }
}

/** Track bars as they last answered. */
const lastRead = new Map<number, Details>();

const labelled: ReadonlySet<ControlKind> = new Set([
  "edit",
  "combo",
  "listBox",
  "listView",
  "treeView",
  "tabs",
  "trackBar",
  "progress",
]);

/** A field's own text is its content; what a person calls it stands in the label before it. */
function nameOf(facts: WindowFacts, { hwnd, root, kind }: Control, deadline: Deadline): string {
  if (!labelled.has(kind)) return withoutMnemonic(facts.textOf(hwnd, deadline));
  if (kind !== "edit" && kind !== "combo") {
    const own = withoutMnemonic(facts.textOf(hwnd, deadline));
    if (own !== "") return own;
  }
  const previous = 3;
  const before = hwnd === root ? 0 : facts.win32.relative(hwnd, previous);
  if (before === 0 || kindOf(facts.classOf(before), facts.styleOf(before), false).kind !== "static") return "";
  return withoutMnemonic(facts.textOf(before, deadline));
}

function actionsOf({ kind, style }: Control, states: readonly NodeState[]): readonly NodeActionName[] {
  switch (kind) {
    case "button":
      return ["press", "focus"];
    case "check":
      return ["press", "toggle", "set_value", "focus"];
    case "radio":
      return ["press", "select", "focus"];
    case "edit":
      return (style & editStyle.readOnly) === 0 ? ["set_value", "focus"] : ["focus"];
    case "combo":
      return ["set_value", states.includes("expanded") ? "collapse" : "expand", "focus"];
    case "trackBar":
      return ["set_value", "focus"];
    case "listBox":
    case "listView":
    case "treeView":
    case "tabs":
      return ["focus"];
    default:
      return [];
  }
}
