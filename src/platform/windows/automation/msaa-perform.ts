import { ToolError } from "../../../base/errors.ts";
import type { NodeAction, UiNode } from "../../../base/node.ts";
import { hresult, isGone, isSilent, showResult } from "./com.ts";
import type { Accessible, Msaa } from "./msaa.ts";
import { gone, unsupported } from "./refusals.ts";

const [takeFocus, takeSelection] = [1, 2];

/** Acts through the object's own methods, and returns the one that was used. */
export function performAccessible(msaa: Msaa, element: Accessible, node: UiNode, action: NodeAction): string {
  const show = `The ${node.nativeRole}${node.name === "" ? "" : ` "${node.name.slice(0, 80)}"`}`;
  const done = (via: string, result: number): string => {
    if (result >= 0) return via;
    if (isGone(result)) throw gone();
    if (isSilent(result)) return `${via}, not answered yet`;
    if (result === hresult.notImplemented) throw unsupported(show, via);
    throw new ToolError("not_dispatchable", `${show} refused ${via} (${showResult(result)}).`, {
      hint: "Click it instead.",
    });
  };
  if (!node.states.includes("enabled")) {
    throw new ToolError("not_dispatchable", `${show} is disabled.`, { hint: "Do what enables it first." });
  }
  if (action.name === "scroll_to" || !node.actions.includes(action.name)) throw unsupported(show, action.name);
  switch (action.name) {
    case "select":
      return done("accSelect", msaa.select(element, takeSelection));
    case "focus":
      return done("accSelect", msaa.select(element, takeFocus));
    case "set_value":
      return done("put_accValue", msaa.setValue(element, String(action.value)));
    default:
      return done("accDoDefaultAction", msaa.act(element));
  }
}
