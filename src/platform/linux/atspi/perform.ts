import type { NodeAction } from "../../../base/node.ts";
import { expand, openMenu, press, toggle } from "./act.ts";
import { focus, scrollIntoView } from "./reach.ts";
import { scrollTo } from "./scroll.ts";
import { select } from "./select.ts";
import type { Target } from "./target.ts";
import { setValue } from "./write.ts";

/** Acts through the program's own interface and returns which one; fails when reading back shows no effect. */
export function performAction(target: Target, action: NodeAction): Promise<string> {
  switch (action.name) {
    case "press":
      return press(target);
    case "toggle":
      return toggle(target);
    case "set_value":
      return setValue(target, action.value);
    case "select":
      return select(target);
    case "expand":
      return expand(target, true);
    case "collapse":
      return expand(target, false);
    case "focus":
      return focus(target);
    case "scroll_into_view":
      return scrollIntoView(target);
    case "scroll_to":
      return scrollTo(target, action);
    case "menu":
      return openMenu(target);
  }
}
