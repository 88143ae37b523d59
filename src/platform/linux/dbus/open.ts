import { connect, type Socket } from "node:net";
import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import { parseAddress, showEndpoint, type Endpoint } from "./address.ts";
import { Bus } from "./bus.ts";

export interface OpenBusOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** For each endpoint of the address. */
  readonly timeoutMs?: number;
  /** A peer is one program without a daemon in between: nobody to say Hello to. */
  readonly peer?: boolean;
}

/**
 * Connects to the first endpoint of the address that answers; fails with `not_connected` and lists all that were
 * tried.
 */
export async function openBus(address: string, options: OpenBusOptions): Promise<Bus> {
  const failures: string[] = [];
  for (const endpoint of parseAddress(address, options.env)) {
    try {
      const bus = await handshake(endpoint, options);
      if (!options.peer) await bus.hello(options);
      return bus;
    } catch (error) {
      if (error instanceof ToolError && error.code === "cancelled") throw error;
      failures.push(`${showEndpoint(endpoint)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new ToolError("not_connected", `No D-Bus answers at ${address} (${failures.join("; ")}).`, {
    hint: "Check DBUS_SESSION_BUS_ADDRESS and that dbus-daemon is running.",
  });
}

function handshake(endpoint: Endpoint, { signal, timeoutMs = 2000, peer }: OpenBusOptions): Promise<Bus> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled(signal));
    const where = showEndpoint(endpoint);
    let bus: Bus | undefined;
    let greeting = Buffer.alloc(0);
    const receive = (chunk: Buffer): void => {
      if (bus) return bus.receive(chunk);
      greeting = Buffer.concat([greeting, chunk]);
      const end = greeting.indexOf("\r\n");
      if (end < 0) return greeting.length > longestGreeting ? fail(new Error("it does not speak D-Bus")) : undefined;
      const line = greeting.toString("latin1", 0, end);
      if (!line.startsWith("OK ")) return fail(new Error(`it refused to authenticate us: ${line}`));
      socket.write("BEGIN\r\n");
      bus = new Bus(where, socket, peer);
      finish();
      bus.receive(greeting.subarray(end + 2));
      resolve(bus);
    };
    const socket: Socket = connect({
      ...endpoint,
      onread: {
        buffer: Buffer.allocUnsafeSlow(256 * 1024),
        callback: (count, buffer) => {
          receive(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const onAbort = () => fail(cancelled(signal as AbortSignal));
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: Error) => {
      finish();
      socket.destroy();
      reject(error);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.on("connect", () => socket.write(`\0AUTH EXTERNAL ${ownIdentity()}\r\n`));
    socket.on("error", (error) => (bus ? bus.lose(`The D-Bus at ${where} was lost: ${error.message}.`) : fail(error)));
    socket.on("close", () =>
      bus ? bus.lose(`The D-Bus at ${where} has gone.`) : fail(new Error("it closed the connection")),
    );
  });
}

const longestGreeting = 16 * 1024;

/** EXTERNAL: the kernel tells the other side who we are; the text only has to match. */
const ownIdentity = (): string => Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
