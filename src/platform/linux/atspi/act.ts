import { nothingToDo } from "../../../base/node.ts";
import { ToolError } from "../../../base/errors.ts";
import { optional } from "./app.ts";
import { hasInterface, hasState, stateBit } from "./names.ts";
import { afterLastPress, notePress } from "./pace.ts";
import { quirksOf } from "./quirks.ts";
import { becomes, needEnabled, notDispatchable, showTarget, type Target } from "./target.ts";

type NativeAction = readonly [name: string, description: string, keys: string];

// The toolkits' names: GTK "click", Qt "Press", Firefox "press" and "jump", GTK cells "activate".
const pressNames = ["click", "press", "activate", "jump", "open", "toggle", "select", "check", "uncheck", "showmenu"];
const toggleNames = ["toggle", "click", "press", "check", "uncheck", "activate"];
const expandNames = ["expand or contract", "expand", "toggleexpand", "click", "press", "showmenu", "activate", "open"];
const collapseNames = ["expand or contract", "collapse", "contract", ...expandNames];
const menuNames = ["showmenu", "menu", "popup"];
/** How long to wait for an answer: a program that shows a modal dialog answers only when it is closed. */
const answerMs = 1000;

export async function press(target: Target): Promise<string> {
  needEnabled(target);
  return doAction(target, pressNames);
}

export async function openMenu(target: Target): Promise<string> {
  needEnabled(target);
  return doAction(target, menuNames, quirksOf(target.app.toolkit).menuAction);
}

export async function toggle(target: Target, wanted?: boolean): Promise<string> {
  needEnabled(target);
  const isOn = ({ states }: { readonly states: readonly number[] }): boolean =>
    hasState(states, stateBit.checked) || hasState(states, stateBit.pressed);
  const before = isOn(target.element);
  if (wanted === before) return nothingToDo;
  const via = await doAction(target, toggleNames);
  if (await becomes(target, (now) => isOn(now) !== before)) return via;
  throw notDispatchable(target, `accepted ${via} but stayed ${before ? "on" : "off"}`, "Click it instead.");
}

export async function expand(target: Target, wanted: boolean): Promise<string> {
  needEnabled(target);
  const isExpanded = ({ states }: { readonly states: readonly number[] }): boolean =>
    hasState(states, stateBit.expanded);
  if (!hasState(target.element.states, stateBit.expandable) && !isExpanded(target.element)) {
    throw new ToolError("pattern_unsupported", `${showTarget(target)} cannot be expanded or collapsed.`, {
      hint: "Look for one with the state expandable.",
    });
  }
  if (isExpanded(target.element) === wanted) return nothingToDo;
  const via = await doAction(target, wanted ? expandNames : collapseNames);
  if (await becomes(target, (now) => isExpanded(now) === wanted)) return via;
  throw notDispatchable(target, `accepted ${via} but did not ${wanted ? "expand" : "collapse"}`, "Click it instead.");
}

/** Runs the first action with one of these names, and returns its name. */
async function doAction(target: Target, names: readonly string[], nameless: number | undefined = 0): Promise<string> {
  const { app, element, options } = target;
  const actions = hasInterface(element.interfaces, "Action")
    ? ((await optional(app.call<[readonly NativeAction[]]>(element.path, "Action.GetActions", "", [], options)))?.[0] ??
      [])
    : [];
  const index = choose(actions, names, nameless);
  const chosen = actions[index];
  if (!chosen) {
    const own = actions.map(([name]) => name).filter(isName);
    throw notDispatchable(
      target,
      own.length > 0 ? `has no such action, only ${own.join(", ")}` : "has no native action",
      "Click it instead.",
    );
  }
  const via = `Action.DoAction(${isName(chosen[0]) ? chosen[0] : index})`;
  await afterLastPress(target);
  try {
    const isDone = await app.act(element.path, index, { ...options, timeoutMs: answerMs });
    if (!isDone) throw notDispatchable(target, `refused ${via}`, "Click it instead.");
    notePress(target);
    return via;
  } catch (error) {
    // The action was accepted: a Qt button answers only when what it started, such as a modal dialog, has ended.
    if (error instanceof ToolError && error.code === "timeout") return `${via}, not answered yet`;
    throw error;
  }
}

/** Chromium's actions have no names, and Firefox's are ";;". */
const isName = (name: string): boolean => /\p{L}/u.test(name);

function choose(actions: readonly NativeAction[], names: readonly string[], nameless: number | undefined): number {
  const own = actions.map(([name]) => name.toLowerCase());
  for (const name of names) {
    const index = own.indexOf(name);
    if (index >= 0) return index;
  }
  // Never fall back to an action with another name: GTK 4 labels offer "clipboard.copy".
  return nameless === undefined || own.some(isName) ? -1 : nameless;
}
