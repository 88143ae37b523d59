import { ToolError } from "../../../base/errors.ts";
import { type NodeAction, nothingToDo, type UiNode } from "../../../base/node.ts";
import { itemText } from "./control-items.ts";
import { message } from "./control-kinds.ts";
import type { Control } from "./controls.ts";
import type { Deadline } from "./deadline.ts";
import { ForeignMemory } from "./foreign-memory.ts";
import { gone, unsupported } from "./refusals.ts";
import type { WindowFacts } from "./window.ts";

export interface ControlTarget {
  readonly facts: WindowFacts;
  readonly control: Control;
  /** The item inside it, if that is meant. */
  readonly key: string | undefined;
  readonly node: UiNode;
  readonly deadline: Deadline;
}

/** How long to wait for an answer: a program that shows a modal dialog answers only when it is closed. */
const answerMs = 1000;

/** Acts by the control's own messages, and tells its owner what a person's input would have told it. */
export function performControl(target: ControlTarget, action: NodeAction): string {
  const { control, key, node } = target;
  const name = action.name;
  if (name !== "scroll_to" && !node.states.includes("enabled")) {
    throw new ToolError("not_dispatchable", `${show(target)} is disabled.`, { hint: "Do what enables it first." });
  }
  if (name === "scroll_to" || name === "menu" || !node.actions.includes(name)) throw unsupported(show(target), name);
  if (key !== undefined) return performItem(target, Number(key), name);
  switch (action.name) {
    case "press":
    case "toggle":
    case "select":
      return press(target);
    case "set_value":
      return setValue(target, action.value);
    case "expand":
    case "collapse":
      return tell(target, message.combo.drop, { w: action.name === "expand" ? 1 : 0 }, "CB_SHOWDROPDOWN");
    case "focus":
      return focus(target);
    default:
      throw unsupported(`${show(target)} (${control.kind})`, name);
  }
}

const show = ({ node: { nativeRole, name } }: ControlTarget): string =>
  `The ${nativeRole}${name === "" ? "" : ` "${name.slice(0, 80)}"`}`;

function tell(
  { facts, control: { hwnd }, deadline }: ControlTarget,
  id: number,
  { w = 0, l = null }: { readonly w?: number; readonly l?: Buffer | bigint | null },
  via: string,
): string {
  if (!facts.exists(hwnd)) throw gone();
  try {
    facts.send(hwnd, id, { w, l, deadline, atMostMs: answerMs });
    return via;
  } catch (error) {
    // Taken, but not answered: what it started, such as a modal dialog, has not ended yet.
    if (error instanceof ToolError && error.code === "timeout") return `${via}, not answered yet`;
    throw error;
  }
}

const buttonKind = 0xf;
const [autoCheck, threeStates] = [3, 6];

/** BM_CLICK would move the focus, which is an effect of its own. Radio buttons need it: they change their group. */
function press(target: ControlTarget): string {
  const { facts, control, deadline } = target;
  const { hwnd, kind, style } = control;
  if (kind === "radio" || control.role === "link") return tell(target, message.button.click, {}, "BM_CLICK");
  if (kind === "check") {
    const states = { [autoCheck]: 2, [threeStates]: 3 }[style & buttonKind];
    const now = facts.send(hwnd, message.button.getCheck, { deadline });
    // Others are set by their owner, once it hears of the click.
    if (states !== undefined) facts.send(hwnd, message.button.setCheck, { w: (now + 1) % states, deadline });
  }
  return notifyOwner(target, clicked, "BN_CLICKED");
}

const wide = (text: string): Buffer => Buffer.from(`${text}\0`, "utf16le");

function setValue(target: ControlTarget, value: string | number | boolean): string {
  const { facts, control, node, deadline } = target;
  const { hwnd, kind } = control;
  if (kind === "check") {
    const isOn = node.states.includes("checked") || node.states.includes("pressed");
    const wanted = typeof value === "boolean" ? value : value === "true" || value === 1 || value === "1";
    return isOn === wanted ? nothingToDo : press(target);
  }
  if (kind === "edit") {
    // Replacing the selection, unlike WM_SETTEXT, is reported to the owner for fields of several lines too.
    const text = String(value).replaceAll(/\r?\n/g, "\r\n");
    facts.send(hwnd, message.edit.select, { w: 0, l: 0xffffffffn, deadline });
    return tell(target, message.edit.replace, { w: 1, l: wide(text) }, "EM_REPLACESEL");
  }
  if (kind === "combo") return choose(target, String(value));
  return slide(target, Number(value));
}

const [clicked, selectionChanged] = [0, 1];

