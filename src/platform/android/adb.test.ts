import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ToolError } from "../../base/errors.ts";
import { Connection, connectNetwork, parseDevices } from "./connection.ts";
import { openDevices } from "./index.ts";
import { AdbServer, adbAddress } from "./server.ts";
import { encodeShell, ShellDecoder } from "./wire.ts";

interface Fake {
  readonly env: NodeJS.ProcessEnv;
  readonly asked: string[];
  readonly server: Server;
}

type Serve = (service: string, socket: Socket, fake: Fake) => void;

const started: Server[] = [];
const open = new Set<Socket>();
afterEach(() => {
  for (const server of started.splice(0)) server.close();
  for (const socket of open) socket.destroy();
});

/** An adb server that, like the real one, drops early bytes when it hands the connection over to a device. */
async function startFake(serve: Serve): Promise<Fake> {
  const server = createServer((socket) => {
    open.add(socket);
    let heard = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      const length = Number.parseInt(heard.subarray(0, 4).toString(), 16);
      if (heard.length < 4 + length) return;
      const service = heard.subarray(4, 4 + length).toString();
      heard = Buffer.alloc(0);
      fake.asked.push(service);
      if (service.startsWith("shell,")) socket.removeAllListeners("data");
      serve(service, socket, fake);
    });
  });
  const fake: Fake = { env: {}, asked: [], server };
  started.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  fake.env["ANDROID_ADB_SERVER_PORT"] = String((server.address() as AddressInfo).port);
  return fake;
}

const answer = (socket: Socket, text: string): void => {
  socket.write(`OKAY${text.length.toString(16).padStart(4, "0")}${text}`);
  socket.end();
};
const fail = (socket: Socket, text: string): void => {
  socket.end(`FAIL${text.length.toString(16).padStart(4, "0")}${text}`);
};

interface Reply {
  readonly out?: string;
  readonly errors?: string;
  readonly exit?: number;
}

/** A shell that answers each command it gets, if there is a reply for it. */
function shell(socket: Socket, reply: (command: string) => Reply | undefined): void {
  socket.write("OKAY");
  const decoder = new ShellDecoder();
  let waiting: string | undefined;
  /**
   * Handles a process that waits for its command, which may be in the same packet, and the process for the next
   * command.
   */
  const toldTo = (text: string) => {
    const begun = /^\(IFS= read [^\n]*"\n([0-9a-f]{16}\d+) \$\?"\n/;
    const mark = waiting ?? begun.exec(text)?.[1];
    if (mark === undefined) return undefined;
    const [command = "", ...rest] = (waiting === undefined ? text.replace(begun, "") : text).split("\n");
    waiting = begun.exec(rest.join("\n"))?.[1];
    return { command, streams: "one", mark };
  };
  const asked = (text: string) => {
    const [, command = "", streams, mark = ""] =
      /\{ (.*)\n\} <\/dev\/null( 2>&1)?\)?; .*"(?:\$r)?\n([0-9a-f]{16}\d+) /s.exec(text) ?? [];
    return { command, streams, mark };
  };
  socket.on("data", (chunk: Buffer) => {
    for (const { data } of decoder.push(chunk)) {
      const { command, streams, mark } = toldTo(data.toString()) ?? asked(data.toString());
      const given = reply(command);
      if (!given) continue;
      if (streams === undefined) socket.write(encodeShell(2, Buffer.from(`${given.errors ?? ""}${mark}\n`)));
      // Byte by byte, as on slow connections.
      for (const byte of Buffer.from(`${given.out ?? ""}\n${mark} ${given.exit ?? 0}\n`))
        socket.write(encodeShell(1, Buffer.from([byte])));
    }
  });
}

const isTransport = (service: string): boolean => service.startsWith("host:transport:");

test("the address of the server is the one the adb command would use", () => {
  expect(adbAddress({})).toEqual({ host: "127.0.0.1", port: 5037 });
  expect(adbAddress({ ANDROID_ADB_SERVER_PORT: "5137" }).port).toBe(5137);
  expect(adbAddress({ ANDROID_ADB_SERVER_PORT: "no" }).port).toBe(5037);
  expect(adbAddress({ ADB_SERVER_SOCKET: "tcp:192.0.2.7:5038" })).toEqual({ host: "192.0.2.7", port: 5038 });
});

