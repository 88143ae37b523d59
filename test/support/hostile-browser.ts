import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";

export interface HostileBrowser extends AsyncDisposable {
  readonly port: number;
}

export interface Hostility {
  /** Answers /json/version; without it, as a browser does. */
  readonly http?: (response: ServerResponse, request: IncomingMessage) => void;
  /** What the address of the socket says. */
  readonly url?: (port: number) => unknown;
  readonly onSocket?: (socket: WebSocket, raw: Socket) => void;
  /** Answers each message; undefined answers nothing. */
  readonly onMessage?: (message: BrowserRequest) => unknown;
}

export interface BrowserRequest {
  readonly id: number;
  readonly method: string;
}

/** Something on a port that says it is a browser and behaves as badly as it is told to. */
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
      const said = onMessage?.(JSON.parse(data.toString()) as BrowserRequest);
      if (said !== undefined) socket.send(typeof said === "string" ? said : JSON.stringify(said));
    });
  });
  sockets.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
