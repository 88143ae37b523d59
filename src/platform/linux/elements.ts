import { ToolError } from "../../base/errors.ts";
import { contains, type ScreenPoint } from "../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../base/node.ts";
import type {
  CallOptions,
  Elements,
  ElementScope,
  HastyOptions,
  SecretElements,
  Tree,
  TreeOptions,
} from "../backend.ts";
import { ownerOf, toScope } from "../scope.ts";
import type { App } from "./atspi/app.ts";
import { isPassword } from "./atspi/describe.ts";
import { readElement } from "./atspi/element.ts";
import { foreseen } from "./atspi/foreseen.ts";
import { findAt, findFocused, readNode, readTopLevels } from "./atspi/locate.ts";
import { performAction } from "./atspi/perform.ts";
import { quirksOf } from "./atspi/quirks.ts";
import { findSecretPaths } from "./atspi/secrets.ts";
import { readTree } from "./atspi/tree.ts";
import { readContent } from "./atspi/text.ts";
import type { AccessibilityBus } from "./atspi/bus.ts";
import type { BusCallOptions } from "./dbus/method.ts";
import type { XDisplay } from "./display.ts";
import type { WindowDetails } from "./windows/details.ts";
import { listWindows } from "./windows/list.ts";

/** A program that has not answered by then counts as frozen. */
const silenceMs = 1500;

/** The element tree of the desktop, over AT-SPI 2. */
export class AtspiElements implements Elements {
  readonly #bus: AccessibilityBus;
  readonly #display: XDisplay;

  constructor(bus: AccessibilityBus, display: XDisplay) {
    this.#bus = bus;
    this.#display = display;
  }

  readonly scope = toScope;

  readonly pressing = {
    // Table.AddRowSelection leaves the other rows selected.
    selectsOnly: true,
    // Applies to GTK cells.
    opensRows: true,
    // In Qt the menu stays open and takes the next keys. A GTK 3 program that runs a dialog for the entry stops
    // responding until the dialog is closed.
    breaksMenus: true,
  };

  async tree(scope: ElementScope, { maxNodes, root, isPart, cell, timeoutMs, signal }: TreeOptions): Promise<Tree> {
    const { pid, windowId, popupIds } = ownerOf(scope);
    const options: BusCallOptions = { signal, timeoutMs: timeoutMs ?? silenceMs };
    const windows = this.#windows(options);
    const app = await this.#needApp(pid, options);
    const path = root === undefined ? undefined : app.toPath(root);
    if (root !== undefined && path === undefined) throw gone();
    return foreseen(readTree(app, { ...options, maxNodes, windowId, popupIds, root: path, isPart, cell, windows }));
  }

