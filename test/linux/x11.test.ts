import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { ToolError } from "../../src/base/errors.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { XError } from "../../src/platform/linux/x11/errors.ts";
import { eventMask, type XEvent } from "../../src/platform/linux/x11/events.ts";
import { createDamage, fakeInput, findExtension } from "../../src/platform/linux/x11/extensions.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import {
  changeProperty,
  createWindow,
  destroyWindow,
  getAtomName,
  getGeometry,
  getImage,
  getProperty,
  getWindowAttributes,
  mapWindow,
  predefined,
  queryPointer,
  queryTree,
  selectInput,
  translateCoordinates,
} from "../../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../../src/platform/linux/x11/wire.ts";
import { kill, startDesktop, type TestDesktop } from "../support/xvfb.ts";

const noWindow = 0x1ffffff0;

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("an X connection", () => {
  let desktop: TestDesktop;
  let x: Connection;

  beforeAll(async () => {
    desktop = await startDesktop({ size: "640x480", windowManager: false });
    x = await openConnection(desktop.display, { env: desktop.env });
  });

  afterAll(async () => {
    x.close();
    await desktop[Symbol.asyncDispose]();
  });

  test("knows the screen from the handshake", () => {
    expect(x.setup).toMatchObject({ width: 640, height: 480, rootDepth: 24, minKeycode: 8, maxKeycode: 255 });
    expect(x.setup.bitsPerPixel.get(24)).toBe(32);
    expect(x.setup.visuals.find(({ id }) => id === x.setup.rootVisual)?.redMask).toBe(0xff0000);
    expect(x.isLocal).toBe(true);
  });

  test("gives each of 1 000 requests made at once its own answer, in order", async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `HANDSIGHT_TEST_${index}`);
    const order: number[] = [];
    const atoms = await Promise.all(
      names.map(async (name, index) => {
        const atom = await x.atom(name);
        order.push(index);
        return atom;
      }),
    );
    expect(order).toEqual(names.map((_, index) => index));
    expect(await Promise.all(atoms.map((atom) => getAtomName(x, atom)))).toEqual(names);
  });

  test("keeps requests and replies together past the 16-bit sequence number, with and without replies between", async () => {
    for (let round = 0; round < 140_000; round++) x.send("NoOperation", new RequestWriter(127));
    await x.sync();
    for (let round = 0; round < 70; round++) {
      const answers = await Promise.all(Array.from({ length: 1000 }, () => queryPointer(x)));
      expect(answers).toHaveLength(1000);
    }
    expect(await getAtomName(x, predefined.wmName)).toBe("WM_NAME");
  });

  test("rejects only the request the server refused", async () => {
    const [before, refused, after] = await Promise.all([
      getGeometry(x, x.root),
      failure(getGeometry(x, noWindow)),
      getGeometry(x, x.root),
    ]);
    expect(before).toEqual(after);
    expect(before).toMatchObject({ x: 0, y: 0, width: 640, height: 480 });
    expect(refused).toBeInstanceOf(XError);
    expect(refused).toMatchObject({ codeName: "BadDrawable", requestName: "GetGeometry", badId: noWindow });
  });

  test("delivers the error of a request without reply to whoever waits for it, or to the error listeners", async () => {
    const writer = () => new RequestWriter(8).u32(noWindow);
    expect(await failure(x.checked("MapWindow", writer()))).toMatchObject({
      codeName: "BadWindow",
      requestName: "MapWindow",
      badId: noWindow,
    });
    const heard: XError[] = [];
    const stop = x.onError((error) => heard.push(error));
    x.send("MapWindow", writer());
    x.send("NoOperation", new RequestWriter(127));
    await x.sync();
    stop();
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ codeName: "BadWindow", requestName: "MapWindow", badId: noWindow });
    await x.checked("NoOperation", new RequestWriter(127));
  });

  test("names the errors of extensions", async () => {
    const damage = await createDamage(x, x.root, "first");
    const { opcode } = (await findExtension(x, "DAMAGE")) ?? { opcode: 0 };
    await x.checked("DAMAGE.Destroy", new RequestWriter(opcode, 2).u32(damage));
    expect(await failure(x.checked("DAMAGE.Destroy", new RequestWriter(opcode, 2).u32(damage)))).toMatchObject({
      codeName: "BadDamage",
      badId: damage,
    });
  });

  test("carries properties larger than an ordinary request, both ways", async () => {
    const window = createWindow(x, { x: 0, y: 0, width: 10, height: 10 });
    const value = Buffer.alloc(3_000_001, (Math.random() * 255) | 1);
    value.write("end", value.length - 3);
    changeProperty(x, window, await x.atom("HANDSIGHT_BIG"), predefined.string, value);
    const back = await getProperty(x, window, await x.atom("HANDSIGHT_BIG"));
    expect(back?.value.equals(value)).toBe(true);
    expect(back).toMatchObject({ type: predefined.string, format: 8, bytesAfter: 0 });
    expect(await getProperty(x, window, await x.atom("HANDSIGHT_BIG"), { type: predefined.cardinal })).toBeUndefined();
    expect(await getProperty(x, window, await x.atom("HANDSIGHT_NONE"))).toBeUndefined();
    expect((await getImage(x, x.root, { x: 0, y: 0, width: 640, height: 480 })).data).toHaveLength(640 * 480 * 4);
    destroyWindow(x, window);
  });

  test("refuses a request larger than the server takes without losing the connection", async () => {
    const value = Buffer.alloc(17_000_000);
    expect(() => changeProperty(x, x.root, predefined.wmName, predefined.string, value)).toThrow(ToolError);
    expect(await getAtomName(x, predefined.wmName)).toBe("WM_NAME");
  });

  test("decodes events for every listener", async () => {
    const other = await openConnection(desktop.display, { env: desktop.env });
    try {
      const events: XEvent[] = [];
      const stop = x.on((event) => events.push(event));
      await selectInput(x, x.root, eventMask.substructureNotify);
      const window = createWindow(other, { x: 30, y: 40, width: 50, height: 60 });
      mapWindow(other, window);
      destroyWindow(other, window);
      await other.sync();
      await x.sync();
      stop();
      expect(events.map((event) => event.type)).toEqual(["CreateNotify", "MapNotify", "UnmapNotify", "DestroyNotify"]);
      expect(events[0]).toMatchObject({ parent: x.root, window, isSent: false });
    } finally {
      other.close();
    }
  });

  test("describes windows: tree, attributes, position on the root, pointer", async () => {
    const parent = createWindow(x, { x: 100, y: 50, width: 200, height: 100, values: { overrideRedirect: 1 } });
    const child = createWindow(x, { parent, x: 7, y: 9, width: 20, height: 20, isInputOnly: true });
    mapWindow(x, parent);
    expect(await queryTree(x, parent)).toEqual({ parent: x.root, children: [child] });
    expect(await getWindowAttributes(x, parent)).toMatchObject({
      mapState: "viewable",
      isOverrideRedirect: true,
      isInputOnly: false,
    });
    expect(await getWindowAttributes(x, child)).toMatchObject({ mapState: "unmapped", isInputOnly: true });
    expect(await translateCoordinates(x, child, x.root)).toMatchObject({ x: 107, y: 59 });
    await fakeInput(x, [{ kind: "motion", x: 123, y: 77 }]);
    expect(await queryPointer(x)).toMatchObject({ x: 123, y: 77, child: parent, mask: 0 });
    destroyWindow(x, parent);
  });

  test("gives up at the deadline or when cancelled, and stays in step afterwards", async () => {
    const grabber = await openConnection(desktop.display, { env: desktop.env });
    try {
      await grabber.checked("GrabServer", new RequestWriter(36));
      const cancel = new AbortController();
      const late = failure(getGeometry(x, x.root, { timeoutMs: 20 }));
      const stopped = failure(getGeometry(x, x.root, { signal: cancel.signal }));
      cancel.abort();
      expect(await late).toMatchObject({ code: "timeout" });
      expect(await stopped).toMatchObject({ code: "cancelled" });
      await grabber.checked("UngrabServer", new RequestWriter(37));
      expect(await getAtomName(x, predefined.wmName)).toBe("WM_NAME");
    } finally {
      grabber.close();
    }
  });

  test("rejects what is pending and what comes later once it is closed", async () => {
    const other = await openConnection(desktop.display, { env: desktop.env });
    const pending = failure(getGeometry(other, other.root));
    other.close();
    expect(await pending).toMatchObject({ code: "not_connected" });
    expect(await failure(getGeometry(other, other.root))).toMatchObject({ code: "not_connected" });
    expect(await failure(other.checked("NoOperation", new RequestWriter(127)))).toMatchObject({
      code: "not_connected",
    });
  });
});

