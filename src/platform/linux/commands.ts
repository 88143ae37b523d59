import { readlink, stat } from "node:fs/promises";
import { ToolError } from "../../base/errors.ts";
import type { AppCommands, CallOptions, Commands, CommandState, ElementOwner, HastyOptions } from "../backend.ts";
import { performAction } from "./atspi/perform.ts";
import { optional, rootPath, type App } from "./atspi/app.ts";
import type { AccessibilityBus } from "./atspi/bus.ts";
import { readElement, type Element } from "./atspi/element.ts";
import { foreseen } from "./atspi/foreseen.ts";
import { readTopLevels } from "./atspi/locate.ts";
import { hasState, stateBit } from "./atspi/names.ts";
import type { TopLevel } from "./atspi/top-levels.ts";
import { activate, describe, describeAll, isOwnedBy, readMenu, readPlaces, valueOf } from "./commands/gtk-exports.ts";
import { checkOf, isUsable, readActions, readMenus } from "./commands/menus.ts";
import { merge, type Exported, type Listed, type Runner } from "./commands/merge.ts";
import type { Bus } from "./dbus/bus.ts";
import { LazyBus } from "./dbus/lazy.ts";
import type { BusCallOptions } from "./dbus/method.ts";
import { openBus } from "./dbus/open.ts";
import type { XDisplay } from "./display.ts";
import { listWindows } from "./windows/list.ts";

/** A program that has not answered by then counts as frozen. */
const silenceMs = 3_000;
/** Windows whose commands can be run without listing them again. */
const mostRemembered = 16;

/**
 * Commands from two places: the element tree, in which most toolkits have their closed menus, and the actions and menus
 * that GTK programs export on the session bus.
 */
export class LinuxCommands implements Commands, AsyncDisposable {
  readonly #accessibility: AccessibilityBus;
  readonly #display: XDisplay;
  readonly #session: LazyBus | undefined;
  /** How the commands of the last lists are run, by window. */
  readonly #runners = new Map<string, ReadonlyMap<string, Runner>>();

  constructor(env: NodeJS.ProcessEnv, accessibility: AccessibilityBus, display: XDisplay) {
    const address = env["DBUS_SESSION_BUS_ADDRESS"];
    this.#accessibility = accessibility;
    this.#display = display;
    this.#session = address ? new LazyBus(() => openBus(address, { env })) : undefined;
  }

