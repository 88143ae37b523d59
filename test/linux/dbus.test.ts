import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Bus } from "../../src/platform/linux/dbus/bus.ts";
import { DBusError } from "../../src/platform/linux/dbus/errors.ts";
import { LazyBus } from "../../src/platform/linux/dbus/lazy.ts";
import { openBus } from "../../src/platform/linux/dbus/open.ts";
import { findOwner, watchOwner } from "../../src/platform/linux/dbus/owner.ts";
import { kill } from "../support/xvfb.ts";

let folder: string;
let address: string;
let daemon: ChildProcess;
const open: Bus[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-dbus-"));
  address = `unix:path=${join(folder, "bus")}`;
  daemon = await startDaemon();
});

afterEach(async () => {
  for (const bus of open.splice(0)) bus.close();
  await kill(daemon);
  await rm(folder, { recursive: true, force: true });
});

async function startDaemon(): Promise<ChildProcess> {
  const child = spawn(
    "dbus-daemon",
    ["--session", `--address=${address}`, "--nofork", "--nopidfile", "--print-address=1"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  await once(child.stdout, "data");
  return child;
}

async function connect(): Promise<Bus> {
  const bus = await openBus(address, { env: {} });
  open.push(bus);
  return bus;
}

const peer = (name: string, member: string) => ({
  destination: name,
  path: "/",
  interface: "org.freedesktop.DBus.Peer",
  member,
});

describe("a D-Bus connection", () => {
  test("gets its own name and an answer from the daemon", async () => {
    const bus = await connect();
    expect(bus.uniqueName).toMatch(/^:\d+\.\d+$/);
    const [names] = await bus.callDaemon<[readonly string[]]>("ListNames");
    expect(names).toContain(bus.uniqueName);
  });

  test("tries the next endpoint of an address when one does not answer", async () => {
    const bus = await openBus(`unix:path=${join(folder, "missing")};${address}`, { env: {} });
    open.push(bus);
    expect(bus.isClosed).toBe(false);
  });

  test("names everything it tried when nobody answers", async () => {
    const missing = join(folder, "missing");
    await expect(openBus(`unix:path=${missing}`, { env: {} })).rejects.toMatchObject({
      code: "not_connected",
      message: expect.stringContaining(missing),
    });
  });

  test("answers a thousand calls made at once, each with its own reply", async () => {
    const bus = await connect();
    const other = await connect();
    const names = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? bus : other).uniqueName);
    const owners = await Promise.all(names.map((name) => findOwner(bus, name)));
    expect(owners).toEqual(names);
  });

  test("turns an error reply into an error that says what was called", async () => {
    const bus = await connect();
    const error = await bus.callDaemon("GetNameOwner", "s", ["org.example.Nobody"]).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(DBusError);
    expect(error).toMatchObject({ errorName: "org.freedesktop.DBus.Error.NameHasNoOwner", isGone: true });
    expect((error as Error).message).toContain("org.freedesktop.DBus.GetNameOwner");
  });

  test("still works after a value that does not fit its type", async () => {
    const bus = await connect();
    await expect(bus.callDaemon("GetNameOwner", "s", [7])).rejects.toThrow("a string");
    expect(await findOwner(bus, bus.uniqueName)).toBe(bus.uniqueName);
  });

  test("answers a ping and refuses any other call", async () => {
    const bus = await connect();
    const other = await connect();
    expect(await other.call(peer(bus.uniqueName, "Ping"))).toEqual([]);
    await expect(other.call(peer(bus.uniqueName, "GetMachineId"))).rejects.toMatchObject({ isUnsupported: true });
  });

  test("receives the signals it asked for, and none once it stopped", async () => {
    const bus = await connect();
    const heard: string[] = [];
    const rule = { interface: "org.freedesktop.DBus", member: "NameOwnerChanged" };
    const stop = await bus.on(rule, ({ body }) => heard.push(body[0] as string));
    const first = await connect();
    expect(await poll(async () => heard.includes(first.uniqueName) || undefined, { timeoutMs: 5000, everyMs: 5 })).toBe(
      true,
    );
    stop();
    const second = await connect();
    await findOwner(bus, second.uniqueName);
    expect(heard).not.toContain(second.uniqueName);
  });

  test("receives a signal once for two listeners of the same rule, and keeps the other when one stops", async () => {
    const bus = await connect();
    const heard: string[] = [];
    const rule = { interface: "org.freedesktop.DBus", member: "NameOwnerChanged" };
    const stop = await bus.on(rule, ({ body }) => heard.push(`a ${body[0] as string}`));
    await bus.on(rule, ({ body }) => heard.push(`b ${body[0] as string}`));
    stop();
    const other = await connect();
    await findOwner(bus, other.uniqueName);
    expect(heard).toEqual([`b ${other.uniqueName}`]);
  });

  test("tracks who owns a name", async () => {
    const bus = await connect();
    const owners: string[] = [];
    await watchOwner(bus, "org.example.Name", (owner) => owners.push(owner));
    const other = await connect();
    await other.callDaemon("RequestName", "su", ["org.example.Name", 0]);
    await findOwner(bus, "org.example.Name");
    other.close();
    await poll(async () => owners.length === 3 || undefined, { timeoutMs: 5000, everyMs: 5 });
    expect(owners).toEqual(["", other.uniqueName, ""]);
  });

  test("gives up a call that nobody answers, and no other", async () => {
    const bus = await connect();
    const silent = await openBus(address, { env: {} });
    open.push(silent);
    // It stops reading, so it never answers.
    silent.receive = () => {};
    const lost = bus.call(peer(silent.uniqueName, "Ping"), "", [], { timeoutMs: 100 });
    await expect(lost).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("Peer.Ping") });
    expect(await findOwner(bus, bus.uniqueName)).toBe(bus.uniqueName);
  });

  test("ends a call when its signal aborts", async () => {
    const bus = await connect();
    const silent = await connect();
    silent.receive = () => {};
    const abort = new AbortController();
    const calls = Array.from({ length: 50 }, () =>
      bus.call(peer(silent.uniqueName, "Ping"), "", [], { signal: abort.signal }),
    );
    const outcomes = Promise.allSettled(calls);
    abort.abort();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "cancelled" } });
    }
  });

  test("rejects everything pending when the daemon dies, and everything after", async () => {
    const bus = await connect();
    const silent = await connect();
    silent.receive = () => {};
    const pending = bus.call(peer(silent.uniqueName, "Ping"));
    const failure = pending.catch((error: unknown) => error);
    await findOwner(bus, bus.uniqueName);
    await kill(daemon);
    expect(await failure).toMatchObject({ code: "not_connected" });
    await expect(bus.callDaemon("ListNames")).rejects.toMatchObject({ code: "not_connected" });
  });

  test("that is lazy connects again when the daemon is back", async () => {
    const lazy = new LazyBus(() => openBus(address, { env: {} }));
    const first = await lazy.connect();
    await kill(daemon);
    await poll(async () => first.isClosed || undefined, { timeoutMs: 5000, everyMs: 5 });
    await expect(lazy.connect()).rejects.toMatchObject({ code: "not_connected" });
    await rm(join(folder, "bus"), { force: true });
    daemon = await startDaemon();
    const second = await lazy.connect();
    expect(await findOwner(second, second.uniqueName)).toBe(second.uniqueName);
    expect(await lazy.connect()).toBe(second);
    await lazy[Symbol.asyncDispose]();
    expect(second.isClosed).toBe(true);
  });
});

