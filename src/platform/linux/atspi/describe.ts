import { centre, intersect, type Rect } from "../../../base/geometry.ts";
import type { NodeActionName, NodeState, UiNode } from "../../../base/node.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, type App, type Ref } from "./app.ts";
import { canChoose, readChosen } from "./combo.ts";
import { hasPlace, type Element } from "./element.ts";
import { hasInterface, hasState, nativeRoleOf, roleNumber, roleOf, stateBit } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { readContent } from "./text.ts";

/** Details that cost an extra call, and are therefore read only where they matter. */
export interface Details {
  readonly value?: string | number;
  readonly textLength?: number;
  readonly range?: { readonly min: number; readonly max: number; readonly step?: number };
  readonly description?: string;
  readonly placeholder?: string;
  readonly automationId?: string;
  readonly label?: string;
}

/** Longer values are cut; `text` returns all of it. */
const longestValue = 500;

/** Synchronous when there is nothing to ask: most of a tree is labels and boxes. */
export function readDetails(app: App, element: Element, options: BusCallOptions): Details | Promise<Details> {
  const { path, role, name, description } = element;
  const asksValue = isNumeric(element) || role === roleNumber.comboBox || isTextField(element);
  const asksContent = name === "" && isTextBox(app, element);
  const known = isInteractive(element) && app.hasAutomationIds ? app.automationIds.get(path) : "";
  if (
    asksValue ||
    asksContent ||
    known === undefined ||
    (isInteractive(element) && isUnnamed(app, element) && description === "")
  ) {
    return askDetails(app, element, options);
  }
  if (known === "" && description === "") return noDetails;
  return { ...(description === "" ? {} : { description }), ...(known === "" ? {} : { automationId: known }) };
}

const noDetails: Details = {};

async function askDetails(app: App, element: Element, options: BusCallOptions): Promise<Details> {
  const { path, role } = element;
  const isCombo = role === roleNumber.comboBox && !isTextField(element);
  const [content, range, description, automationId, label, placeholder] = await Promise.all([
    isCombo ? readChosen(app, element, options).then(toValue) : readValue(app, element, options),
    isNumeric(element) ? readRange(app, path, options) : undefined,
    isUnnamed(app, element) && element.description === "" && isInteractive(element)
      ? optional(app.get<string>(path, "Accessible.Description", options))
      : element.description,
    isInteractive(element) ? readAutomationId(app, path, options) : undefined,
    readOtherName(app, element, options),
    isTextField(element) ? readAttribute(app, path, "placeholder-text", options) : undefined,
  ]);
  return {
    ...content,
    ...(range === undefined ? {} : { range }),
    ...(description ? { description } : {}),
    ...(automationId ? { automationId } : {}),
    ...(label ? { label } : {}),
    ...(placeholder ? { placeholder } : {}),
  };
}

/** A name from elsewhere: the label beside a combo box, or the text inside a box. */
function readOtherName(app: App, element: Element, options: BusCallOptions): Promise<string | undefined> | undefined {
  const { path, role, name } = element;
  if (role === roleNumber.comboBox && quirksOf(app.toolkit).namesComboByItem) return readLabel(app, path, options);
  return name === "" && isTextBox(app, element) ? readOwnText(app, path, options) : undefined;
}

/** Text directly in a box, not in an element inside it. */
async function readOwnText(app: App, path: string, options: BusCallOptions): Promise<string | undefined> {
  const content = await readContent(app, path, longestValue, options);
  return content?.text.replaceAll(/[\uFFFC\s]+/g, " ").trim();
}

const isTextBox = (app: App, element: Element): boolean =>
  quirksOf(app.toolkit).textIsContent &&
  hasInterface(element.interfaces, "Text") &&
  element.role !== roleNumber.documentWeb &&
  !isTextField(element) &&
  !isPassword(element);

const plain = new Set(["button", "togglebutton", "menu", "menuitem", "cell", "group", "tab", "checkbox", "radio"]);

/** LibreOffice offers a number for everything, which is 0; of a cell it shows something else. */
const isNumeric = ({ interfaces, role }: Element): boolean =>
  hasInterface(interfaces, "Value") && (!plain.has(roleOf(role)) || role === roleNumber.splitPane);

const isUnnamed = (app: App, element: Element): boolean => element.name === "" || isPlaceholder(app, element);

export const isPassword = ({ role }: Element): boolean => role === roleNumber.passwordText;

const isInteractive = ({ states }: Element): boolean => hasState(states, stateBit.focusable);

export const isTextField = ({ states, interfaces, role }: Element): boolean =>
  hasInterface(interfaces, "Text") && (hasState(states, stateBit.editable) || roleOf(role) === "textbox");

const toValue = (value: string | number | undefined): Details => (value === undefined ? {} : { value });