  async at(
    point: ScreenPoint,
    { pid, signal, timeoutMs = silenceMs }: HastyOptions & { readonly pid?: number | undefined } = {},
  ): Promise<readonly UiNode[]> {
    const options = { signal, timeoutMs };
    const windows = await this.#windows(options);
    const window = windows.find(
      ({ info }) =>
        info.isVisible && !info.isMinimized && contains(info.bounds, point) && (pid ?? info.pid) === info.pid,
    );
    if (window?.info.pid === undefined) return [];
    const app = await (await this.#bus.apps(options)).find(window.info.pid, options);
    if (!app) return [];
    const all = { ...options, windows };
    const topLevels = await readTopLevels(app, all);
    const paths = await foreseen(findAt(app, point, window.info.id, topLevels, all));
    const nodes = await Promise.all(paths.map((path) => readNode(app, path, topLevels, options)));
    return nodes.filter((node) => node !== undefined);
  }

  async focused({ signal, timeoutMs = silenceMs }: HastyOptions = {}): Promise<UiNode | undefined> {
    const options = { signal, timeoutMs };
    const windows = await this.#windows(options);
    const pid = windows.find(({ info }) => info.isForeground)?.info.pid;
    const app = pid === undefined ? undefined : await (await this.#bus.apps(options)).find(pid, options);
    if (!app) return undefined;
    const all = { ...options, windows };
    const [path, topLevels] = await Promise.all([foreseen(findFocused(app, all)), readTopLevels(app, all)]);
    return path === undefined ? undefined : readNode(app, path, topLevels, options);
  }

  async read(
    runtimeIds: readonly string[],
    { signal, timeoutMs = silenceMs }: HastyOptions = {},
  ): Promise<readonly (UiNode | undefined)[]> {
    const options = { signal, timeoutMs };
    const windows = this.#windows(options);
    const topLevels = new Map<App, ReturnType<typeof readTopLevels>>();
    return Promise.all(
      runtimeIds.map(async (id) => {
        const { app, path } = await this.#find(id, options);
        if (!app || path === undefined) return undefined;
        const known = topLevels.get(app) ?? readTopLevels(app, { ...options, windows });
        topLevels.set(app, known);
        // Nobody awaits it when the element itself is gone.
        known.catch(() => {});
        return readNode(app, path, known, options);
      }),
    );
  }

  async secretFields(
    pid: number,
    { below, timeoutMs, signal }: HastyOptions & { readonly below?: readonly string[] | undefined } = {},
  ): Promise<SecretElements | undefined> {
    const options: BusCallOptions = { signal, timeoutMs: timeoutMs ?? silenceMs };
    const app = await this.#needApp(pid, options);
    const roots = below?.map((id) => app.toPath(id)).filter((path) => path !== undefined);
    const paths = await foreseen(findSecretPaths(app, roots, options));
    return paths && { ids: paths.map((path) => app.toId(path)), isLate: quirksOf(app.toolkit).tellsLate };
  }

  async perform(
    runtimeId: string,
    action: NodeAction,
    { signal }: CallOptions = {},
  ): Promise<{ readonly via: string }> {
    const options = { signal, timeoutMs: silenceMs };
    const { app, path } = await this.#find(runtimeId, options);
    const element = app && path !== undefined ? await readElement(app, path, options) : undefined;
    if (!app || !element) throw gone();
    return { via: await foreseen(performAction({ app, element, options }, action)) };
  }

  async text(
    runtimeId: string,
    { maxChars, signal }: CallOptions & { readonly maxChars: number },
  ): Promise<{ readonly text: string; readonly length: number } | undefined> {
    const options = { signal, timeoutMs: silenceMs };
    const { app, path } = await this.#find(runtimeId, options);
    const element = app && path !== undefined ? await readElement(app, path, options) : undefined;
    if (!app || path === undefined || !element || isPassword(element)) return undefined;
    const content = await readContent(app, path, maxChars, options);
    if (content) return content;
    return { text: element.name.slice(0, maxChars), length: element.name.length };
  }

  async #needApp(pid: number, options: BusCallOptions): Promise<App> {
    return (await this.#bus.apps(options)).need(pid, options);
  }

  /** The program that an element belongs to, and its path there; undefined when they are gone. */
  async #find(
    runtimeId: string,
    options: BusCallOptions,
  ): Promise<{ readonly app: App | undefined; readonly path: string | undefined }> {
    const slash = runtimeId.indexOf("/");
    const app = await this.#openApp(runtimeId.slice(0, slash < 0 ? runtimeId.length : slash), options);
    return { app, path: app?.toPath(runtimeId) };
  }

  async #openApp(name: string, options: BusCallOptions): Promise<App | undefined> {
    try {
      return await (await this.#bus.apps(options)).open(name, options);
    } catch (error) {
      if (error instanceof ToolError && error.code === "uid_not_found") return undefined;
      throw error;
    }
  }

  /** May be awaited late, or never if something else fails first. */
  #windows(options: BusCallOptions): Promise<readonly WindowDetails[]> {
    const list = this.#display.connect(options).then((c) => listWindows(c, { signal: options.signal }));
    list.catch(() => {});
    return list;
  }
}

const gone = (): ToolError =>
  new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
