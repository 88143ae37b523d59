import { createServer, type Server, type Socket } from "node:net";
import type { Device, Output } from "./commands/command.ts";
import { resolve as resolveCommand, runCommand } from "./commands/index.ts";

/** Where a command can be intercepted on its way to the device. */
export interface Held extends Disposable {
  /** Resolves when the command has been called. */
  readonly reached: Promise<void>;
}

export interface Framework extends AsyncDisposable {
  /** Calls of this command get no answer until the result is disposed. */
  hold(command: string): Held;
  /** How often each command was called. */
  readonly calls: ReadonlyMap<string, number>;
}

const kinds = { stdout: 1, stderr: 2, exit: 3, file: 4 } as const;

/** Answers the commands that `device/stub.c` sends over this socket. */
export async function serveFramework(path: string, device: Device): Promise<Framework> {
  const calls = new Map<string, number>();
  const holds = new Map<string, { readonly tell: () => void; readonly released: Promise<void> }>();
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    let heard = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      if (heard.length < 4 || heard.length < 4 + heard.readUInt32BE(0)) return;
      const [program = "", ...given] = words(heard.subarray(4));
      const [name, args] = resolveCommand(program, given);
      void answer(name, args).then((output) => write(socket, output));
    });
  });
  const answer = async (name: string, args: readonly string[]): Promise<Output> => {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    const held = holds.get(name);
    held?.tell();
    await held?.released;
    return runCommand(name, args, device).catch((error: unknown) => ({ stderr: `${String(error)}\n`, code: 1 }));
  };
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    calls,
    hold(command) {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const reached = new Promise<void>((tell) => holds.set(command, { tell, released }));
      return {
        reached,
        [Symbol.dispose]() {
          holds.delete(command);
          release();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function words(bytes: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    found.push(bytes.toString("utf8", at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

function write(socket: Socket, { file, stderr, stdout, code = 0 }: Output): void {
  // In one piece, so that the command on the other side wakes up once.
  socket.cork();
  const send = (kind: number, bytes: Buffer): void => {
    const header = Buffer.alloc(5);
    header.writeUInt8(kind, 0);
    header.writeUInt32BE(bytes.length, 1);
    socket.write(header);
    socket.write(bytes);
  };
  if (file) send(kinds.file, Buffer.concat([Buffer.from(`${file.path}\0`), file.bytes]));
  if (stderr !== undefined && stderr !== "") send(kinds.stderr, Buffer.from(stderr));
  if (stdout !== undefined && stdout.length > 0) send(kinds.stdout, Buffer.from(stdout));
  send(kinds.exit, Buffer.from([code]));
  socket.end();
}