async function readValue(app: App, element: Element, options: BusCallOptions): Promise<Details> {
  if (isPassword(element)) return {};
  if (isNumeric(element)) {
    const value = await optional(app.get<number>(element.path, "Value.CurrentValue", options));
    if (typeof value === "number") return { value };
  }
  if (!isTextField(element)) return {};
  const content = await readContent(app, element.path, longestValue, options);
  return {
    ...toValue(content?.text),
    ...(content && content.length > longestValue ? { textLength: content.length } : {}),
  };
}

async function readRange(app: App, path: string, options: BusCallOptions): Promise<Details["range"]> {
  const [min, max, step] = await Promise.all([
    optional(app.get<number>(path, "Value.MinimumValue", options)),
    optional(app.get<number>(path, "Value.MaximumValue", options)),
    optional(app.get<number>(path, "Value.MinimumIncrement", options)),
  ]);
  if (typeof min !== "number" || typeof max !== "number") return undefined;
  return { min, max, ...(typeof step === "number" && step > 0 ? { step } : {}) };
}

const labelledBy = 2;

async function readLabel(app: App, path: string, options: BusCallOptions): Promise<string | undefined> {
  const reply = await optional(
    app.call<[readonly (readonly [number, readonly Ref[]])[]]>(path, "Accessible.GetRelationSet", "", [], options),
  );
  const label = reply?.[0].find(([kind]) => kind === labelledBy)?.[1][0];
  return label && optional(app.get<string>(label[1], "Accessible.Name", options));
}

async function readAutomationId(app: App, path: string, options: BusCallOptions): Promise<string | undefined> {
  if (!app.hasAutomationIds) return undefined;
  const known = app.automationIds.get(path);
  if (known !== undefined) return known;
  const id = await (quirksOf(app.toolkit).idIsAttribute ? readIdAttribute : readAccessibleId)(app, path, options);
  if (id === undefined) app.hasAutomationIds = false;
  else app.automationIds.set(path, id);
  return id;
}

const readAccessibleId = (app: App, path: string, options: BusCallOptions): Promise<string | undefined> =>
  optional(app.get<string>(path, "Accessible.AccessibleId", options));

async function readAttribute(app: App, path: string, name: string, options: BusCallOptions): Promise<string> {
  type Attributes = ReadonlyMap<string, string>;
  const reply = await optional(app.call<[Attributes]>(path, "Accessible.GetAttributes", "", [], options));
  return reply?.[0].get(name) ?? "";
}

async function readIdAttribute(app: App, path: string, options: BusCallOptions): Promise<string> {
  const id = await readAttribute(app, path, "id", options);
  // Chromium renumbers the elements of its own windows each time.
  return /^view_\d+$/.test(id) ? "" : id;
}

export interface Placed {
  readonly parent: string | undefined;
  /** In screen space. */
  readonly bounds: Rect | undefined;
  /** The part of the screen in which it can be visible. */
  readonly clip: Rect | undefined;
  readonly windowId: number | undefined;
}

export function toNode(app: App, element: Element, details: Details, placed: Placed): UiNode {
  const { bounds, clip } = placed;
  const shown = bounds && (clip ? intersect(bounds, clip) : bounds);
  const states = toStates(app, element, shown !== undefined);
  return {
    runtimeId: app.toId(element.path),
    parent: placed.parent === undefined ? undefined : app.toId(placed.parent),
    role: roleOf(element.role),
    nativeRole: nativeRoleOf(element.role),
    name: details.label ?? ownName(app, element),
    automationId: details.automationId,
    value: details.value,
    ...(details.textLength === undefined ? {} : { textLength: details.textLength }),
    range: details.range,
    description: details.description,
    placeholder: details.placeholder,
    bounds,
    clickPoint: shown && states.includes("showing") ? centre(shown) : undefined,
    states,
    actions: toActions(app, element),
    ...(quirksOf(app.toolkit).togglesOnly && checkables.has(roleOf(element.role)) ? { needsClick: true } : {}),
    pid: app.pid,
    windowId: placed.windowId,
  };
}

/** Without a name, GTK 4 reports a class name or "Tab"; see `nameFromLabels`. */
export const isPlaceholder = (app: App, { name, role }: Element): boolean =>
  quirksOf(app.toolkit).namesByClass &&
  (/^Gtk[A-Z]\w+$/.test(name) || (role === roleNumber.pageTab && name === "Tab") || name === "Tab list");