describe("opening a connection", () => {
  test("says what is wrong when DISPLAY is unset, misspelt, or nobody answers", async () => {
    expect(await failure(openConnection(undefined, { env: {} }))).toMatchObject({
      code: "not_connected",
      message: expect.stringContaining("DISPLAY is not set"),
    });
    expect(await failure(openConnection("nonsense", { env: {} }))).toMatchObject({
      message: expect.stringContaining('"nonsense"'),
    });
    expect(await failure(openConnection(":59999", { env: {} }))).toMatchObject({
      code: "not_connected",
      message: expect.stringContaining("/tmp/.X11-unix/X59999"),
    });
  });

  test("presents the cookie from XAUTHORITY, and is refused without it", async () => {
    const home = await mkdtemp(join(tmpdir(), "handsight-auth-"));
    const cookie = Buffer.alloc(16, 7);
    const counted = (value: Buffer) => Buffer.concat([Buffer.from([0, value.length]), value]);
    const file = join(home, "cookies");
    await writeFile(
      file,
      Buffer.concat([
        Buffer.from([255, 255]),
        ...[Buffer.alloc(0), Buffer.alloc(0), Buffer.from("MIT-MAGIC-COOKIE-1"), cookie].map(counted),
      ]),
    );
    const desktop = await startDesktop({ windowManager: false, args: ["-auth", file] });
    try {
      expect(await failure(openConnection(desktop.display, { env: { XAUTHORITY: join(home, "none") } }))).toMatchObject(
        {
          code: "not_connected",
          message: expect.stringContaining("refused the connection"),
        },
      );
      const x = await openConnection(desktop.display, { env: { XAUTHORITY: file } });
      expect((await getGeometry(x, x.root)).width).toBe(1280);
      x.close();
    } finally {
      await desktop[Symbol.asyncDispose]();
      await rm(home, { recursive: true });
    }
  });

  test("speaks to a server over TCP, which cannot share memory", async () => {
    await using desktop = await startDesktop({ windowManager: false });
    const { connect } = await import("node:net");
    const relay = createServer((client) => {
      const upstream = connect(`/tmp/.X11-unix/X${desktop.display.slice(1)}`);
      client.pipe(upstream).pipe(client);
      client.on("error", () => upstream.destroy());
      upstream.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const address = relay.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const x = await openConnection(`127.0.0.1:${port - 6000}.0`, { env: desktop.env });
    expect(x.isLocal).toBe(false);
    expect((await getGeometry(x, x.root)).width).toBe(1280);
    x.close();
    relay.close();
  });
});

describe("a display that goes away", () => {
  test("fails everything pending at once with not_connected and connects again when the server is back", async () => {
    // Far above the numbers that other servers pick, or one of them could take it while it is free.
    const number = 10_000 + Math.floor(Math.random() * 40_000);
    const first = await startDesktop({ windowManager: false, number });
    const display = new XDisplay(first.env);
    const seen: Connection[] = [];
    display.onConnect(async (connection) => {
      await connection.sync();
      seen.push(connection);
    });
    const [x, same] = await Promise.all([display.connect(), display.connect()]);
    expect(same).toBe(x);
    const grabber = await openConnection(first.display, { env: first.env });
    await grabber.checked("GrabServer", new RequestWriter(36));
    const pending = Array.from({ length: 50 }, () => failure(getGeometry(x, x.root, { timeoutMs: 50_000 })));
    await kill(first.server);
    for (const error of await Promise.all(pending)) {
      expect(error).toMatchObject({ code: "not_connected", message: expect.stringContaining(first.display) });
    }
    expect(x.isClosed).toBe(true);
    expect(await failure(getGeometry(x, x.root))).toMatchObject({ code: "not_connected" });
    expect(await failure(display.connect())).toMatchObject({ code: "not_connected" });

    await using second = await startDesktop({ windowManager: false, number });
    expect(second.display).toBe(first.display);
    const again = await poll(() => display.connect().catch(() => undefined), { timeoutMs: 5000, everyMs: 20 });
    expect(again).not.toBe(x);
    expect(await display.connect()).toBe(again);
    expect(seen).toEqual([x, again]);
    await display[Symbol.asyncDispose]();
    expect(again?.isClosed).toBe(true);
    expect(await failure(display.connect())).toMatchObject({ code: "not_connected" });
    await first[Symbol.asyncDispose]();
  });

  test("lets a caller stop waiting without spoiling the connection for others", async () => {
    await using desktop = await startDesktop({ windowManager: false });
    await using display = new XDisplay(desktop.env);
    let release = () => {};
    display.onConnect(() => new Promise<void>((resolve) => (release = resolve)));
    const cancel = new AbortController();
    const impatient = failure(display.connect({ signal: cancel.signal }));
    const patient = display.connect();
    cancel.abort();
    expect(await impatient).toMatchObject({ code: "cancelled" });
    await poll(async () => (release(), display.current), { timeoutMs: 5000, everyMs: 5 });
    expect((await patient).isClosed).toBe(false);
  });
});
