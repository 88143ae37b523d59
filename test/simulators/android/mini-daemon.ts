import { createServer, type AddressInfo, type Socket } from "node:net";

/** What a device may do instead of answering; the real adbd in the tests trusts everyone and always works. */
export type Fault =
  /** Asks for a key that nobody has confirmed on its screen. */
  | "unauthorized"
  /** Accepts the connection and sends nothing. */
  | "silent"
  /** Greets, then refuses every service. */
  | "refusing";

export interface MiniDaemon extends AsyncDisposable {
  readonly serial: string;
  /** As if the person had touched "Allow" on the device. */
  allow(): void;
}

const command = (name: string): number => Buffer.from(name).readUInt32LE(0);
const token = 1;
const signature = 2;
const version = 0x01000001;
const largestPayload = 1 << 18;

/**
 * The device's side of the adb protocol, up to the point where a connection fails. packages/modules/adb/protocol.txt
 */
export async function startMiniDaemon(fault: Fault): Promise<MiniDaemon> {
  const open = new Set<Socket>();
  let isAllowed = fault !== "unauthorized";
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    let heard = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      while (heard.length >= 24 && heard.length >= 24 + heard.readUInt32LE(12)) {
        const [name, first] = [heard.toString("latin1", 0, 4), heard.readUInt32LE(4)];
        heard = heard.subarray(24 + heard.readUInt32LE(12));
        if (fault !== "silent") answer(socket, name, first);
      }
    });
  });
  const answer = (socket: Socket, name: string, first: number): void => {
    if (name === "OPEN") send(socket, "CLSE", 0, first);
    else if (name !== "CNXN" && name !== "AUTH") return;
    else if (isAllowed) send(socket, "CNXN", version, largestPayload, Buffer.from("device::features=shell_v2,cmd"));
    // A signature leads to another question; a public key waits for somebody to touch the device.
    else if (name === "CNXN" || first === signature) send(socket, "AUTH", token, 0, Buffer.alloc(20, 7));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    serial: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow() {
      isAllowed = true;
      for (const socket of open) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(socket: Socket, name: string, first: number, second: number, payload = Buffer.alloc(0)): void {
  const header = Buffer.alloc(24);
  const sum = payload.reduce((total, byte) => total + byte, 0);
  for (const [index, word] of [command(name), first, second, payload.length, sum].entries())
    header.writeUInt32LE(word >>> 0, index * 4);
  header.writeUInt32LE((command(name) ^ 0xffffffff) >>> 0, 20);
  socket.write(Buffer.concat([header, payload]));
}
