import type { ToolInput, ToolOutput } from "../tools/registry.ts";
import { Area } from "./area.ts";
import type { Context } from "./context.ts";
import type { ActionResult } from "./effect.ts";
import { given, type WaitOptions } from "./locator.ts";

/** A window as it was seen. */
export type WindowInfo = ToolOutput<"list_windows">["windows"][number];

export interface LaunchOptions extends WaitOptions {
  readonly args?: readonly string[];
}

/** Which window: part of its title, or its app. */
export interface WindowFilter extends WaitOptions {
  readonly title?: string;
  readonly app?: string;
}

/** The screen with its apps and windows. Elements are looked for in the active window. */
export class Desktop extends Area {
  readonly clipboard: Clipboard;

  /** @internal */
  constructor(context: Context) {
    super(context, {});
    this.clipboard = new Clipboard(context);
  }

  /** Starts an app and waits for its window; an app that runs already is brought to the front. */
  async launch(name: string, { args = [], timeoutMs = 10_000 }: LaunchOptions = {}): Promise<App> {
    const { data } = await this.context.call("launch_app", { app_name: name, args: [...args], timeout_ms: timeoutMs });
    return new App(this.context, data.pid, name);
  }

  /** An app that runs, by the name or process id of it. */
  async app(which: string | number): Promise<App> {
    const filter = typeof which === "number" ? { pid: which } : { app_name: which };
    const { window } = (await this.context.call("wait_for", { condition: "window", ...filter, timeout_ms: 0 })).data;
    return new App(this.context, window?.pid ?? Number(which), window?.app_name ?? String(which));
  }

  /** The windows that are open now. */
  async windows({ title, app }: Omit<WindowFilter, "timeoutMs"> = {}): Promise<readonly Window[]> {
    const { data } = await this.context.call("list_windows", given({ filter: title, app_name: app }));
    return data.windows.map((window) => new Window(this.context, window));
  }

  /** The window that fits, once it is open. */
  async window(filter: WindowFilter): Promise<Window> {
    return openedWindow(this.context, given({ window_title: filter.title, app_name: filter.app }), filter);
  }

  /** The window that has the keyboard; undefined when none has. */
  async activeWindow(): Promise<Window | undefined> {
    const { window } = (await this.context.call("get_active_window", {})).data;
    return window ? new Window(this.context, window) : undefined;
  }
}

async function openedWindow(
  context: Context,
  query: Pick<ToolInput<"wait_for">, "window_title" | "app_name" | "pid">,
  { timeoutMs = context.timeoutMs }: WaitOptions,
): Promise<Window> {
  const { data } = await context.call("wait_for", { condition: "window", ...query, timeout_ms: timeoutMs });
  // A met condition on windows names the window.
  return new Window(context, data.window as WindowInfo);
}

/** A running app: the scope of all its windows, menus and dialogs. */
export class App extends Area {
  readonly pid: number;
  readonly name: string;

  /** @internal */
  constructor(context: Context, pid: number, name: string) {
    super(context, { pid });
    this.pid = pid;
    this.name = name;
  }

  async windows(): Promise<readonly Window[]> {
    const { data } = await this.context.call("list_windows", { pid: this.pid });
    return data.windows.map((window) => new Window(this.context, window));
  }

  /** Its window with this title, once it is open. */
  async window(filter: Omit<WindowFilter, "app"> = {}): Promise<Window> {
    return openedWindow(this.context, { pid: this.pid, ...given({ window_title: filter.title }) }, filter);
  }

  /** Asks it to end; `force` kills it. */
  async quit({ force = false }: { readonly force?: boolean } = {}): Promise<ActionResult> {
    return (await this.context.call("quit_app", { pid: this.pid, force })).data;
  }
}

/** One window: elements of other windows of its app are not found in it. */
export class Window extends Area {
  readonly id: number;
  /** As it was when it was found. */
  readonly info: WindowInfo;

  /** @internal */
  constructor(context: Context, info: WindowInfo) {
    super(context, { window_id: info.window_id });
    this.id = info.window_id;
    this.info = info;
  }

  get title(): string {
    return this.info.title;
  }

  async focus(): Promise<ActionResult> {
    return (await this.context.call("focus_window", { window_id: this.id })).data;
  }

  async close(): Promise<ActionResult> {
    return (await this.context.call("set_window", { window_id: this.id, action: "close" })).data;
  }

  async minimize(): Promise<ActionResult> {
    return (await this.context.call("set_window", { window_id: this.id, action: "minimize" })).data;
  }

  async maximize(): Promise<ActionResult> {
    return (await this.context.call("set_window", { window_id: this.id, action: "maximize" })).data;
  }

  async restore(): Promise<ActionResult> {
    return (await this.context.call("set_window", { window_id: this.id, action: "restore" })).data;
  }

  async move(x: number, y: number): Promise<ActionResult> {
    return (await this.context.call("set_window", { window_id: this.id, action: "move", x, y })).data;
  }

  async resize(width: number, height: number): Promise<ActionResult> {
    return (await this.context.call("set_window", { window_id: this.id, action: "resize", width, height })).data;
  }
}

/** The text on the clipboard. */
export class Clipboard {
  readonly #context: Context;

  /** @internal */
  constructor(context: Context) {
    this.#context = context;
  }

  /** Null when it holds something other than text. */
  async read(): Promise<string | null> {
    return (await this.#context.call("get_clipboard", {})).data.text;
  }

  async write(text: string): Promise<ActionResult> {
    return (await this.#context.call("set_clipboard", { text })).data;
  }
}
