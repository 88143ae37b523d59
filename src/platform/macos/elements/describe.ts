import { centre, contains, intersect, type Rect } from "../../../base/geometry.ts";
import type { NodeActionName, NodeState, UiNode } from "../../../base/node.ts";
import { attribute, plain } from "../ax.ts";
import type { Mac, Own } from "../mac.ts";
import { readFacts, type Facts } from "./facts.ts";
import { numberRoles, roleOf, rowRoles, textRoles, toggleRoles } from "./roles.ts";

/** Longer text is read on request. */
const mostText = 2000;
/** A row holds cells, and a cell its text. */
const deepestText = 3;

export interface Place {
  readonly runtimeId: string;
  readonly parent: string | undefined;
  readonly pid: number;
  readonly windowId: number | undefined;
  /** What of the screen its ancestors show; undefined when nothing cuts it off. */
  readonly shown: Rect | undefined;
}

export function describeElement(mac: Mac, own: Own, facts: Facts, place: Place): UiNode {
  const { role, subrole, bounds, get } = facts;
  const isSecret = subrole === "AXSecureTextField";
  const part = bounds && place.shown ? intersect(bounds, place.shown) : bounds;
  const isShowing = part !== undefined && part.width > 0 && part.height > 0;
  const range = rangeOf(facts);
  const text = textOfValue(facts, isSecret);
  return {
    runtimeId: place.runtimeId,
    ...(place.parent === undefined ? {} : { parent: place.parent }),
    role: roleOf(role, subrole),
    nativeRole: role,
    name: nameOf(mac, own, facts),
    ...optional("automationId", textAt(get("AXIdentifier"))),
    ...text,
    ...(range ? { range } : {}),
    ...optional("description", textAt(get("AXHelp"))),
    ...optional("placeholder", textAt(get("AXPlaceholderValue"))),
    ...(bounds ? { bounds } : {}),
    ...(part && bounds && !contains(part, centre(bounds)) && isShowing ? { clickPoint: centre(part) } : {}),
    states: statesOf(facts, isShowing, isSecret),
    actions: offered(facts),
    pid: place.pid,
    ...(place.windowId === undefined ? {} : { windowId: place.windowId }),
  };
}

const textAt = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: string });
}

/** Title, description, the label beside it, or for a row the first text in it. */
function nameOf(mac: Mac, own: Own, facts: Facts): string {
  const { get, role, label } = facts;
  const said = textAt(get("AXTitle")) ?? textAt(get("AXDescription"));
  if (said !== undefined) return said;
  if (role === "AXStaticText") return textAt(get("AXValue")) ?? "";
  if (label !== null) return textAt(plain(mac, attribute(mac, own, label, "AXValue"))) ?? "";
  if (role === "AXPopUpButton") return "";
  return rowRoles.has(role) || role === "AXCell" ? firstText(mac, own, facts.children, deepestText) : "";
}

function firstText(mac: Mac, own: Own, elements: readonly bigint[], depth: number): string {
  for (const element of elements) {
    const facts = readFacts(mac, own, element);
    const own_ =
      textAt(facts.get("AXTitle")) ?? (facts.role === "AXStaticText" ? textAt(facts.get("AXValue")) : undefined);
    const found = own_ ?? (depth > 0 ? firstText(mac, own, facts.children, depth - 1) : "");
    if (found !== "") return found;
  }
  return "";
}

function textOfValue({ role, get }: Facts, isSecret: boolean): Pick<UiNode, "value" | "textLength"> {
  const value = get("AXValue");
  if (isSecret || value === undefined || role === "AXStaticText") return {};
  if (typeof value === "number") return numberRoles.has(role) || role === "AXProgressIndicator" ? { value } : {};
  if (typeof value !== "string") return {};
  return value.length > mostText ? { value: value.slice(0, mostText), textLength: value.length } : { value };
}

function rangeOf({ get }: Facts): { readonly min: number; readonly max: number } | undefined {
  const [min, max] = [get("AXMinValue"), get("AXMaxValue")];
  return typeof min === "number" && typeof max === "number" ? { min, max } : undefined;
}

const checkable: ReadonlySet<string> = new Set(["AXCheckBox", "AXRadioButton"]);

function statesOf(facts: Facts, isShowing: boolean, isSecret: boolean): readonly NodeState[] {
  const { role, get } = facts;
  const value = get("AXValue");
  const isOpen = openness(facts);
  const states: readonly (readonly [NodeState, boolean])[] = [
    ["enabled", get("AXEnabled") !== false],
    ["showing", isShowing],
    ["focusable", get("AXFocused") !== undefined],
    ["focused", get("AXFocused") === true],
    ["editable", textRoles.has(role)],
    ["multiline", role === "AXTextArea"],
    ["password", isSecret],
    ["checkable", checkable.has(role)],
    ["checked", checkable.has(role) && value === 1],
    ["mixed", checkable.has(role) && value === 2],
    ["selectable", get("AXSelected") !== undefined],
    ["selected", get("AXSelected") === true],
    ["expandable", isOpen !== undefined],
    ["expanded", isOpen === true],
    ["collapsed", isOpen === false],
    ["modal", get("AXModal") === true],
    ["busy", get("AXElementBusy") === true],
  ];
  return states.filter(([, isSo]) => isSo).map(([state]) => state);
}

/** Whether it is open; undefined for what cannot be. */
export function openness({ role, get }: Facts): boolean | undefined {
  if (role === "AXDisclosureTriangle") return get("AXValue") === 1;
  const said = get("AXDisclosing") ?? get("AXExpanded");
  return typeof said === "boolean" ? said : undefined;
}

function offered(facts: Facts): readonly NodeActionName[] {
  const { role, actions, get } = facts;
  const canPress = actions.includes("AXPress");
  const offers: readonly (readonly [NodeActionName, boolean])[] = [
    ["press", canPress && !toggleRoles.has(role)],
    ["toggle", canPress && toggleRoles.has(role)],
    ["set_value", textRoles.has(role) || numberRoles.has(role)],
    ["select", rowRoles.has(role)],
    ["expand", openness(facts) !== undefined],
    ["collapse", openness(facts) !== undefined],
    ["focus", get("AXFocused") !== undefined],
    ["scroll_into_view", actions.includes("AXScrollToVisible")],
    ["menu", actions.includes("AXShowMenu")],
  ];
  return offers.filter(([, isOffered]) => isOffered).map(([name]) => name);
}
