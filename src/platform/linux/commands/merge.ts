import type { AppCommand } from "../../backend.ts";
import { foldPath } from "../../../base/command-path.ts";
import type { App } from "../atspi/app.ts";
import { unwrap } from "../dbus/value.ts";
import { checkOf, type MenuEntry } from "./menus.ts";
import { valueOf, type GtkAction, type GtkActionState, type GtkEntry } from "./gtk-exports.ts";
import { toWords } from "./labels.ts";
import { fromGtk, toShortcut } from "./shortcuts.ts";

/** How a listed command is run natively and read again. */
export type Runner =
  | { readonly by: "gtk action"; readonly action: GtkAction }
  | { readonly by: "element"; readonly path: string }
  | { readonly by: "widget action"; readonly path: string; readonly name: string };

export interface Listed {
  readonly command: AppCommand;
  readonly runner: Runner;
}

export interface Exported {
  readonly entries: readonly GtkEntry[];
  readonly actions: ReadonlyMap<string, { readonly action: GtkAction; readonly state: GtkActionState }>;
}

/** Actions that GTK gives every window or field, and that are no commands of the app. */
const ofToolkit: ReadonlySet<string> = new Set(["default", "window", "menu", "clipboard", "selection", "link", "text"]);

/**
 * The entries of menus and tool bars, each with the exported action behind it, then the actions that are in no menu.
 * An entry and an action belong together only if nothing else has the same path.
 */
export function merge(
  app: App,
  entries: readonly MenuEntry[],
  { entries: all, actions }: Exported,
  widgetActions: readonly { readonly path: string; readonly name: string }[],
): readonly Listed[] {
  // LibreOffice exports its menu bar twice.
  const exported = [...new Map(all.map((entry) => [keyOf(entry), entry])).values()];
  const byPath = once(exported, ({ path }) => foldPath(path));
  const shown = entries.filter(({ isClosedMenu }) => !isClosedMenu);
  const menuPaths = once(
    shown.filter(({ source }) => source === "menu"),
    ({ path }) => foldPath(path),
  );
  const listed = shown.map((entry): Listed => {
    const key = foldPath(entry.path);
    const own = entry.source === "menu" && menuPaths.has(key) ? byPath.get(key) : undefined;
    const known = own && actions.get(own.action.id);
    return known ? withAction(app, entry, own, known.state) : withElement(app, entry);
  });
  const inTree = new Set(shown.map(({ path }) => foldPath(path)));
  const hidden = exported.flatMap((entry): readonly Listed[] => {
    const known = actions.get(entry.action.id);
    return known && !inTree.has(foldPath(entry.path)) ? [withoutElement(entry, known.state)] : [];
  });
  const named = new Set(exported.map(({ action }) => action.id));
  const alone = [...actions.values()]
    .filter(({ action, state }) => !named.has(action.id) && state.parameter === "")
    .map(({ action, state }) => toAction(action.id, { by: "gtk action", action }, state));
  const ofWidgets = widgetActions
    .filter(({ name }) => !ofToolkit.has(name.slice(0, name.indexOf("."))) && !actions.has(name))
    .map(({ path, name }) => toAction(name, { by: "widget action", path, name }));
  const inOrder = [...alone, ...ofWidgets].sort((a, b) => (a.command.id < b.command.id ? -1 : 1));
  return distinct([...listed, ...hidden, ...inOrder]);
}

function keyOf({ path, action: { id, target } }: GtkEntry): string {
  const value = unwrap(target);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return [foldPath(path), id, isPlain ? String(value) : ""].join("\n");
}

/** Items by key, without the keys that several have. */
function once<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  const twice = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (found.has(key)) twice.add(key);
    found.set(key, item);
  }
  for (const key of twice) found.delete(key);
  return found;
}

function withElement(app: App, { path, elements, source, isEnabled, binding }: MenuEntry): Listed {
  const [element] = elements.slice(-1);
  const own = element?.path ?? "";
  const isQt = app.toolkit === "qt5" || app.toolkit === "qt6";
  const command: AppCommand = {
    id: `${source}:${path.join(" > ")}`,
    path,
    shortcut: toShortcut(binding, app.toolkit),
    isEnabled,
    isChecked: element && checkOf(element),
    source,
    // In GTK 3 an entry that shows a dialog keeps the app from answering anybody until the dialog is closed.
    isNative: isQt && source === "menu",
    elements: elements.map((each) => app.toId(each.path)),
  };
  return { command, runner: { by: "element", path: own } };
}

function withAction(app: App, entry: MenuEntry, { action }: GtkEntry, state: GtkActionState): Listed {
  const { command } = withElement(app, entry);
  return {
    command: { ...command, isEnabled: state.isEnabled, isChecked: isChecked(action, state), isNative: true },
    runner: { by: "gtk action", action },
  };
}

const isChecked = (action: GtkAction, state: GtkActionState): boolean | undefined => {
  const value = valueOf(action, state);
  return value === "checked" || value === "unchecked" ? value === "checked" : undefined;
};

function withoutElement({ path, action, accelerator }: GtkEntry, state: GtkActionState): Listed {
  return {
    command: {
      id: `menu:${path.join(" > ")}`,
      path,
      shortcut: accelerator === undefined ? undefined : fromGtk(accelerator),
      isEnabled: state.isEnabled,
      isChecked: isChecked(action, state),
      source: "menu",
      isNative: true,
      elements: [],
    },
    runner: { by: "gtk action", action },
  };
}

function toAction(id: string, runner: Runner, state?: GtkActionState): Listed {
  const command: AppCommand = {
    id,
    path: [toWords(id)],
    isEnabled: state?.isEnabled ?? true,
    isChecked: state && runner.by === "gtk action" ? isChecked(runner.action, state) : undefined,
    source: "action",
    isNative: true,
    elements: [],
  };
  return { command, runner };
}

/** Ids are names; entries that share one are told apart by their number. */
function distinct(listed: readonly Listed[]): readonly Listed[] {
  const counts = new Map<string, number>();
  return listed.map(({ command, runner }) => {
    const count = (counts.get(command.id) ?? 0) + 1;
    counts.set(command.id, count);
    return count === 1 ? { command, runner } : { command: { ...command, id: `${command.id} #${count}` }, runner };
  });
}
