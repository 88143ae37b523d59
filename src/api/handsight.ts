import { ToolError } from "../base/errors.ts";
import type { ToolInput, ToolName, ToolOutput } from "../tools/registry.ts";
import type { ToolDescription } from "../tools/describe.ts";
import { Browser } from "./browser.ts";
import type { Context } from "./context.ts";
import { Desktop } from "./desktop.ts";
import { Device } from "./device.ts";

export interface FlowOptions {
  /** Variables; they override those of the file. */
  readonly vars?: Readonly<Record<string, string | number | boolean>>;
}

/** What came of a flow, for each row of its data. */
export type FlowRun = ToolOutput<"run_flow">;

/** One session: its surfaces, and every tool. Close it, or declare it with `await using`. */
export class Handsight implements AsyncDisposable {
  readonly desktop: Desktop;
  readonly browser: Browser;
  readonly #context: Context;
  readonly #tools: () => readonly ToolDescription[];
  readonly #close: () => Promise<void>;

  /** @internal */
  constructor(context: Context, tools: () => readonly ToolDescription[], close: () => Promise<void>) {
    this.#context = context;
    this.#tools = tools;
    this.#close = close;
    this.desktop = new Desktop(context);
    this.browser = new Browser(context);
  }

  /** Connects to an Android device; the only one when no serial is given. */
  async android(serial?: string): Promise<Device> {
    const { device } = (await this.#context.call("android_connect", serial === undefined ? {} : { serial })).data;
    return new Device(this.#context, device);
  }

  /** Calls any tool; what it takes and answers is typed by its own schema. Throws `ToolError`. */
  async call<Name extends ToolName>(tool: Name, input: ToolInput<Name>): Promise<ToolOutput<Name>> {
    return (await this.#context.call(tool, input)).data;
  }

  /**
   * Plays a flow file in this session. Throws when it does not pass, with the step and its line, so that a test that calls it
   * fails.
   */
  async runFlow(file: string, { vars = {} }: FlowOptions = {}): Promise<FlowRun> {
    const { data } = await this.#context.call("run_flow", { file, vars: { ...vars } });
    const failed = data.runs.find(({ status }) => status !== "passed");
    if (!failed) return data;
    const { step = "1", line = 1, reason = failed.status, hint, candidates } = failed.failed ?? {};
    throw new ToolError("not_confirmed", `${file}:${line}: step ${step}: ${reason}`, {
      ...(hint === undefined ? {} : { hint }),
      ...(candidates ? { candidates } : {}),
    });
  }

  /** The tools of this session, as a model would see them. */
  get tools(): readonly ToolDescription[] {
    return this.#tools();
  }

  /** Ends apps, browsers and desktops that it has started, and releases the rest. */
  async close(): Promise<void> {
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