  async list(owner: ElementOwner, { signal, timeoutMs = silenceMs }: HastyOptions = {}): Promise<AppCommands> {
    const options = { signal, timeoutMs };
    const app = await (await this.#accessibility.apps(options)).find(owner.pid, options);
    const exported = await this.#exported(owner, options);
    if (!app) throw unreadable(owner.pid);
    const topLevels = await this.#topLevels(app, options);
    const topLevel = topLevelOf(topLevels, owner);
    const [entries, widgetActions, modal] = await foreseen(
      Promise.all([
        topLevel ? readMenus(app, topLevel.path, options) : [],
        topLevel ? this.#widgetActions(app, topLevel.path, options) : [],
        modalOf(
          app,
          topLevels.filter((each) => each !== topLevel),
          options,
        ),
      ]),
    );
    const listed = merge(app, entries, exported, widgetActions);
    this.#remember(owner, listed);
    return {
      commands: listed.map(({ command }) => command),
      closed: entries
        .filter(({ isClosedMenu, isEnabled }) => isClosedMenu && isEnabled)
        .map(({ path, elements }) => ({ path, elements: elements.map((each) => app.toId(each.path)) })),
      version: await versionOf(app, options),
      ...(modal === undefined ? {} : { modal }),
    };
  }

  async run(owner: ElementOwner, id: string, { signal }: CallOptions = {}): Promise<{ readonly via: string }> {
    const options = { signal, timeoutMs: silenceMs };
    const runner = this.#runner(owner, id);
    return { via: await foreseen(this.#run(owner, runner, options)) };
  }

  async state(
    owner: ElementOwner,
    id: string,
    { signal, timeoutMs = silenceMs }: HastyOptions = {},
  ): Promise<CommandState | undefined> {
    const options = { signal, timeoutMs };
    const runner = this.#runner(owner, id);
    if (runner.by === "widget action") return undefined;
    if (runner.by === "gtk action") {
      const state = await describe(await this.#bus(options), runner.action, options);
      return state && { isEnabled: state.isEnabled, value: valueOf(runner.action, state) };
    }
    const app = await (await this.#accessibility.apps(options)).find(owner.pid, options);
    const element = app && (await readElement(app, runner.path, options));
    if (!element) return undefined;
    const isChecked = checkOf(element);
    const value = isChecked === undefined ? undefined : isChecked ? "checked" : "unchecked";
    return { isEnabled: isUsable(element), value };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.[Symbol.asyncDispose]();
  }

  async #run(owner: ElementOwner, runner: Runner, options: BusCallOptions): Promise<string> {
    if (runner.by === "gtk action") return activate(await this.#bus(options), runner.action, options);
    const app = await (await this.#accessibility.apps(options)).need(owner.pid, options);
    const element = await readElement(app, runner.path, options);
    if (!element) throw gone();
    if (runner.by === "element") return performAction({ app, element, options }, { name: "press" });
    const index = (await readActions(app, element, options)).findIndex(([name]) => name === runner.name);
    if (index < 0) {
      throw new ToolError("not_dispatchable", `${runner.name} is disabled now.`, { hint: "Do what enables it first." });
    }
    await app.call(runner.path, "Action.DoAction", "i", [index], options);
    return `Action.DoAction(${runner.name})`;
  }

  #bus(options: BusCallOptions): Promise<Bus> {
    if (this.#session) return this.#session.connect(options);
    throw new ToolError("not_connected", "There is no session bus.", { hint: "Set DBUS_SESSION_BUS_ADDRESS." });
  }

  #runner(owner: ElementOwner, id: string): Runner {
    const runner = this.#runners.get(keyOf(owner))?.get(id);
    if (runner) return runner;
    throw gone();
  }

  #remember(owner: ElementOwner, listed: readonly Listed[]): void {
    const key = keyOf(owner);
    this.#runners.delete(key);
    this.#runners.set(key, new Map(listed.map(({ command, runner }) => [command.id, runner])));
    const [oldest] = this.#runners.keys();
    if (this.#runners.size > mostRemembered && oldest !== undefined) this.#runners.delete(oldest);
  }

  async #topLevels(app: App, options: BusCallOptions): Promise<readonly TopLevel[]> {
    const connection = await this.#display.connect(options);
    const windows = await listWindows(connection, { signal: options.signal });
    return foreseen(readTopLevels(app, { ...options, windows }));
  }

  /** What GTK 4 widgets can be asked to do, as the window sees it; disabled ones are missing. */
  async #widgetActions(app: App, path: string, options: BusCallOptions) {
    if (app.toolkit !== "gtk4") return [];
    const element = await readElement(app, path, options);
    const actions = element ? await readActions(app, element, options) : [];
    return actions.map(([name]) => ({ path, name }));
  }

  async #exported({ pid, windowId }: ElementOwner, options: BusCallOptions): Promise<Exported> {
    const none: Exported = { entries: [], actions: new Map() };
    if (windowId === undefined || !this.#session) return none;
    const places = await readPlaces(await this.#display.connect(options), windowId);
    if (!places) return none;
    const bus = await this.#bus(options);
    if (!(await isOwnedBy(bus, places, pid, options))) return none;
    const groups = (["app", "win"] as const).flatMap((prefix) => {
      const object = places.groups[prefix];
      return object === undefined ? [] : [{ prefix, object }];
    });
    const [described, entries] = await Promise.all([
      Promise.all(
        groups.map(async ({ prefix, object }) => {
          const actions = await describeAll(bus, places.bus, object, options);
          return [...actions].map(([name, state]) => {
            const id = `${prefix}.${name}`;
            return [id, { action: { bus: places.bus, object, name, id, target: undefined }, state }] as const;
          });
        }),
      ),
      Promise.all(places.menus.map((menu) => readMenu(bus, places, menu, options))),
    ]);
    return { entries: entries.flat(), actions: new Map(described.flat()) };
  }
}

const keyOf = ({ pid, windowId }: ElementOwner): string => `${pid} ${windowId ?? ""}`;

const gone = (): ToolError =>
  new ToolError("uid_not_found", "The command is gone: its app has changed its menus.", {
    hint: "Call list_commands.",
  });

const unreadable = (pid: number): ToolError =>
  new ToolError("not_supported", `Process ${pid} exposes neither menus nor actions.`, {
    hint: "Look at it with take_screenshot, and click or press keys.",
  });

/** That of the window; or the only one of the program, unless that is known to be another window. */
function topLevelOf(topLevels: readonly TopLevel[], { windowId }: ElementOwner): TopLevel | undefined {
  const own = topLevels.find((each) => each.windowId === windowId);
  const [only, ...others] = topLevels;
  const isOther = windowId !== undefined && only?.windowId !== undefined;
  return own ?? (others.length > 0 || isOther ? undefined : only);
}

/** The dialog that keeps the other windows of the program from being used. */
async function modalOf(app: App, others: readonly TopLevel[], options: BusCallOptions): Promise<AppCommands["modal"]> {
  const isModal = ({ states }: Element): boolean =>
    hasState(states, stateBit.modal) && hasState(states, stateBit.showing);
  const read = await Promise.all(
    others.map(async ({ path, windowId }) => ({ windowId, element: await readElement(app, path, options) })),
  );
  const found = read.find(({ element }) => element !== undefined && isModal(element));
  return found?.element && { title: found.element.name, windowId: found.windowId };
}

/** The program file as it is installed now, and what runs in it: one interpreter runs many apps. */
async function versionOf(app: App, options: BusCallOptions): Promise<string> {
  const link = `/proc/${app.pid}/exe`;
  const [file, { mtimeMs, size }, name] = await Promise.all([
    readlink(link).catch(() => ""),
    stat(link).catch(() => ({ mtimeMs: 0, size: 0 })),
    optional(app.get<string>(rootPath, "Accessible.Name", options)),
  ]);
  return [file, mtimeMs, size, name ?? ""].join(" ");
}
