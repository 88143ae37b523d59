import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readVersion } from "./endpoint.ts";

test("the socket is at the address that answered, not at the one the browser knows itself by", async () => {
  const server = createServer((_request, response) =>
    response.end(
      JSON.stringify({ Browser: "Chrome/1", webSocketDebuggerUrl: "ws://localhost:9222/devtools/browser/x" }),
    ),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const version = await readVersion({ host: "127.0.0.1", port });
  server.close();
  expect(version).toEqual({ browser: "Chrome/1", url: `ws://127.0.0.1:${port}/devtools/browser/x` });
});

test.each(["::1", "[::1]"])("an address with colons, %s, is told from the port", async (host) => {
  await expect(readVersion({ host, port: 1 })).rejects.toThrow("Nothing answers as a browser on [::1]:1.");
});
