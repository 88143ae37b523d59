import { createServer, type RequestListener } from "node:http";
import { createServer as createTcp, type AddressInfo, type Server } from "node:net";
import { WebSocketServer } from "ws";

export interface Ports extends AsyncDisposable {
  /** The address of the pages. */
  readonly pages: string;
  /** Ports where something other than the expected browser or device answers. */
  readonly hostile: readonly number[];
}

const form = `<!doctype html><title>Form</title><main><h1>Order</h1><label>Name <input id=name></label>
<label>Notes <textarea></textarea></label><label><input type=checkbox> Agree</label><label>Password <input type=password></label>
<select aria-label=Size><option>Small<option>Large</select><button onclick="this.textContent='Sent'">Send</button>
<a href=/plain>Plain</a><canvas width=200 height=80></canvas></main>`;
const pages: Readonly<Record<string, string>> = {
  "/plain":
    "<!doctype html><title>Plain</title><h1>Plain</h1><button onclick=\"this.textContent='pressed'\">Press</button>",
  "/form": form,
  "/many": `<!doctype html><title>Many</title>${"<p>Some text <button>Buy</button></p>".repeat(400)}`,
  "/alert": "<!doctype html><title>Alert</title><button onclick=\"alert('hello')\">Ask</button>",
  "/restless":
    "<!doctype html><title>Restless</title><button>B</button><script>setTimeout(() => location.replace('/restless?' + Math.random()), 80)</script>",
  "/closing": "<!doctype html><title>Closing</title><script>setTimeout(() => window.close(), 50)</script>",
  "/painting":
    "<!doctype html><title>Painting</title><canvas id=c width=400 height=300></canvas><script>const x=c.getContext('2d');(function p(){x.fillStyle='#'+Math.random().toString(16).slice(2,8);x.fillRect(Math.random()*400,Math.random()*300,50,50);requestAnimationFrame(p)})()</script>",
};

/** Pages for the browser, and peers that follow no protocol. */
export async function openPorts(): Promise<Ports> {
  const pageServer = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    if (path === "/never") return;
    const text = pages[path];
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/html" }).end(text ?? "not found");
  });
  const answering = (answer: RequestListener): Server => createServer(answer);
  const version =
    (extra: object): RequestListener =>
    (_, response) =>
      void response.end(JSON.stringify({ Browser: "Chrome/1", ...extra }));
  const babbling = createServer(version({ webSocketDebuggerUrl: "ws://127.0.0.1/devtools/browser/x" }));
  const sockets = new WebSocketServer({ server: babbling, maxPayload: 1 << 20 });
  let connections = 0;
  sockets.on("connection", (socket) => {
    socket.on("error", () => {});
    const babble = [
      () => socket.send("not json"),
      () => socket.send(JSON.stringify({ id: 1, result: null })),
      () => socket.send(Buffer.alloc(100_000)),
      () => socket.send(JSON.stringify({ id: 1, error: "no object" })),
      () => socket.send(JSON.stringify({ id: 1, result: { targetInfos: [null, {}] } })),
      () => socket.terminate(),
    ];
    babble[connections++ % babble.length]?.();
    setTimeout(() => socket.terminate(), 1_000).unref();
  });
  const all = [
    answering((_, response) => void response.end("<html>not json")),
    answering((_, response) => void response.end("null")),
    answering(version({ webSocketDebuggerUrl: "no address" })),
    answering(version({ webSocketDebuggerUrl: "ws://127.0.0.1:1/x" })),
    answering((_, response) => void response.end(`{"x":"${"x".repeat(20_000_000)}`)),
    babbling,
    // Accepts every connection and never sends anything.
    createTcp((socket) => void socket.on("error", () => {}).resume()),
    createTcp((socket) => socket.on("error", () => {}).end("OKAYffff\0\0garbage\r\n\r\n")),
  ];
  const servers = [pageServer, ...all];
  const open = new Set<{ destroy(): void }>();
  for (const server of servers) {
    server.on("connection", (socket) => {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  return {
    pages: `http://127.0.0.1:${portOf(pageServer)}`,
    hostile: all.map(portOf),
    async [Symbol.asyncDispose]() {
      sockets.close();
      for (const socket of open) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
