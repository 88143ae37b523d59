import { withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import { AdbFailure, explainFailure, isLost, isNetworkSerial } from "./failure.ts";
import { readText, type AdbServer } from "./server.ts";
import { runCommand, Shells, type ShellOptions, type ShellResult } from "./shell.ts";

const connectMs = 10_000;
// A daemon that restarts is back within a quarter of a second; a booting device is not waited for.
const backMs = 3_000;
const ownWayMs = 600;

/** One device, reached through the adb server. Reads are retried after a lost connection, input never. */
export class Connection implements Disposable {
  readonly serial: string;
  readonly server: AdbServer;
  /** Undefined before Android 7, where only a separate stream shows which output belongs to a command. */
  readonly #shells: Shells | undefined;

  constructor(server: AdbServer, serial: string, hasVersion2: boolean) {
    this.server = server;
    this.serial = serial;
    this.#shells = hasVersion2 ? new Shells(server, serial) : undefined;
  }

  static async open(server: AdbServer, serial: string, options: CallOptions): Promise<Connection> {
    try {
      const features = await server.request(`host-serial:${serial}:features`, options);
      return new Connection(server, serial, features.split(",").includes("shell_v2"));
    } catch (error) {
      throw explained(error, serial);
    }
  }

  /** Reads: returns what the command prints, including errors. */
  async read(command: string, options: ShellOptions = {}): Promise<string> {
    return (await this.fetch(command, options)).stdout.toString("utf8");
  }

  /** Reads: returns the complete result of the command. */
  fetch(command: string, options: ShellOptions = {}): Promise<ShellResult> {
    return this.#again(options, () => this.#run(command, options));
  }

  /** Sends input, once. After a lost connection it is unknown whether it arrived. */
  async send(command: string, options: ShellOptions = {}): Promise<ShellResult> {
    try {
      return await this.#run(command, { output: "little", ...options });
    } catch (error) {
      if (isLost(error)) await recover(this.server, this.serial, options).catch(() => {});
      throw silent(explained(error, this.serial), "It may still arrive: look before doing it again.");
    }
  }

  #run(command: string, options: ShellOptions): Promise<ShellResult> {
    return this.#shells?.run(command, options) ?? runCommand(this.server, this.serial, command, options);
  }

  async #again<T>(options: CallOptions, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!isLost(error))
        throw silent(explained(error, this.serial), "Check with android_list_devices whether it is still there.");
      this.#shells?.[Symbol.dispose]();
      await recover(this.server, this.serial, options);
    }
    try {
      return await ask();
    } catch (error) {
      throw explained(error, this.serial);
    }
  }

  [Symbol.dispose](): void {
    this.#shells?.[Symbol.dispose]();
  }
}

/** Adds a hint to the error of a device that does not respond at all. */
function silent(error: unknown, hint: string): unknown {
  const isLate = error instanceof ToolError && error.code === "timeout";
  return isLate && error.details.hint === undefined ? new ToolError("timeout", error.message, { hint }) : error;
}

/** Resolves when adb can use the device again. */
async function recover(server: AdbServer, serial: string, options: CallOptions): Promise<void> {
  if (!isNetworkSerial(serial)) return waitForDevice(server, serial, backMs, options);
  try {
    // Newer servers reconnect by themselves.
    await waitForDevice(server, serial, ownWayMs, options);
  } catch (error) {
    if (options.signal?.aborted || !(error instanceof ToolError)) throw error;
    await connectNetwork(server, serial, options);
  }
}

const connectTries = 3;

/** Older servers keep a lost device as "offline" forever, unless it is disconnected first. */
export async function connectNetwork(server: AdbServer, serial: string, options: CallOptions): Promise<void> {
  for (let left = connectTries; ; left--) {
    await server.request(`host:disconnect:${serial}`, options).catch(ignoreRefusal);
    const said = await server
      .request(`host:connect:${serial}`, { ...options, timeoutMs: connectMs })
      .catch((error: unknown) => saidInstead(error, serial));
    if (said !== "" && !/^(already )?connected to/.test(said)) throw explainFailure(said, serial);
    try {
      return await waitForDevice(server, serial, said === "" ? ownWayMs : backMs, options);
    } catch (error) {
      if (said !== "" || left <= 1 || options.signal?.aborted) throw error;
    }
  }
}

/** While it drops the old connection, the server says OKAY and then nothing: it may have worked or not. */
function saidInstead(error: unknown, serial: string): string {
  if (isLost(error)) return "";
  if (error instanceof ToolError && error.code === "timeout")
    return `failed to connect to '${serial}': it says nothing`;
  throw error;
}

/** It is not connected, which is what we wanted. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AdbFailure)) throw error;
}

/** Resolves when adb can use the device; the server reports every change. */
async function waitForDevice(server: AdbServer, serial: string, ms: number, { signal }: CallOptions): Promise<void> {
  let state: string | undefined;
  const watch = async (inner: AbortSignal): Promise<void> => {
    using link = await server.open("host:track-devices", inner);
    do {
      state = parseDevices(await readText(link)).find((each) => each.serial === serial)?.state;
    } while (state !== undefined && state !== "device");
  };
  try {
    await withDeadline({ ms, what: `Waiting for ${serial}`, signal }, watch);
  } catch (error) {
    if (signal?.aborted || !(error instanceof ToolError) || error.code !== "timeout") throw explained(error, serial);
  }
  if (state === "device") return;
  throw explainFailure(state === undefined ? `device '${serial}' not found` : failureOf(state), serial);
}

export interface SeenDevice {
  readonly serial: string;
  readonly state: string;
  readonly model: string | undefined;
}

/** The lines of `host:devices-l` and `host:track-devices`. */
export function parseDevices(text: string): readonly SeenDevice[] {
  return text.split("\n").flatMap((line) => {
    const [, serial, rest] = /^(\S+)\s+(.+)$/.exec(line) ?? [];
    if (serial === undefined || rest === undefined) return [];
    const state = rest.startsWith("no permissions") ? "no permissions" : (rest.split(/\s+/)[0] ?? "");
    const [, model] = /\bmodel:(\S+)/.exec(rest) ?? [];
    return [{ serial, state, model: model?.replaceAll("_", " ") }];
  });
}

/** What adb would answer for a device in this state. */
export const failureOf = (state: string): string =>
  state === "no permissions" ? state : `device ${state === "authorizing" ? "still authorizing" : state}`;

export const explained = (error: unknown, serial: string): unknown =>
  error instanceof AdbFailure ? explainFailure(error.message, serial) : error;
