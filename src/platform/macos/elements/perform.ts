import { ToolError } from "../../../base/errors.ts";
import { type NodeAction, nothingToDo } from "../../../base/node.ts";
import { attribute, booleanValue, performAction, plain, setAttribute } from "../ax.ts";
import { constants } from "../bindings/constants.ts";
import { newArray, newNumber, newString } from "../cf.ts";
import type { Mac, Own } from "../mac.ts";
import { openness } from "./describe.ts";
import { readFacts, type Facts } from "./facts.ts";
import { numberRoles, rowContainers, rowRoles, textRoles } from "./roles.ts";

interface Target {
  readonly mac: Mac;
  readonly own: Own;
  readonly element: bigint;
  readonly facts: Facts;
}

/** A cell is in a row after a few boxes, and a row in its table. */
const farthest = 12;

/** Acts through the app's own interface, and returns the call that was used. */
export function performOn(mac: Mac, own: Own, element: bigint, action: NodeAction): string {
  const target = { mac, own, element, facts: readFacts(mac, own, element) };
  const { facts } = target;
  if (facts.get("AXEnabled") === false) throw refused(facts, "is disabled");
  switch (action.name) {
    case "press":
    case "toggle":
      return act(target, "AXPress");
    case "menu":
      return act(target, "AXShowMenu");
    case "scroll_into_view":
      return act(target, "AXScrollToVisible");
    case "focus":
      setAttribute(mac, element, "AXFocused", booleanValue(mac, true));
      return "AXSetAttributeValue";
    case "set_value":
      return setValue(target, action.value);
    case "select":
      return select(target);
    case "expand":
    case "collapse":
      return open(target, action.name === "expand");
    case "scroll_to":
      throw refused(facts, "cannot be scrolled natively");
  }
}

function refused({ role, get }: Facts, why: string): ToolError {
  const name = get("AXTitle") ?? get("AXDescription") ?? "";
  return new ToolError("not_dispatchable", `${role} "${String(name)}" ${why}.`);
}

function act({ mac, element, facts }: Target, action: string): string {
  if (!facts.actions.includes(action)) throw refused(facts, `does not offer ${action}`);
  performAction(mac, element, action);
  return action;
}

/** A number for what counts, text for what is written; a number given to a text field is written. */
function setValue({ mac, own, element, facts }: Target, value: string | number | boolean): string {
  const { native } = mac;
  const isNumber = numberRoles.has(facts.role);
  if (!isNumber && !textRoles.has(facts.role)) {
    throw new ToolError("not_dispatchable", `element does not support set_value; try 'type'`);
  }
  const made = isNumber ? newNumber(native, Number(value)) : newString(native, String(value));
  const code = native.AXUIElementSetAttributeValue(element, mac.name("AXValue"), own(made));
  if (code === constants.kAXErrorSuccess) return "AXSetAttributeValue";
  if (code === constants.kAXErrorAttributeUnsupported || code === constants.kAXErrorActionUnsupported) {
    throw new ToolError("not_dispatchable", `element does not support set_value; try 'type'`);
  }
  throw failedWith(code);
}

const failedWith = (code: number): ToolError =>
  code === constants.kAXErrorInvalidUIElement
    ? new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." })
    : new ToolError(code === constants.kAXErrorCannotComplete ? "timeout" : "ax_error", `AX error ${code}.`);

function open({ mac, element, facts }: Target, isOpen: boolean): string {
  const now = openness(facts);
  if (now === undefined) throw refused(facts, "cannot be expanded");
  if (now === isOpen) return nothingToDo;
  if (facts.role === "AXDisclosureTriangle") {
    performAction(mac, element, "AXPress");
    return "AXPress";
  }
  const name = facts.get("AXDisclosing") === undefined ? "AXExpanded" : "AXDisclosing";
  setAttribute(mac, element, name, booleanValue(mac, isOpen));
  return "AXSetAttributeValue";
}

/** Writes the selected rows of the table: rows themselves refuse to be pressed. */
function select({ mac, own, element, facts }: Target): string {
  const { native } = mac;
  const row = climb(mac, own, element, rowRoles);
  if (row === undefined) {
    throw new ToolError("no_row_ancestor", `${facts.role} is not inside a row that can be selected.`, {
      hint: "Click it instead.",
    });
  }
  const container = climb(mac, own, row, rowContainers);
  if (container === undefined) {
    throw new ToolError("no_outline_container", "The row is not inside a list, table or tree.", {
      hint: "Click it instead.",
    });
  }
  setAttribute(mac, container, "AXSelectedRows", own(newArray(native, [row])));
  return "AXSelectedRows";
}

/** The nearest of the element and its ancestors that has one of these roles. */
function climb(mac: Mac, own: Own, element: bigint, roles: ReadonlySet<string>): bigint | undefined {
  let at: bigint | null = element;
  for (let step = 0; at !== null && step < farthest; step++) {
    if (roles.has(String(plain(mac, attribute(mac, own, at, "AXRole")) ?? ""))) return at;
    at = attribute(mac, own, at, "AXParent");
  }
  return undefined;
}
