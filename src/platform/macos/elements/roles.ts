import type { Role } from "../../../base/roles.ts";

const bySubrole: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["AXToggle", "togglebutton"],
  ["AXSwitch", "switch"],
  ["AXOutlineRow", "treeitem"],
  ["AXDialog", "dialog"],
  ["AXSystemDialog", "dialog"],
]);

const byRole: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["AXApplication", "application"],
  ["AXWindow", "window"],
  ["AXSheet", "dialog"],
  ["AXGroup", "group"],
  ["AXSplitGroup", "group"],
  ["AXRadioGroup", "group"],
  ["AXLayoutArea", "canvas"],
  ["AXToolbar", "toolbar"],
  ["AXMenuBar", "menubar"],
  ["AXMenuBarItem", "menu"],
  ["AXMenu", "menu"],
  ["AXMenuItem", "menuitem"],
  ["AXMenuButton", "button"],
  ["AXButton", "button"],
  ["AXDisclosureTriangle", "button"],
  ["AXCheckBox", "checkbox"],
  ["AXRadioButton", "radio"],
  ["AXLink", "link"],
  ["AXTextField", "textbox"],
  ["AXTextArea", "textbox"],
  ["AXComboBox", "combobox"],
  ["AXPopUpButton", "combobox"],
  ["AXIncrementor", "spinbutton"],
  ["AXSlider", "slider"],
  ["AXProgressIndicator", "progressbar"],
  ["AXBusyIndicator", "progressbar"],
  ["AXLevelIndicator", "progressbar"],
  ["AXScrollBar", "scrollbar"],
  ["AXScrollArea", "scrollarea"],
  ["AXTabGroup", "tablist"],
  ["AXList", "list"],
  ["AXOutline", "tree"],
  ["AXBrowser", "tree"],
  ["AXTable", "table"],
  ["AXGrid", "table"],
  ["AXRow", "row"],
  ["AXCell", "cell"],
  ["AXStaticText", "text"],
  ["AXHeading", "heading"],
  ["AXImage", "image"],
  ["AXWebArea", "document"],
  ["AXSplitter", "separator"],
  ["AXHelpTag", "tooltip"],
]);

export const roleOf = (role: string, subrole: string): Role => bySubrole.get(subrole) ?? byRole.get(role) ?? "unknown";

/** They hold other elements; a hit on one is walked on to what lies in it. */
export const containers: ReadonlySet<string> = new Set([
  "AXApplication",
  "AXWindow",
  "AXGroup",
  "AXSplitGroup",
  "AXScrollArea",
  "AXTabGroup",
  "AXList",
  "AXOutline",
  "AXTable",
  "AXRow",
  "AXCell",
  "AXWebArea",
  "AXToolbar",
]);

/** Their value is text, whatever type it is given as. */
export const textRoles: ReadonlySet<string> = new Set(["AXTextField", "AXTextArea", "AXComboBox"]);
/** Their value is a number. */
export const numberRoles: ReadonlySet<string> = new Set(["AXSlider", "AXIncrementor", "AXScrollBar"]);
/** Pressing them changes a state of their own. */
export const toggleRoles: ReadonlySet<string> = new Set(["AXCheckBox"]);
export const rowRoles: ReadonlySet<string> = new Set(["AXRow"]);
/** They keep which of their rows are selected. */
export const rowContainers: ReadonlySet<string> = new Set(["AXOutline", "AXTable", "AXList", "AXBrowser", "AXGrid"]);
