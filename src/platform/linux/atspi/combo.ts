import { nothingToDo } from "../../../base/node.ts";
import { ToolError } from "../../../base/errors.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { press } from "./act.ts";
import { isNull, optional, type App, type Ref } from "./app.ts";
import { readChildren, readElement, type Element } from "./element.ts";
import { hasInterface, hasState, stateBit } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { becomes, notDispatchable, showTarget, type Target } from "./target.ts";

/** Whether an item can be chosen by name without opening the combo box. */
export function canChoose(app: App, { interfaces, states }: Element): boolean {
  const { hasMenuInCombo, tellsPage } = quirksOf(app.toolkit);
  if (!hasMenuInCombo) return hasInterface(interfaces, "Selection");
  return tellsPage && !hasState(states, stateBit.editable);
}

/** The chosen item of a combo box. */
export async function readChosen(app: App, element: Element, options: BusCallOptions): Promise<string | undefined> {
  const { namesComboByItem, hasMenuInCombo } = quirksOf(app.toolkit);
  if (namesComboByItem) return element.name;
  const [menu] = hasMenuInCombo ? await readChildren(app, element.path, options) : [];
  if (menu === undefined && !hasInterface(element.interfaces, "Selection")) return undefined;
  const path = menu ?? element.path;
  const reply = await optional(app.call<[Ref]>(path, "Selection.GetSelectedChild", "i", [0], options));
  if (!reply || isNull(reply[0])) return undefined;
  return optional(app.get<string>(reply[0][1], "Accessible.Name", options));
}

export async function chooseItem(target: Target, name: string): Promise<string> {
  const { app, element } = target;
  if (!canChoose(app, element)) throw notDispatchable(target, "cannot be set", "Open it and click the item.");
  const items = await readItems(target);
  const index = items.findIndex((item) => item.name.toLowerCase() === name.toLowerCase());
  const item = items[index];
  if (!item) {
    throw new ToolError("not_found", `${showTarget(target)} has no item "${name}".`, {
      candidates: items.slice(0, 20).map((each) => each.name),
    });
  }
  const via = await (quirksOf(app.toolkit).hasMenuInCombo ? pressItem(target, item.path) : selectItem(target, index));
  if (via !== undefined) return via;
  throw notDispatchable(target, `did not choose "${name}"`, "Open it and click the item.");
}

async function selectItem(target: Target, index: number): Promise<string | undefined> {
  const { app, element, options } = target;
  const via = "Selection.SelectChild";
  await optional(app.call(element.path, via, "i", [index], options));
  const isChosen = await becomes(target, async () => {
    const reply = await optional(app.call<[boolean]>(element.path, "Selection.IsChildSelected", "i", [index], options));
    return reply?.[0] ?? false;
  });
  return isChosen ? via : undefined;
}

/** An item of a closed list can still be pressed. */
async function pressItem(target: Target, path: string): Promise<string | undefined> {
  const item = await readElement(target.app, path, target.options);
  if (!item) return undefined;
  const pressed = { ...target, element: item };
  const isSelected = ({ states }: Element): boolean => hasState(states, stateBit.selected);
  if (isSelected(item)) return nothingToDo;
  const via = await press(pressed);
  return (await becomes(pressed, isSelected)) ? via : undefined;
}

/** The items are its children, or those of the menu that is its only child. */
async function readItems({
  app,
  element,
  options,
}: Target): Promise<readonly { readonly path: string; readonly name: string }[]> {
  let children = await readChildren(app, element.path, options);
  const [only] = children;
  if (only !== undefined && children.length === 1) {
    const list = await readElement(app, only, options);
    if (list && list.childCount > 0) children = await readChildren(app, only, options);
  }
  return Promise.all(
    children.map(async (path) => ({
      path,
      name: (await optional(app.get<string>(path, "Accessible.Name", options))) ?? "",
    })),
  );
}