test("devices are listed with their state, whatever it is called [S2-125]", () => {
  const text =
    "emulator-5554          device product:sdk model:Pixel_8 device:emu transport_id:1\n" +
    "R58M12                 unauthorized usb:1-1 transport_id:2\n" +
    "0123                   no permissions (user in plugdev group; are your udev rules wrong?); see [http://x] usb:1-2 transport_id:3\n" +
    "192.0.2.7:5555         offline transport_id:4\n";
  expect(parseDevices(text)).toEqual([
    { serial: "emulator-5554", state: "device", model: "Pixel 8" },
    { serial: "R58M12", state: "unauthorized", model: undefined },
    { serial: "0123", state: "no permissions", model: undefined },
    { serial: "192.0.2.7:5555", state: "offline", model: undefined },
  ]);
});

test("the request to a device waits until the server has handed the connection over", async () => {
  const fake = await startFake((service, socket) => {
    if (isTransport(service)) setTimeout(() => socket.write("OKAY"), 30);
    else shell(socket, () => ({ out: "hi", errors: "but", exit: 7 }));
  });
  using connection = new Connection(new AdbServer(fake.env), "x", true);
  const { stdout, stderr, exit } = await connection.fetch("echo hi", { output: "binary" });
  expect([stdout.toString(), stderr, exit]).toEqual(["hi", "but", 7]);
  expect(fake.asked).toEqual(["host:transport:x", "shell,v2,raw:exec sh"]);
});

test("commands share one shell; one that does not answer costs only its deadline and its shell", async () => {
  const fake = await startFake((service, socket) => {
    if (isTransport(service)) socket.write("OKAY");
    else shell(socket, (command) => (command === "hang" ? undefined : { out: `said ${command}` }));
  });
  using connection = new Connection(new AdbServer(fake.env), "x", true);
  expect(await connection.read("one")).toBe("said one");
  expect(await connection.read("two")).toBe("said two");
  expect(fake.asked).toHaveLength(2);
  const hanging = connection.read("hang", { timeoutMs: 50 }).catch((error: unknown) => error);
  // It waits for nobody else's answer.
  expect(await connection.read("three")).toBe("said three");
  expect(await hanging).toMatchObject({ code: "timeout" });
  expect(await connection.read("four")).toBe("said four");
  expect(fake.asked).toHaveLength(4);
});

test("what looks like the end of an answer is not taken for it", async () => {
  const fake = await startFake((service, socket) => {
    if (isTransport(service)) socket.write("OKAY");
    else shell(socket, () => ({ out: "\n0123456789abcdef 0\nmore", errors: "0123456789abcdef\n" }));
  });
  using connection = new Connection(new AdbServer(fake.env), "x", true);
  const { stdout, stderr } = await connection.fetch("look", { output: "binary" });
  expect([stdout.toString(), stderr]).toEqual(["\n0123456789abcdef 0\nmore", "0123456789abcdef\n"]);
});

test("a device without the newer shell service has a stream for each command", async () => {
  const fake = await startFake((service, socket) => {
    if (isTransport(service)) socket.write("OKAY");
    else socket.end("OKAYold");
  });
  using connection = new Connection(new AdbServer(fake.env), "x", false);
  expect(await connection.read("echo old")).toBe("old");
  expect(fake.asked.at(-1)).toBe("exec:echo old");
});

test("after a lost connection a reading is tried again, input is not", async () => {
  let breaks = 1;
  const commands: string[] = [];
  const fake = await startFake((service, socket) => {
    if (service === "host:track-devices") return void socket.write("OKAY0015127.0.0.1:5555\tdevice");
    if (isTransport(service)) return void socket.write("OKAY");
    shell(socket, (command) => {
      commands.push(command);
      if (breaks-- <= 0) return { out: "here" };
      socket.end();
      return undefined;
    });
  });
  using connection = new Connection(new AdbServer(fake.env), "127.0.0.1:5555", true);
  expect((await connection.fetch("look")).stdout.toString()).toBe("here");
  expect(commands).toEqual(["look", "look"]);
  breaks = 1;
  await expect(connection.send("input tap 1 2")).rejects.toMatchObject({ code: "not_connected" });
  expect(commands).toEqual(["look", "look", "input tap 1 2"]);
});

