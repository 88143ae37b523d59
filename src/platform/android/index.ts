import { ToolError } from "../../base/errors.ts";
import type { CallOptions, Finding } from "../backend.ts";
import type { Device, DeviceEntry, Devices } from "../devices.ts";
import { Connection, connectNetwork, explained, failureOf, parseDevices, type SeenDevice } from "./connection.ts";
import { AndroidDevice, type OpenDeviceOptions } from "./device.ts";
import { explainFailure, isNetworkSerial } from "./failure.ts";
import { Link } from "./link.ts";
import { ConnectedSerials } from "./connected-serials.ts";
import { AdbServer, findAdb, howToGetAdb } from "./server.ts";

export interface DevicesOptions extends OpenDeviceOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Where to save which devices are connected, so that the next process can connect to them, too. */
  readonly memory?: string | undefined;
}

export async function openDevices(options: DevicesOptions): Promise<Devices> {
  const devices = new AdbDevices(options);
  await devices.resume();
  return devices;
}

class AdbDevices implements Devices {
  readonly #options: DevicesOptions;
  readonly #server: AdbServer;
  /** The most recently connected one is at the end. */
  readonly #devices = new Map<string, AndroidDevice>();
  readonly #memory: ConnectedSerials | undefined;
  /** Why a device is no longer connected. */
  readonly #lost = new Map<string, ToolError>();

  constructor(options: DevicesOptions) {
    this.#options = options;
    this.#server = new AdbServer(options.env);
    this.#memory =
      options.memory === undefined ? undefined : new ConnectedSerials(options.memory, this.#server.address);
  }

  /** Reconnects to what was connected before. A missing device is reported when somebody asks for it. */
  async resume(): Promise<void> {
    for (const serial of this.#memory?.serials() ?? []) {
      try {
        await this.#connect(serial, {});
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        this.#lost.set(serial, error);
      }
    }
  }

  async list(options: CallOptions): Promise<readonly DeviceEntry[]> {
    return (await this.#seen(options)).map((each) => ({ ...each, isConnected: this.#devices.has(each.serial) }));
  }

  async #seen({ signal }: CallOptions): Promise<readonly SeenDevice[]> {
    try {
      return parseDevices(await this.#server.request("host:devices-l", { signal }));
    } catch (error) {
      throw explained(error, "the adb server");
    }
  }

  async connect(given: string | undefined, options: CallOptions): Promise<Device> {
    const device = await this.#connect(given, options);
    this.#memory?.add(device.serial);
    return device;
  }

  async #connect(given: string | undefined, { signal }: CallOptions): Promise<Device> {
    const seen = await this.#seen({ signal });
    const serial = given ?? onlyOf(seen);
    const state = seen.find((each) => each.serial === serial)?.state;
    if (state !== "device") {
      const canReconnect = isNetworkSerial(serial) && (state === undefined || state === "offline");
      if (!canReconnect)
        throw state === undefined ? unknownDevice(serial, seen) : explainFailure(failureOf(state), serial);
      await connectNetwork(this.#server, serial, { signal }).catch((error: unknown) => {
        throw explained(error, serial);
      });
    }
    const device = this.#devices.get(serial) ?? (await this.#open(serial, { signal }));
    this.#devices.delete(serial);
    this.#devices.set(serial, device);
    this.#lost.delete(serial);
    return device;
  }

  async #open(serial: string, { signal }: CallOptions): Promise<AndroidDevice> {
    const connection = await Connection.open(this.#server, serial, { signal });
    try {
      return await AndroidDevice.open(connection, this.#options, { signal });
    } catch (error) {
      connection[Symbol.dispose]();
      throw error;
    }
  }

  async disconnect(serial: string | undefined): Promise<number> {
    const count = await this.#release(serial);
    const isLost = serial !== undefined && this.#lost.delete(serial);
    if (serial !== undefined && count === 0 && !isLost) throw notConnected(serial);
    if (serial === undefined) this.#lost.clear();
    this.#memory?.remove(serial);
    return count;
  }

  async #release(serial: string | undefined): Promise<number> {
    const gone = [...this.#devices.values()].filter((each) => serial === undefined || each.serial === serial);
    for (const device of gone) {
      this.#devices.delete(device.serial);
      await device[Symbol.asyncDispose]();
    }
    return gone.length;
  }

  find(serial: string | undefined): Device | undefined {
    return serial === undefined ? [...this.#devices.values()].at(-1) : this.#devices.get(serial);
  }

  device(serial: string | undefined): Device {
    const found = this.find(serial);
    if (found) return found;
    throw (serial === undefined ? [...this.#lost.values()].at(-1) : this.#lost.get(serial)) ?? notConnected(serial);
  }

  async diagnose(): Promise<readonly Finding[]> {
    const { host, port } = this.#server.address;
    const ability = "android";
    const link = await Link.open(host, port, undefined).catch(() => undefined);
    link?.[Symbol.dispose]();
    if (!link) {
      const program = findAdb(this.#options.env);
      return program === undefined
        ? [{ ability, status: "limited", detail: "adb is not installed.", fix: howToGetAdb }]
        : [
            {
              ability,
              status: "ok",
              detail: "adb is installed; its server is started when a device is asked for.",
            },
          ];
    }
    try {
      const seen = await this.#seen({});
      const summary = seen.length === 0 ? "no device" : seen.map((each) => `${each.serial} (${each.state})`).join(", ");
      return [{ ability, status: "ok", detail: `The adb server on ${host}:${port} answers; ${summary}.` }];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return [
        {
          ability,
          status: "limited",
          detail: error.message,
          fix: error.details.hint ?? "adb kill-server",
        },
      ];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release(undefined);
  }
}

function notConnected(serial: string | undefined): ToolError {
  return new ToolError("not_connected", serial ? `${serial} is not connected.` : "No Android device is connected.", {
    hint: "Call android_list_devices, then android_connect {serial}.",
  });
}

function onlyOf(seen: readonly SeenDevice[]): string {
  const [first, ...others] = seen;
  const usable = seen.filter(({ state }) => state === "device");
  if (first === undefined) {
    throw new ToolError("not_found", "adb sees no device.", {
      hint: 'Plug one in with USB debugging on, start an emulator, or give the address of one: android_connect {serial: "192.0.2.7:5555"}.',
    });
  }
  const only = others.length === 0 ? first : usable.length === 1 ? usable[0] : undefined;
  if (only) return only.serial;
  throw new ToolError("ambiguous_target", `${seen.length} devices are connected to this computer.`, {
    hint: "Name one of the candidates: android_connect {serial}.",
    candidates: seen.map(
      ({ serial, state, model }) => `${serial} (${state}${model === undefined ? "" : `, ${model}`})`,
    ),
  });
}

function unknownDevice(serial: string, seen: readonly SeenDevice[]): ToolError {
  return new ToolError("not_found", `adb does not see a device ${serial}.`, {
    hint: "Use a serial from android_list_devices, or host:port of a device on the network.",
    candidates: seen.map((each) => `${each.serial} (${each.state})`),
  });
}
