import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { poll } from "../../src/base/async.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { getProperty } from "../../src/platform/linux/x11/requests.ts";
import { openBus } from "../../src/platform/linux/dbus/open.ts";

export interface WatchedBus extends AsyncDisposable {
  /** The methods that were called on the accessibility bus since it is watched, in order. */
  calls(): Promise<readonly string[]>;
}

/** Watches the accessibility bus of a desktop, as another program can. */
export async function watchBus(env: NodeJS.ProcessEnv): Promise<WatchedBus> {
  const address = await busAddressOf(env);
  const monitor = spawn("dbus-monitor", ["--address", address, "--profile"], { stdio: ["ignore", "pipe", "ignore"] });
  const lines: (readonly string[])[] = [];
  createInterface({ input: monitor.stdout }).on("line", (line) => lines.push(line.split("\t")));
  const members = () => lines.flatMap(([type, ...fields]) => (type === "mc" ? [fields.at(-1) ?? ""] : []));
  const greetings = () => members().filter((member) => member === "Hello").length;
  /** A connection greets the bus; seeing that means that everything before it was seen. */
  const catchUp = async (): Promise<void> => {
    const before = greetings();
    const seen = async () => {
      (await openBus(address, { env })).close();
      return greetings() > before ? true : undefined;
    };
    if (!(await poll(seen, { timeoutMs: 10_000, everyMs: 20 }))) throw new Error("the bus cannot be watched");
  };
  await catchUp();
  const start = lines.length;
  return {
    async calls() {
      await catchUp();
      const own = new Set(["Hello"]);
      return lines
        .slice(start)
        .flatMap(([type, ...fields]) => (type === "mc" ? [fields.at(-1) ?? ""] : []))
        .filter((member) => !own.has(member));
    },
    async [Symbol.asyncDispose]() {
      const ended = once(monitor, "exit");
      monitor.kill("SIGKILL");
      await ended;
    },
  };
}

export async function busAddressOf(env: NodeJS.ProcessEnv): Promise<string> {
  const c = await openConnection(env["DISPLAY"] ?? "", { env });
  try {
    const property = await getProperty(c, c.root, await c.atom("AT_SPI_BUS"));
    return property?.value.toString("utf8").replaceAll("\0", "") ?? "";
  } finally {
    c.close();
  }
}
