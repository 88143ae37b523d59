import type { Role } from "../../../base/roles.ts";

/** What a window of a known class is, and which messages it understands. */
export type ControlKind =
  | "button"
  | "check"
  | "radio"
  | "group"
  | "edit"
  | "static"
  | "combo"
  | "listBox"
  | "listView"
  | "treeView"
  | "tabs"
  | "trackBar"
  | "progress"
  | "other";

interface Known {
  readonly kind: ControlKind;
  readonly role: Role;
}

const byClass: Readonly<Record<string, Known>> = {
  edit: { kind: "edit", role: "textbox" },
  static: { kind: "static", role: "text" },
  combobox: { kind: "combo", role: "combobox" },
  comboboxex32: { kind: "combo", role: "combobox" },
  listbox: { kind: "listBox", role: "list" },
  syslistview32: { kind: "listView", role: "list" },
  systreeview32: { kind: "treeView", role: "tree" },
  systabcontrol32: { kind: "tabs", role: "tablist" },
  msctls_trackbar32: { kind: "trackBar", role: "slider" },
  msctls_progress32: { kind: "progress", role: "progressbar" },
  msctls_updown32: { kind: "other", role: "spinbutton" },
  msctls_statusbar32: { kind: "other", role: "statusbar" },
  toolbarwindow32: { kind: "other", role: "toolbar" },
  rebarwindow32: { kind: "other", role: "toolbar" },
  sysheader32: { kind: "other", role: "group" },
  tooltips_class32: { kind: "other", role: "tooltip" },
  scrollbar: { kind: "other", role: "scrollbar" },
  syslink: { kind: "button", role: "link" },
  "#32770": { kind: "other", role: "dialog" },
  "#32768": { kind: "other", role: "menu" },
};

const pushLike = 0x1000;
const buttonKinds: readonly (readonly [ControlKind, Role])[] = [
  ["button", "button"],
  ["button", "button"],
  ["check", "checkbox"],
  ["check", "checkbox"],
  ["radio", "radio"],
  ["check", "checkbox"],
  ["check", "checkbox"],
  ["group", "group"],
  ["button", "button"],
  ["radio", "radio"],
];

export function kindOf(className: string, style: number, isTop: boolean): Known {
  const name = className.toLowerCase();
  if (name === "button") {
    const [kind, role] = buttonKinds[style & 0xf] ?? ["button", "button"];
    return { kind, role: (style & pushLike) !== 0 && kind === "check" ? "togglebutton" : role };
  }
  // RICHEDIT50W, RichEdit20W, and what frameworks derive from the standard classes.
  if (name.startsWith("richedit")) return { kind: "edit", role: "textbox" };
  return byClass[name] ?? { kind: "other", role: isTop ? "window" : "group" };
}

export const message = {
  getText: 0x0d,
  setText: 0x0c,
  button: { getCheck: 0xf0, setCheck: 0xf1, click: 0xf5 },
  edit: { select: 0xb1, replace: 0xc2 },
  combo: { count: 0x146, selected: 0x147, text: 0x148, length: 0x149, select: 0x14e, drop: 0x14f, isDropped: 0x157 },
  listBox: { count: 0x18b, text: 0x189, length: 0x18a, isSelected: 0x187, select: 0x186, rect: 0x198, setTop: 0x197 },
  listView: { count: 0x1004, rect: 0x100e, ensureVisible: 0x1013, setState: 0x102b, getState: 0x102c, text: 0x1073 },
  treeView: { expand: 0x1102, rect: 0x1104, next: 0x110a, select: 0x110b, ensureVisible: 0x1114, item: 0x113e },
  tabs: { count: 0x1304, rect: 0x130a, selected: 0x130b, focus: 0x1330, item: 0x133c },
  trackBar: { position: 0x400, minimum: 0x401, maximum: 0x402, setPosition: 0x405, lineSize: 0x418 },
  progress: { range: 0x407, position: 0x408 },
  command: 0x111,
  notify: 0x4e,
  horizontalScroll: 0x114,
  verticalScroll: 0x115,
} as const;

/** A label's text without the mark of its access key and the colon before its field. */
export const withoutMnemonic = (text: string): string => text.replaceAll(/&(.)/g, "$1").replace(/:\s*$/, "").trim();