describe("a peer that misbehaves", () => {
  let server: Server;
  const listen = async (greet: (write: (data: string | Buffer) => void) => void): Promise<string> => {
    const path = join(folder, "peer");
    server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => greet((data) => socket.write(data)));
    });
    server.listen(path);
    await once(server, "listening");
    return `unix:path=${path}`;
  };
  afterEach(() => server.close());

  test("that refuses us is reported with its words", async () => {
    const at = await listen((write) => write("REJECTED COOKIE\r\n"));
    await expect(openBus(at, { env: {}, peer: true })).rejects.toMatchObject({
      code: "not_connected",
      message: expect.stringContaining("REJECTED COOKIE"),
    });
  });

  test("that never answers costs its deadline", async () => {
    const at = await listen(() => {});
    await expect(openBus(at, { env: {}, peer: true, timeoutMs: 100 })).rejects.toMatchObject({ code: "not_connected" });
  });

  test("that sends garbage loses the connection, and the call fails", async () => {
    const at = await listen((write) => write(Buffer.concat([Buffer.from("OK 0123\r\n"), Buffer.alloc(64, 0xff)])));
    const bus = await openBus(at, { env: {}, peer: true });
    const error = await bus.call({ ...peer("", "Ping"), destination: "" }).catch((each: unknown) => each);
    // A lost peer is one app that is gone, not the bus.
    expect(error).toMatchObject({ errorName: "org.freedesktop.DBus.Error.Disconnected", isGone: true });
  });
});
