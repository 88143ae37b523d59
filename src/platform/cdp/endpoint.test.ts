import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readVersion } from "./endpoint.ts";

async function answering(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const named = (webSocketDebuggerUrl: string) =>
  answering((_request, response) => response.end(JSON.stringify({ Browser: "Chrome/1", webSocketDebuggerUrl })));

test.each([
  "ws://localhost:9222/devtools/browser/x",
  "ws://user:password@127.0.0.1:9222/devtools/browser/x",
  "ws://0.0.0.0:3000/devtools/browser/x",
  "ws://[::1]:9222/devtools/browser/x",
])("the socket is at the address that answered, not at %s", async (url) => {
  const port = await named(url);
  expect(await readVersion({ host: "127.0.0.1", port })).toEqual({
    browser: "Chrome/1",
    url: `ws://127.0.0.1:${port}/devtools/browser/x`,
  });
});

test.each([
  ["ws://169.254.169.254/devtools/browser/x", "169.254.169.254"],
  ["ws://user:password@evil.test:9222/devtools/browser/x", "evil.test"],
  ["ws://127.0.0.1.evil.test/devtools/browser/x", "127.0.0.1.evil.test"],
  ["ws://127.0.0.1@evil.test/devtools/browser/x", "evil.test"],
  ["wss://[2001:db8::1]:9222/devtools/browser/x", "[2001:db8::1]"],
])("a socket on another host, %s, is refused", async (url, host) => {
  const port = await named(url);
  await expect(readVersion({ host: "127.0.0.1", port })).rejects.toMatchObject({
    code: "not_connected",
    message: `127.0.0.1:${port} names a DevTools socket on another host, "${host}".`,
  });
});

test.each([301, 302, 307, 308])("a redirect, %d, is not followed", async (status) => {
  const asked: (string | undefined)[] = [];
  const port = await answering((request, response) => {
    asked.push(request.url);
    response.writeHead(status, { location: "/latest/meta-data" }).end();
  });
  await expect(readVersion({ host: "127.0.0.1", port })).rejects.toMatchObject({ code: "not_connected" });
  expect(asked).toEqual(["/json/version"]);
});

test.each(["::1", "[::1]"])("an address with colons, %s, is distinguished from the port", async (host) => {
  await expect(readVersion({ host, port: 1 })).rejects.toThrow("Nothing answers as a browser on [::1]:1.");
});
