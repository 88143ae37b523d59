import { connect, type Socket } from "node:net";
import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import {
  endpoints,
  findCredentials,
  parseDisplay,
  type Credentials,
  type DisplayAddress,
  type Endpoint,
} from "./auth.ts";
import { Connection } from "./connection.ts";
import { Incoming } from "./incoming.ts";
import { parseSetup, setupLength, setupRequest } from "./setup.ts";
import { RequestWriter } from "./wire.ts";

export interface OpenOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** For each place where the server may listen. */
  readonly timeoutMs?: number;
}

/** Connects to a display such as ":0"; fails with `not_connected` and lists everything that was tried. */
export async function openConnection(displayName: string | undefined, options: OpenOptions): Promise<Connection> {
  const address = parseDisplay(displayName, Boolean(options.env["WAYLAND_DISPLAY"]));
  const credentials = await findCredentials(address, options.env);
  const failures: string[] = [];
  for (const endpoint of endpoints(address)) {
    try {
      const connection = await handshake(address, endpoint, credentials, options);
      await enableBigRequests(connection).catch((error: unknown) => {
        connection.close();
        throw error;
      });
      return connection;
    } catch (error) {
      if (error instanceof ToolError) throw error;
      failures.push(`${show(endpoint)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new ToolError("not_connected", `No X server answers for display ${address.name} (${failures.join("; ")}).`, {
    hint: 'Start the X server or correct DISPLAY, or let handsight start its own desktop with "--desktop virtual".',
  });
}

const show = (endpoint: Endpoint): string =>
  "path" in endpoint ? endpoint.path.replace("\0", "@") : `${endpoint.host}:${endpoint.port}`;

/** Rejects with a plain Error when nothing listens there (try the next place), with a ToolError when it is final. */
function handshake(
  address: DisplayAddress,
  endpoint: Endpoint,
  credentials: Credentials,
  { signal, timeoutMs = 5000 }: OpenOptions,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled(signal));
    let connection: Connection | undefined;
    const head = new Incoming(8, setupLength);
    const receive = (chunk: Buffer): void => {
      if (connection) return connection.receive(chunk);
      for (const message of head.add(chunk)) {
        try {
          connection = new Connection(address.name, parseSetup(message, address.name, address.screen), socket);
        } catch (error) {
          return fail(error);
        }
        finish();
        resolve(connection);
      }
    };
    const socket: Socket = connect({
      ...endpoint,
      // One buffer for all reads instead of a new one each: a screen over the socket is 8 MB.
      onread: {
        buffer: Buffer.allocUnsafeSlow(256 * 1024),
        callback: (count, buffer) => {
          receive(Buffer.from(buffer.buffer, buffer.byteOffset, count));
          return true;
        },
      },
    });
    const timer = setTimeout(() => fail(timedOut(address, timeoutMs)), timeoutMs);
    const onAbort = () => fail(cancelled(signal as AbortSignal));
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown) => {
      finish();
      socket.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.setNoDelay(true);
    socket.on("connect", () => socket.write(setupRequest(credentials)));
    socket.on("error", (error) => {
      if (connection) connection.lose(`The connection to display ${address.name} was lost: ${error.message}.`, error);
      else fail(error);
    });
    socket.on("close", () => {
      if (connection) connection.lose(`The X server of display ${address.name} has gone.`);
      else fail(new Error("the server closed the connection"));
    });
  });
}

function timedOut(address: DisplayAddress, timeoutMs: number): ToolError {
  return new ToolError(
    "not_connected",
    `The X server of display ${address.name} did not answer within ${timeoutMs} ms.`,
    {
      hint: "The server is hung or still starting; try again, or restart it.",
    },
  );
}

async function enableBigRequests(connection: Connection): Promise<void> {
  const extension = await connection.extension("BIG-REQUESTS");
  if (!extension) return;
  const reply = await connection.request("BigRequests.Enable", new RequestWriter(extension.opcode, 0));
  connection.allowRequestBytes(reply.u32() * 4);
}
