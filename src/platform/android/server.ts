import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import { AdbFailure } from "./failure.ts";
import { Link } from "./link.ts";
import { decodeLength, encodeRequest } from "./wire.ts";

export interface RequestOptions extends CallOptions {
  readonly timeoutMs?: number | undefined;
}

export interface AdbAddress {
  readonly host: string;
  readonly port: number;
}

const isLocal = ({ host }: AdbAddress): boolean => ["127.0.0.1", "localhost", "::1"].includes(host);

/** Where the adb server listens, determined as the adb command does it. */
export function adbAddress(env: NodeJS.ProcessEnv): AdbAddress {
  const [, host, port] = /^tcp:(?:(.+):)?(\d+)$/.exec(env["ADB_SERVER_SOCKET"] ?? "") ?? [];
  if (port !== undefined) return { host: host ?? "127.0.0.1", port: Number(port) };
  const given = Number(env["ANDROID_ADB_SERVER_PORT"]);
  const isPort = Number.isInteger(given) && given > 0 && given < 65_536;
  return { host: env["ANDROID_ADB_SERVER_ADDRESS"] ?? "127.0.0.1", port: isPort ? given : 5037 };
}

const defaultTimeoutMs = 10_000;
const startMs = 15_000;

export const howToGetAdb =
  "Install it (`sudo apt-get install adb`, or Android's platform-tools) and put it on PATH or set ANDROID_HOME.";

/** The adb server of this machine, spoken to directly. It is started when it is not running, and never stopped. */
export class AdbServer {
  readonly address: AdbAddress;
  readonly #env: NodeJS.ProcessEnv;
  #starting: Promise<void> | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.address = adbAddress(env);
  }

  /** A service of the server that answers with one text. */
  async request(service: string, { signal, timeoutMs = defaultTimeoutMs }: RequestOptions = {}): Promise<string> {
    return withDeadline({ ms: timeoutMs, what: `adb ${service}`, signal }, async (inner) => {
      using link = await this.open(service, inner);
      return await readText(link);
    });
  }

  /** A service of the server; what follows its OKAY is read from the link. */
  async open(service: string, signal: AbortSignal | undefined): Promise<Link> {
    const link = await this.#connect(signal);
    try {
      await ask(link, service);
      return link;
    } catch (error) {
      link[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * A service of a device. When the server hands the connection over to the device it drops what it has read ahead,
   * so the second request waits for the answer to the first.
   */
  async openOn(serial: string, service: string, signal: AbortSignal | undefined): Promise<Link> {
    const link = await this.open(`host:transport:${serial}`, signal);
    try {
      await ask(link, service);
      return link;
    } catch (error) {
      link[Symbol.dispose]();
      throw error;
    }
  }

  async #connect(signal: AbortSignal | undefined): Promise<Link> {
    const { host, port } = this.address;
    try {
      return await Link.open(host, port, signal);
    } catch (error) {
      if (error instanceof ToolError) throw error;
    }
    await (this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    }));
    try {
      return await Link.open(host, port, signal);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new ToolError("not_connected", `The adb server on ${host}:${port} does not answer.`, {
        hint: "Run `adb kill-server && adb start-server` and look at what it prints.",
        cause: error,
      });
    }
  }

  async #start(): Promise<void> {
    const { host, port } = this.address;
    if (!isLocal(this.address)) {
      throw new ToolError("not_connected", `No adb server answers on ${host}:${port}.`, {
        hint: "Start it on that machine with `adb -a nodaemon server`, or unset ANDROID_ADB_SERVER_ADDRESS.",
      });
    }
    const program = findAdb(this.#env);
    if (program === undefined) {
      throw new ToolError("not_supported", `adb is not installed, and no adb server answers on ${host}:${port}.`, {
        hint: howToGetAdb,
      });
    }
    const said = await run(program, ["start-server"], { ...this.#env, ANDROID_ADB_SERVER_PORT: String(port) });
    if (said === undefined) return;
    throw new ToolError("not_connected", `The adb server does not start: ${said.trim().slice(0, 300) || program}.`, {
      hint: "Run `adb start-server` yourself and look at what it prints.",
    });
  }
}

/** The adb program, in the places where Android's own tools look for it. */
export function findAdb(env: NodeJS.ProcessEnv): string | undefined {
  const sdks = [env["ANDROID_HOME"], env["ANDROID_SDK_ROOT"], env["HOME"] && join(env["HOME"], "Android", "Sdk")];
  const folders = [
    ...(env["PATH"] ?? "").split(delimiter),
    ...sdks.flatMap((sdk) => (sdk ? [join(sdk, "platform-tools")] : [])),
  ];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "adb"))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The error output of the program; undefined when it succeeded. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve(`it did not start within ${startMs} ms`);
    }, startMs);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve(error.message);
    });
    // Not "close": the server that it leaves behind may keep the pipe open.
    child.once("exit", (code) => {
      clearTimeout(timer);
      child.stderr.destroy();
      resolve(code === 0 ? undefined : said);
    });
  });
}

async function ask(link: Link, service: string): Promise<void> {
  link.send(encodeRequest(service));
  const status = (await link.exactly(4)).toString("latin1");
  if (status === "OKAY") return;
  if (status === "FAIL") throw new AdbFailure(await readText(link));
  throw new AdbFailure(`protocol fault: "${status}" instead of OKAY or FAIL`);
}

/** A text preceded by its length. */
export async function readText(link: Link): Promise<string> {
  const length = decodeLength(await link.exactly(4));
  if (length === undefined) throw new AdbFailure("protocol fault: a text without a length");
  return (await link.exactly(length)).toString("utf8");
}