function ownName(app: App, element: Element): string {
  if (isPlaceholder(app, element)) return "";
  // Chromium adds a page's memory use to the name of its tab, which therefore keeps changing.
  if (app.toolkit === "chromium" && element.role === roleNumber.pageTab) return element.name.replace(tabMemory, "");
  if (app.toolkit === "gecko" && element.role === roleNumber.listItem) return element.name.replace(bullet, "");
  // GTK 4 repeats the label of a dialog's button: "Yes Yes".
  return quirksOf(app.toolkit).namesByClass ? element.name.replace(/^(.+) \1$/s, "$1") : element.name;
}

const tabMemory = / - Memory usage - [\d.,]+ \S+$/;
const bullet = /^[•◦▪‣] /;

const plainStates: readonly (readonly [number, NodeState])[] = [
  [stateBit.focused, "focused"],
  [stateBit.focusable, "focusable"],
  [stateBit.active, "active"],
  [stateBit.editable, "editable"],
  [stateBit.readOnly, "readonly"],
  [stateBit.checkable, "checkable"],
  [stateBit.checked, "checked"],
  [stateBit.indeterminate, "mixed"],
  [stateBit.pressed, "pressed"],
  [stateBit.selectable, "selectable"],
  [stateBit.selected, "selected"],
  [stateBit.expandable, "expandable"],
  [stateBit.expanded, "expanded"],
  [stateBit.modal, "modal"],
  [stateBit.required, "required"],
  [stateBit.invalidEntry, "invalid"],
  [stateBit.busy, "busy"],
];

const checkables = new Set(["checkbox", "radio", "switch", "togglebutton"]);

function toStates(app: App, element: Element, hasShownPart: boolean): readonly NodeState[] {
  const { states, role } = element;
  const quirks = quirksOf(app.toolkit);
  const has = (bit: number): boolean => hasState(states, bit);
  const list: NodeState[] = [];
  // GTK 4 sets SENSITIVE without ENABLED; in every toolkit a disabled control has neither.
  if (has(stateBit.sensitive) || has(stateBit.enabled)) list.push("enabled");
  for (const [bit, state] of plainStates) if (has(bit)) list.push(state);
  // Qt reports the tab in front as focused, whatever has the focus.
  const focusedAt = role === roleNumber.pageTab && quirks.focusesTabInFront ? list.indexOf("focused") : -1;
  if (focusedAt >= 0) list[focusedAt] = "selected";
  const isShown = !quirks.tellsShowing || has(stateBit.showing);
  if (isShown && (hasShownPart || !hasPlace(element))) list.push("showing");
  if (has(stateBit.expandable) && !has(stateBit.expanded)) list.push("collapsed");
  if (isPassword(element)) list.push("password");
  // GTK 3 reports every label as multi-line.
  if (has(stateBit.multiLine) && has(stateBit.editable)) list.push("multiline");
  const isCheckable = checkables.has(roleOf(role));
  if (isCheckable && !has(stateBit.checkable)) list.push("checkable");
  return list;
}

const pressable = {
  buttons: new Set(["button"]),
  controls: new Set([
    "button",
    "togglebutton",
    "checkbox",
    "radio",
    "switch",
    "link",
    "menuitem",
    "menu",
    "tab",
    "combobox",
  ]),
};
const toggleable = new Set(["togglebutton", "checkbox", "switch"]);
const selectable = new Set(["listitem", "cell", "row", "treeitem", "tab", "radio"]);

function toActions(app: App, element: Element): readonly NodeActionName[] {
  const { states, interfaces, role } = element;
  const { presses, tellsAbilities, writesText, tellsPage, scrolls } = quirksOf(app.toolkit);
  const kind = roleOf(role);
  const has = (bit: number): boolean => hasState(states, bit);
  if (!has(stateBit.sensitive) && !has(stateBit.enabled)) return [];
  const canAct = hasInterface(interfaces, "Action") && (presses === "told" || pressable[presses].has(kind));
  const isWritable = !has(stateBit.readOnly) && (!tellsAbilities || has(stateBit.editable));
  const canWrite = writesText && hasInterface(interfaces, "EditableText") && isWritable;
  const isNumber =
    hasInterface(interfaces, "Value") &&
    (kind === "slider" || (kind === "spinbutton" && tellsPage) || kind === "scrollbar");
  const actions: NodeActionName[] = [];
  if (canAct && kind !== "textbox" && kind !== "spinbutton") actions.push("press");
  if (canAct && toggleable.has(kind)) actions.push("toggle");
  const canBeChosen = kind === "combobox" && canChoose(app, element);
  if (canWrite || isNumber || canBeChosen) actions.push("set_value");
  if (has(stateBit.selectable) || kind === "radio" || (!tellsAbilities && selectable.has(kind))) actions.push("select");
  if (has(stateBit.expandable)) actions.push(has(stateBit.expanded) ? "collapse" : "expand");
  if (has(stateBit.focusable)) actions.push("focus");
  if (scrolls && hasPlace(element)) actions.push("scroll_into_view");
  return actions;
}