function choose(target: ControlTarget, text: string): string {
  const { facts, control, deadline } = target;
  const { hwnd } = control;
  const count = facts.send(hwnd, message.combo.count, { deadline });
  for (let index = 0; index < count; index++) {
    if (itemText(facts, hwnd, message.combo, index, deadline) !== text) continue;
    tell(target, message.combo.select, { w: index }, "CB_SETCURSEL");
    notifyOwner(target, selectionChanged, "CBN_SELCHANGE");
    return "CB_SETCURSEL";
  }
  throw new ToolError("invalid_argument", `${show(target)} has no entry "${text}".`, {
    hint: "Expand it, and use the text of one of its entries.",
  });
}

/** A control that is changed by a message does not tell its owner, as it does after input. */
function notifyOwner(target: ControlTarget, code: number, via: string): string {
  const { facts, control } = target;
  const { hwnd } = control;
  const owner = { ...target, control: { ...control, hwnd: facts.win32.ancestor(hwnd, 1) } };
  const w = ((code << 16) | (facts.idOf(hwnd) & 0xffff)) >>> 0;
  return tell(owner, message.command, { w, l: BigInt(hwnd) }, via);
}

const isVerticalStyle = 2;
const [thumbPosition, endTrack] = [4, 8];

function slide(target: ControlTarget, value: number): string {
  const { facts, control, node, deadline } = target;
  const { min = 0, max = 0 } = node.range ?? {};
  if (Number.isNaN(value) || value < min || value > max) {
    throw new ToolError("invalid_argument", `${show(target)} takes numbers from ${min} to ${max}.`);
  }
  const { hwnd, style } = control;
  const position = Math.round(value);
  const via = tell(target, message.trackBar.setPosition, { w: 1, l: BigInt(position) }, "TBM_SETPOS");
  const parent = facts.win32.ancestor(hwnd, 1);
  const scroll = (style & isVerticalStyle) === 0 ? message.horizontalScroll : message.verticalScroll;
  for (const w of [((position << 16) | thumbPosition) >>> 0, endTrack]) {
    facts.send(parent, scroll, { w, l: BigInt(hwnd), deadline, atMostMs: answerMs });
  }
  return via;
}

/** Only a thread that shares its input with the app's may move the app's focus. */
function focus(target: ControlTarget): string {
  const { facts, control } = target;
  const { win32 } = facts;
  const [own, other] = [win32.ownThread(), facts.threadOf(control.hwnd)];
  if (win32.attachInput(own, other, 1) === 0) {
    throw new ToolError("not_dispatchable", `${show(target)} cannot be given the focus from here.`, {
      hint: "Click it instead.",
    });
  }
  try {
    win32.setFocus(control.hwnd);
  } finally {
    win32.attachInput(own, other, 0);
  }
  return "SetFocus";
}

const [selectAndFocus, stateFlag] = [3, 8];
const [caret, expandItem, collapseItem] = [9, 2, 1];

function performItem(target: ControlTarget, item: number, name: string): string {
  const { facts, control, deadline } = target;
  const { hwnd, kind } = control;
  const { listBox, listView, treeView, tabs } = message;
  if (kind === "listBox") {
    if (name === "scroll_into_view") return tell(target, listBox.setTop, { w: item }, "LB_SETTOPINDEX");
    const via = tell(target, listBox.select, { w: item }, "LB_SETCURSEL");
    notifyOwner(target, selectionChanged, "LBN_SELCHANGE");
    return via;
  }
  if (kind === "treeView") {
    const l = BigInt(item);
    if (name === "scroll_into_view") return tell(target, treeView.ensureVisible, { l }, "TVM_ENSUREVISIBLE");
    if (name === "select") return tell(target, treeView.select, { w: caret, l }, "TVM_SELECTITEM");
    return tell(target, treeView.expand, { w: name === "expand" ? expandItem : collapseItem, l }, "TVM_EXPAND");
  }
  if (kind === "tabs") return tell(target, tabs.focus, { w: item }, "TCM_SETCURFOCUS");
  if (name === "scroll_into_view") return tell(target, listView.ensureVisible, { w: item }, "LVM_ENSUREVISIBLE");
  const isDone = ForeignMemory.lend(facts, hwnd, 128, (memory) => {
    const ask = Buffer.alloc(96);
    ask.writeUInt32LE(stateFlag, 0);
    // First nothing is selected, then this one: selecting adds to the selection.
    for (const [index, state] of [
      [-1, 0],
      [item, selectAndFocus],
    ] as const) {
      ask.writeUInt32LE(state, 12);
      ask.writeUInt32LE(selectAndFocus, 16);
      memory.write(ask);
      facts.send(hwnd, listView.setState, { w: BigInt.asUintN(64, BigInt(index)), l: memory.place, deadline });
    }
    return true;
  });
  if (!isDone) throw unsupported(show(target), name);
  return "LVM_SETITEMSTATE";
}
