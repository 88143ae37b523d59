import { nothingToDo } from "../../../base/node.ts";
import { optional } from "./app.ts";
import { isShowing, readExtents } from "./element.ts";
import { hasInterface, hasState, stateBit } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { becomes, needEnabled, notDispatchable, type Target } from "./target.ts";

export async function focus(target: Target): Promise<string> {
  needEnabled(target);
  if (hasState(target.element.states, stateBit.focused)) return nothingToDo;
  const via = await grabFocus(target);
  if (via && (await becomes(target, ({ states }) => hasState(states, stateBit.focused)))) return via;
  throw notDispatchable(target, "did not accept the focus", "Bring its window to the front, then click it.");
}

const anywhere = 6;

export async function scrollIntoView(target: Target): Promise<string> {
  const { app, element, options } = target;
  if (quirksOf(app.toolkit).tellsShowing && isShowing(element) && (await readExtents(app, element.path, options))) {
    return nothingToDo;
  }
  const scrolled = await optional(app.call<[boolean]>(element.path, "Component.ScrollTo", "u", [anywhere], options));
  if (scrolled?.[0] && (await becomes(target, isShowing))) return "Component.ScrollTo";
  // GTK 3 refuses ScrollTo but scrolls to whatever gets the focus.
  const via = await grabFocus(target);
  if (via && (await becomes(target, isShowing))) return via;
  throw notDispatchable(target, "cannot be scrolled to", "Scroll its container instead.");
}

async function grabFocus({ app, element: { path, interfaces }, options }: Target): Promise<string | undefined> {
  if (!hasInterface(interfaces, "Component")) return undefined;
  const reply = await optional(app.call<[boolean]>(path, "Component.GrabFocus", "", [], options));
  return reply?.[0] ? "Component.GrabFocus" : undefined;
}
