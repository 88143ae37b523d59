import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import type { ErrorCode } from "../../../src/base/errors.ts";
import { startHostileBrowser, type Hostility } from "../../simulators/browser/hostile-browser.ts";
import type { RawServer } from "../../support/raw-server.ts";
import { expect } from "vitest";
import { expectDone, expectRefused, type Attack } from "./attack.ts";
import { lies } from "./lies.ts";

export interface PeerStage {
  readonly server: RawServer;
  readonly adb: HostileAdb;
}

const mb = 1024 * 1024;
const refused: readonly ErrorCode[] = ["not_connected", "timeout"];
const target = { targetId: "t", type: "page", title: "a", url: "http://a.test/", attached: false };

/** Answers like a browser with one page, until the attack begins. */
const honest = (id: number, method: string): unknown =>
  ({
    "Target.getTargets": { id, result: { targetInfos: [target] } },
    "Target.attachToTarget": { id, result: { sessionId: "s" } },
    "Target.getTargetInfo": { id, result: { targetInfo: target } },
    "Page.getFrameTree": { id, result: { frameTree: { frame: { id: "f", url: "http://a.test/", loaderId: "l" } } } },
    "Page.createIsolatedWorld": { id, result: { executionContextId: 1 } },
    "Page.addScriptToEvaluateOnNewDocument": { id, result: { identifier: "1" } },
    "Runtime.evaluate": { id, result: { result: { type: "object", objectId: "o" } } },
  })[method] ?? { id, result: {} };

const browser = (name: string, hostility: Hostility, codes = refused): Attack<PeerStage> => ({
  name: `a browser ${name}`,
  async run({ server }) {
    await using hostile = await startHostileBrowser(hostility);
    expectRefused(await server.call("cdp_connect", { port: hostile.port }), ...codes);
  },
});

/** Connects normally; then requests to its page go wrong. */
const page = (
  name: string,
  onMessage: NonNullable<Hostility["onMessage"]>,
  tool = "take_screenshot",
): Attack<PeerStage> => ({
  name: `a browser whose page ${name}`,
  async run({ server }) {
    await using hostile = await startHostileBrowser({ onMessage });
    const connected = await server.call("cdp_connect", { port: hostile.port });
    const { pages } = expectDone(connected) as { pages: readonly { readonly surface: string }[] };
    const surface = pages[0]?.surface;
    expect(surface).toBeDefined();
    expectRefused(await server.call(tool, { surface }), ...refused, "window_gone", "not_found", "not_supported");
    await server.call("cdp_disconnect");
  },
});

