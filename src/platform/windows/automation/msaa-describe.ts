import { centre, intersect, type Rect } from "../../../base/geometry.ts";
import type { NodeActionName, NodeState, UiNode } from "../../../base/node.ts";
import type { Role } from "../../../base/roles.ts";
import type { AccessibleFacts } from "./msaa.ts";
import { accRole, accRoleName, accState } from "./msaa-names.ts";

const longestValue = 500;
const checkables: ReadonlySet<Role> = new Set(["checkbox", "radio", "switch"]);
const fields: ReadonlySet<Role> = new Set(["textbox", "document"]);
const numeric: ReadonlySet<Role> = new Set(["slider", "spinbutton", "progressbar", "scrollbar"]);

export interface AccessiblePlace {
  readonly id: string;
  readonly parent: string | undefined;
  readonly windowId: number;
  readonly pid: number | undefined;
  readonly clip: Rect | undefined;
}

export function toAccessibleNode(facts: AccessibleFacts, { id, parent, windowId, pid, clip }: AccessiblePlace): UiNode {
  const { bounds, state, name, description } = facts;
  const has = (bit: number): boolean => (state & bit) !== 0;
  const shown = bounds && (clip ? intersect(bounds, clip) : bounds);
  const isShowing = shown !== undefined && !has(accState.invisible) && !has(accState.offScreen);
  const role = accRole(facts.role);
  const value = valueOf(facts, role);
  const isCut = typeof value === "string" && value.length > longestValue;
  return {
    runtimeId: id,
    parent,
    role,
    nativeRole: accRoleName(facts.role),
    name,
    ...(value === undefined ? {} : { value: isCut ? value.slice(0, longestValue) : value }),
    ...(isCut ? { textLength: value.length } : {}),
    ...(description ? { description } : {}),
    bounds,
    clickPoint: shown && isShowing ? centre(shown) : undefined,
    states: statesOf(facts, role, isShowing),
    actions: actionsOf(facts, role),
    pid,
    windowId,
  };
}

export const isProtected = ({ state }: AccessibleFacts): boolean => (state & accState.protected) !== 0;

function valueOf(facts: AccessibleFacts, role: Role): string | number | undefined {
  if (isProtected(facts) || facts.value === undefined) return undefined;
  const number = Number(facts.value.replace(/%$/, ""));
  return numeric.has(role) && facts.value !== "" && !Number.isNaN(number) ? number : facts.value;
}

function statesOf(facts: AccessibleFacts, role: Role, isShowing: boolean): readonly NodeState[] {
  const states: NodeState[] = [];
  const add = (state: NodeState, holds: boolean): void => void (holds && states.push(state));
  const has = (bit: number): boolean => (facts.state & bit) !== 0;
  add("enabled", !has(accState.unavailable));
  add("showing", isShowing);
  add("focused", has(accState.focused));
  add("focusable", has(accState.focusable));
  add("editable", fields.has(role) && !has(accState.readOnly));
  add("readonly", fields.has(role) && has(accState.readOnly));
  add("password", has(accState.protected));
  add("checkable", checkables.has(role));
  add("checked", has(accState.checked));
  add("mixed", has(accState.mixed));
  add("pressed", has(accState.pressed));
  add("selectable", has(accState.selectable));
  add("selected", has(accState.selected));
  add("expandable", has(accState.expanded) || has(accState.collapsed));
  add("expanded", has(accState.expanded));
  add("collapsed", has(accState.collapsed));
  add("busy", has(accState.busy));
  return states;
}

function actionsOf(facts: AccessibleFacts, role: Role): readonly NodeActionName[] {
  const has = (bit: number): boolean => (facts.state & bit) !== 0;
  if (has(accState.unavailable)) return [];
  const actions: NodeActionName[] = [];
  const add = (action: NodeActionName, can: boolean): void => void (can && actions.push(action));
  const canAct = (facts.defaultAction ?? "") !== "";
  add("press", canAct && !fields.has(role));
  add("toggle", canAct && role === "checkbox");
  add("set_value", (fields.has(role) || role === "slider" || role === "spinbutton") && !has(accState.readOnly));
  add("select", has(accState.selectable));
  add("expand", canAct && has(accState.collapsed));
  add("collapse", canAct && has(accState.expanded));
  add("focus", has(accState.focusable));
  return actions;
}
