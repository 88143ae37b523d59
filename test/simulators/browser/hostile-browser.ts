import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { kill } from "../../support/xvfb.ts";

export interface HostileBrowser extends AsyncDisposable {
  readonly port: number;
}

export interface Hostility {
  /** Answers /json/version; by default, as a browser does. */
  readonly http?: (response: ServerResponse, request: IncomingMessage) => void;
  /** The address of the socket to report. */
  readonly url?: (port: number) => unknown;
  readonly onSocket?: (socket: WebSocket, raw: Socket) => void;
  /** Answers each message; undefined answers nothing. */
  readonly onMessage?: (message: BrowserRequest, socket: WebSocket) => unknown;
}

export interface BrowserRequest {
  readonly id: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Something on a port that claims to be a browser and behaves as badly as it is told to. */
export async function startHostileBrowser({ http, url, onSocket, onMessage }: Hostility): Promise<HostileBrowser> {
  const server = createServer((request, response) => {
    response.on("error", () => {});
    if (http) return http(response, request);
    const named = url ? url(port) : `ws://127.0.0.1:${port}/devtools/browser/1`;
    response.end(JSON.stringify({ Browser: "Hostile/1", webSocketDebuggerUrl: named }));
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket, request) => {
    socket.on("error", () => {});
    onSocket?.(socket, request.socket);
    socket.on("message", (data: Buffer) => {
      const said = onMessage?.(JSON.parse(data.toString()) as BrowserRequest, socket);
      if (said !== undefined) socket.send(typeof said === "string" ? said : JSON.stringify(said));
    });
  });
  sockets.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { child, port } = await forward((server.address() as AddressInfo).port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await kill(child);
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const forwarder = `
const net = require("node:net");
const server = net.createServer((from) => {
  const to = net.connect(Number(process.argv[1]), "127.0.0.1");
  for (const [one, other] of [[from, to], [to, from]]) one.on("error", () => other.destroy()).on("close", () => other.destroy()).pipe(other);
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** A separate process in front of it: handsight refuses ports of the process that started it, which is this one. */
async function forward(to: number): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = spawn(process.execPath, ["-e", forwarder, String(to)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, port: Number(line.toString()) };
}
