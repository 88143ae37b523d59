import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface PageServer extends AsyncDisposable {
  readonly url: string;
  /** What the page last reported about itself. */
  readonly state: () => unknown;
}

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css" };
const longestBody = 1_000_000;

/** Serves the pages of a folder, and records what they POST to /state. */
export async function servePages(folder: string): Promise<PageServer> {
  let state: unknown;
  const server = createServer((request, response) => {
    const name = (request.url ?? "/").slice(1).replace(/[?#].*$/, "");
    if (request.method === "POST" && name === "state") {
      const taken = readBody(request).then((body) => (state = JSON.parse(body)));
      return void taken.then(
        () => response.writeHead(204).end(),
        () => response.writeHead(400).end(),
      );
    }
    const file = join(folder, name);
    // One name without a folder: nothing else on the disk can be requested.
    const type = types[/^[\w-]+\.(html|css)$/.exec(name)?.[1] ?? ""];
    if (type === undefined || !existsSync(file)) return void response.writeHead(404).end();
    response
      .writeHead(200, { "content-type": `${type}; charset=utf-8`, "cache-control": "no-store" })
      .end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state: () => state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > longestBody) throw new Error("too long");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
