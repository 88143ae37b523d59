import type { Role } from "../../../base/roles.ts";

/** UIAutomationClient.h: property ids. */
export const property = {
  runtimeId: 30000,
  bounds: 30001,
  processId: 30002,
  controlType: 30003,
  name: 30005,
  hasFocus: 30008,
  isFocusable: 30009,
  isEnabled: 30010,
  automationId: 30011,
  helpText: 30013,
  isPassword: 30019,
  isOffscreen: 30022,
  isRequired: 30025,
  canExpand: 30028,
  canInvoke: 30031,
  hasRange: 30033,
  canScroll: 30034,
  canScrollItem: 30035,
  canSelect: 30036,
  hasText: 30040,
  canToggle: 30041,
  hasValue: 30043,
  value: 30045,
  isReadOnly: 30046,
  rangeValue: 30047,
  isRangeReadOnly: 30048,
  rangeMinimum: 30049,
  rangeMaximum: 30050,
  rangeStep: 30052,
  expandState: 30070,
  isModal: 30077,
  isSelected: 30079,
  toggleState: 30086,
  hasLegacy: 30090,
  legacyAction: 30100,
  isValid: 30103,
} as const;

/** Without these an element is of no use to anybody. */
export const essential: ReadonlySet<number> = new Set([
  property.runtimeId,
  property.bounds,
  property.controlType,
  property.name,
  property.hasFocus,
  property.isFocusable,
  property.isEnabled,
  property.automationId,
  property.isPassword,
  property.isOffscreen,
  property.canExpand,
  property.canInvoke,
  property.hasRange,
  property.canScroll,
  property.canScrollItem,
  property.canSelect,
  property.hasText,
  property.canToggle,
  property.hasValue,
  property.value,
  property.rangeValue,
  property.expandState,
  property.isSelected,
  property.toggleState,
]);

export const pattern = {
  invoke: { id: 10000, interface: "fb377fbe-8ea6-46d5-9c73-6499642d3059" },
  value: { id: 10002, interface: "a94cd8b1-0844-4cd6-9d2d-640537ab39e9" },
  rangeValue: { id: 10003, interface: "59213f4f-7346-49e5-b120-80555987a148" },
  scroll: { id: 10004, interface: "88f4d42a-e881-459d-a77c-73bbbb7e02dc" },
  expandCollapse: { id: 10005, interface: "619be086-1f4e-4ee4-bafa-210128738730" },
  selectionItem: { id: 10010, interface: "a8efa66a-0fda-421a-9194-38021f3578ea" },
  text: { id: 10014, interface: "32eba289-3583-42c9-9c59-3b6d9a1e9b6a" },
  toggle: { id: 10015, interface: "94cf8058-9b8d-4ab9-8bfd-4cd0a33c8c70" },
  scrollItem: { id: 10017, interface: "b488300f-d015-4f19-9c29-bb595e3645ef" },
  legacy: { id: 10018, interface: "828055ad-355b-4435-86d5-3b51c14a9b1b" },
} as const;

export type PatternName = keyof typeof pattern;

const firstControlType = 50000;

/** Control types from 50000 on, with our role for each. */
const controlTypes: readonly (readonly [name: string, role: Role])[] = [
  ["Button", "button"],
  ["Calendar", "table"],
  ["CheckBox", "checkbox"],
  ["ComboBox", "combobox"],
  ["Edit", "textbox"],
  ["Hyperlink", "link"],
  ["Image", "image"],
  ["ListItem", "listitem"],
  ["List", "list"],
  ["Menu", "menu"],
  ["MenuBar", "menubar"],
  ["MenuItem", "menuitem"],
  ["ProgressBar", "progressbar"],
  ["RadioButton", "radio"],
  ["ScrollBar", "scrollbar"],
  ["Slider", "slider"],
  ["Spinner", "spinbutton"],
  ["StatusBar", "statusbar"],
  ["Tab", "tablist"],
  ["TabItem", "tab"],
  ["Text", "text"],
  ["ToolBar", "toolbar"],
  ["ToolTip", "tooltip"],
  ["Tree", "tree"],
  ["TreeItem", "treeitem"],
  ["Custom", "unknown"],
  ["Group", "group"],
  ["Thumb", "button"],
  ["DataGrid", "table"],
  ["DataItem", "row"],
  ["Document", "document"],
  ["SplitButton", "button"],
  ["Window", "window"],
  ["Pane", "group"],
  ["Header", "group"],
  ["HeaderItem", "columnheader"],
  ["Table", "table"],
  ["TitleBar", "toolbar"],
  ["Separator", "separator"],
  ["SemanticZoom", "group"],
  ["AppBar", "toolbar"],
];

export const controlTypeName = (type: number): string => controlTypes[type - firstControlType]?.[0] ?? `type ${type}`;

/** A button that keeps a state is a toggle button, as on every platform. */
export function roleOfControl(type: number, canToggle: boolean): Role {
  const role = controlTypes[type - firstControlType]?.[1] ?? "unknown";
  return role === "button" && canToggle ? "togglebutton" : role;
}