test("input goes to a new shell when the old one has ended meanwhile, and is sent once", async () => {
  const commands: string[] = [];
  const shells: Socket[] = [];
  const fake = await startFake((service, socket) => {
    if (isTransport(service)) return void socket.write("OKAY");
    shells.push(socket);
    shell(socket, (command) => {
      commands.push(command);
      return {};
    });
  });
  using connection = new Connection(new AdbServer(fake.env), "x", true);
  await connection.send("input tap 1 2");
  // Once it is closed on this side, the other side has seen the end.
  await new Promise((resolve) => shells[0]?.once("close", resolve).end());
  await connection.send("input tap 3 4");
  expect(commands).toEqual(["input tap 1 2", "input tap 3 4"]);
  expect(shells).toHaveLength(2);
});

test("half an answer from a device that went away is not an answer", async () => {
  const fake = await startFake((service, socket) => {
    if (isTransport(service)) return void socket.write("OKAY");
    if (service.startsWith("host:")) return fail(socket, "unknown host service");
    socket.end(Buffer.concat([Buffer.from("OKAY"), encodeShell(1, Buffer.from("half"))]));
  });
  using connection = new Connection(new AdbServer(fake.env), "R58M12", true);
  await expect(connection.fetch("screencap")).rejects.toMatchObject({ code: "not_connected" });
});

test("a server that says OKAY and nothing more may have connected: waits for the device", async () => {
  const fake = await startFake((service, socket) => {
    if (service.startsWith("host:disconnect")) return fail(socket, "no such device");
    if (service.startsWith("host:connect")) return void socket.end("OKAY");
    socket.write("OKAY0015127.0.0.1:5555\tdevice");
  });
  await connectNetwork(new AdbServer(fake.env), "127.0.0.1:5555", {});
  expect(fake.asked.at(-1)).toBe("host:track-devices");
});

test("without adb the error says how to get it", async () => {
  const { env } = await startFake(() => {});
  await new Promise((resolve) => started.pop()?.close(resolve));
  const server = new AdbServer({ ...env, PATH: "/nowhere" });
  await expect(server.request("host:version")).rejects.toMatchObject({
    code: "not_supported",
    details: { hint: expect.stringMatching(/apt-get install adb/) as string },
  });
  const other = new AdbServer({
    ADB_SERVER_SOCKET: `tcp:127.0.0.2:${env["ANDROID_ADB_SERVER_PORT"]}`,
    PATH: "/nowhere",
  });
  await expect(other.request("host:version")).rejects.toMatchObject({ code: "not_connected" });
});

const devicesOf = async (list: string) => {
  const { env } = await startFake((_service, socket) => answer(socket, list));
  return openDevices({ decode: async () => Promise.reject(new Error("no picture")), env });
};

test.each([
  ["none", "", "not_found", /adb sees no device/],
  ["two", "a device\nb device\n", "ambiguous_target", /2 devices/],
  ["one that has not agreed", "a unauthorized\n", "permission_missing", /not allowed/],
  ["one this user may not open", "a no permissions (x); see [y]\n", "permission_missing", /may not open/],
  ["one that is offline", "a offline\n", "not_connected", /offline/],
])("connecting without a serial to %s is explained [S2-126]", async (_what, list, code, message) => {
  const devices = await devicesOf(list);
  const error = await devices.connect(undefined, {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolError);
  expect((error as ToolError).code).toBe(code);
  expect((error as ToolError).message).toMatch(message);
});

test("an unknown serial is answered with the known ones", async () => {
  const devices = await devicesOf("a device\n");
  await expect(devices.connect("b", {})).rejects.toMatchObject({
    code: "not_found",
    details: { candidates: ["a (device)"] },
  });
  expect(() => devices.device("b")).toThrow(/not connected/);
  expect(() => devices.device(undefined)).toThrow(/No Android device/);
});