export const browserAttacks: readonly Attack<PeerStage>[] = [
  browser("that answers garbage", { http: (response) => response.end("\u0000<html>{{{") }),
  browser("that answers null", { http: (response) => response.end("null") }),
  browser("whose answer never ends", {
    http(response) {
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    },
  }),
  browser("that answers drop by drop", {
    http(response) {
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    },
  }),
  browser("that sends elsewhere", {
    http: (response, { headers }) => response.writeHead(302, { location: `http://${headers.host}/json/again` }).end(),
  }),
  browser("whose socket is no address", { url: () => "%%%" }),
  browser("whose socket is a file", { url: () => "file:///etc/passwd" }),
  browser("whose socket is a number", { url: () => 7 }),
  browser("whose socket closes at once", { onSocket: (socket) => socket.terminate() }),
  browser("whose socket speaks no WebSocket", { onSocket: (_socket, raw) => raw.write("garbage".repeat(1_000)) }),
  browser("that says no to everything", { onMessage: ({ id }) => ({ id, error: { message: 7 } }) }),
  browser("that answers null to everything", { onMessage: ({ id }) => ({ id, result: null }) }),
  browser("whose pages are of the wrong kind", {
    onMessage: ({ id }) => ({ id, result: { targetInfos: [null, 7, { targetId: {}, type: "page", url: 7 }] } }),
  }),
  browser("whose pages are no list", { onMessage: ({ id }) => ({ id, result: { targetInfos: "pages" } }) }),
  browser("that sends events of the wrong kind before it closes", {
    onSocket(socket) {
      const events = ["targetCreated", "targetInfoChanged", "targetDestroyed", "targetCrashed", "detachedFromTarget"];
      for (const event of events) {
        for (const params of [
          undefined,
          null,
          7,
          "x",
          [],
          {},
          { targetInfo: null },
          { targetInfo: { type: "page" } },
        ]) {
          socket.send(JSON.stringify({ method: `Target.${event}`, params }));
        }
      }
      for (const text of ["null", "7", "[]", "{", '{"id":null}', '{"method":7}', '{"id":{},"result":1}'])
        socket.send(text);
      setTimeout(() => socket.close(), 200);
    },
  }),
  // Not read, and so not waited for either.
  browser(
    "that sends 200 MB in one message",
    { onMessage: ({ id, method }) => (method === "Target.getTargets" ? "x".repeat(200 * mb) : { id, result: {} }) },
    ["not_connected"],
  ),
  {
    name: "a browser that floods with pages and events",
    async run({ server }) {
      await using hostile = await startHostileBrowser({
        onSocket(socket) {
          for (let count = 0; count < 20_000; count++) {
            const targetInfo = { ...target, targetId: `t${count}`, title: "x".repeat(500) };
            socket.send(JSON.stringify({ method: "Target.targetCreated", params: { targetInfo } }));
          }
        },
        onMessage: ({ id, method }) => honest(id, method),
      });
      const { result, error } = await server.call("cdp_connect", { port: hostile.port });
      if (error) throw new Error(error.message);
      const { pages = [] } = (result?.structuredContent ?? {}) as { pages?: unknown[] };
      if (pages.length > 1_000) throw new Error(`${pages.length} pages are kept`);
      await server.call("cdp_disconnect");
    },
  },
  page("is attached as a number", ({ id, method }) =>
    method === "Target.attachToTarget" ? { id, result: { sessionId: 7 } } : honest(id, method),
  ),
  page("has frames in a circle", ({ id, method }) => {
    const [a, b] = [
      { id: "a", parentId: "b", url: "", loaderId: "l" },
      { id: "b", parentId: "a", url: "", loaderId: "l" },
    ];
    return method === "Page.getFrameTree"
      ? { id, result: { frameTree: { frame: a, childFrames: [{ frame: b, childFrames: [{ frame: a }] }, null, 7] } } }
      : honest(id, method);
  }),
  page("answers scripts with nonsense", ({ id, method }) =>
    method === "Runtime.callFunctionOn" ? { id, result: { result: 7 } } : honest(id, method),
  ),
  ...lies,
];

/** An adb server that treats every connection as it was last told. */
export class HostileAdb implements AsyncDisposable {
  readonly #server = createServer((socket) => {
    socket.on("error", () => {});
    this.#sockets.push(socket);
    this.behave(socket);
  });
  readonly #sockets: Socket[] = [];
  behave: (socket: Socket) => void = (socket) => socket.end();

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

const adb = (name: string, behave: (socket: Socket) => void): Attack<PeerStage> => ({
  name: `an adb server ${name}`,
  async run({ server, adb: hostile }) {
    hostile.behave = behave;
    expectRefused(await server.call("android_list_devices"), ...refused);
    expectRefused(await server.call("android_connect", { serial: "x" }), ...refused, "not_found");
  },
});

export const adbAttacks: readonly Attack<PeerStage>[] = [
  adb("that hangs up", (socket) => socket.destroy()),
  adb("that answers garbage", (socket) => socket.end("\u0000HTTP/1.1 400 garbage")),
  adb("that floods", (socket) => {
    socket.write("OKAYzzzz");
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(mb)));
    };
    socket.on("drain", more);
    more();
  }),
];

/** Each takes the full time that a call may take. */
export const slowAttacks: readonly Attack<PeerStage>[] = [
  {
    name: "an adb server that promises a text and gives none",
    async run({ server, adb: hostile }) {
      hostile.behave = (socket) => socket.write("OKAYffff");
      expectRefused(await server.call("android_list_devices"), ...refused);
    },
  },
];
