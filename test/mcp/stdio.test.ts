import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { describeBehaviour } from "./behaviour.ts";
import { compileEntries } from "./compile.ts";
import { eventually } from "./eventually.ts";

describeBehaviour("stdio");

// The only tests that look at a clock: the limit is the promise. A busy machine gets another try.
const timed = { retry: 2 };

test("exits within 1 s of stdin closing", timed, async () => {
  const server = await start();
  const ms = await timeUntilExit(server, () => server.child.stdin.end());
  expect(server.child.exitCode).toBe(0);
  expect(ms).toBeLessThan(1000);
  expect(server.stderr()).toContain("session: disposed");
});

test("a call in flight is cancelled and releases what it holds before the process exits", timed, async () => {
  const server = await start();
  server.send(call("slow", { steps: 1000, ms: 50 }));
  await eventually(() => expect(server.stderr()).toContain("slow: started"));
  expect(await timeUntilExit(server, () => server.child.stdin.end())).toBeLessThan(1000);
  expect(server.stderr()).toMatch(/slow: released[^]*session: disposed/);
});

test(
  "neither a call that ignores its cancellation nor a session that does not end keeps the process alive",
  timed,
  async () => {
    const server = await start(["--dispose-ms", "60000"]);
    server.send(call("stubborn"));
    await eventually(() => expect(server.stderr()).toContain("stubborn: started"));
    expect(await timeUntilExit(server, () => server.child.stdin.end())).toBeLessThan(1000);
    expect(server.child.exitCode).toBe(0);
  },
);

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends it the same way", timed, async (signal) => {
  const server = await start();
  server.send(call("slow", { steps: 1000, ms: 50 }));
  await eventually(() => expect(server.stderr()).toContain("slow: started"));
  expect(await timeUntilExit(server, () => server.child.kill(signal))).toBeLessThan(1000);
  expect(server.child.exitCode).toBe(0);
  expect(server.stderr()).toMatch(/slow: released[^]*session: disposed/);
});

test("a client that goes away without reading does not leave the server behind", async () => {
  const server = await start();
  server.child.stdout.destroy();
  const exited = once(server.child, "exit");
  server.send(call("echo", { text: "nobody reads this" }));
  await exited;
  expect(server.child.exitCode).toBe(0);
});

test("what a library prints goes to stderr; stdout carries the protocol and nothing else", async () => {
  const server = await start();
  server.send(call("noisy"));
  await eventually(() => expect(server.lines()).toHaveLength(2));
  expect(server.stderr()).toContain("noise from console.log");
  expect(server.stderr()).toContain("noise from stdout.write");
  for (const line of server.lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  await timeUntilExit(server, () => server.child.stdin.end());
});

test("a line that is not JSON is skipped", async () => {
  const server = await start();
  server.child.stdin.write('{"jsonrpc": "2.0", "id": \n\u0000garbage\n[]\n');
  server.send({ jsonrpc: "2.0", id: 9, method: "ping" });
  await eventually(() =>
    expect(server.lines().map((line) => JSON.parse(line) as unknown)).toContainEqual({
      jsonrpc: "2.0",
      id: 9,
      result: {},
    }),
  );
  await timeUntilExit(server, () => server.child.stdin.end());
});

interface RawServer {
  readonly child: ChildProcessWithoutNullStreams;
  send(message: object): void;
  lines(): string[];
  stderr(): string;
}

/** A server with a 2025 client that has initialised. */
async function start(args: readonly string[] = []): Promise<RawServer> {
  const { stdioEntry } = await compileEntries();
  const child = spawn(process.execPath, [stdioEntry, ...args]);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => {});
  const server: RawServer = {
    child,
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    lines: () => stdout.split("\n").filter((line) => line !== ""),
    stderr: () => stderr,
  };
  const clientInfo = { name: "raw", version: "1" };
  server.send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  await eventually(() => expect(server.lines()).toHaveLength(1));
  server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return server;
}

const call = (name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: args },
});

async function timeUntilExit({ child }: RawServer, end: () => unknown): Promise<number> {
  const exited = once(child, "close");
  const started = performance.now();
  end();
  await exited;
  return performance.now() - started;
}
