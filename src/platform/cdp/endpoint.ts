import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { readNamed } from "../../base/named-file.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface Version {
  /** "Chrome/156.0.0.0", "QtWebEngine/6.4.2 Chrome/102…", … */
  readonly browser: string;
  readonly url: string;
}

const answerMs = 3_000;
const longestAnswer = 1_000_000;

/** Asks the debugging port which browser it is. */
export async function readVersion({ host, port }: Endpoint, signal?: AbortSignal): Promise<Version> {
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const where = `${name}:${port}`;
  const timeout = AbortSignal.timeout(answerMs);
  let answer: Record<string, unknown>;
  try {
    const response = await fetch(`http://${where}/json/version`, {
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      // A browser never redirects.
      redirect: "error",
    });
    answer = await readObject(response);
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal);
    throw new ToolError("not_connected", `Nothing answers as a browser on ${where}.`, {
      hint:
        "Start the browser with --remote-debugging-port and a --user-data-dir of its own (Chrome 136 and later ignore the port " +
        "with the default profile), or call cdp_launch.",
      cause: error,
    });
  }
  const url = answer["webSocketDebuggerUrl"];
  if (typeof url !== "string" || !URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol)) {
    throw new ToolError("not_connected", `${where} answers, but names no DevTools socket.`, {
      hint: "Is it the debugging port of a browser?",
    });
  }
  const { protocol, hostname, pathname, search } = new URL(url);
  if (hostname !== new URL(`http://${where}`).hostname && !meansItself(hostname)) {
    throw new ToolError(
      "not_connected",
      `${where} names a DevTools socket on another host, "${hostname.slice(0, 200)}".`,
      {
        hint: "A browser names its own address. If that other host runs the browser, pass it as host.",
      },
    );
  }
  // Behind a forwarded port the browser names itself by an address or a port that does not reach it from here. A password
  // that stands in the address is not sent.
  const socket = new URL(`${protocol}//${where}${pathname}${search}`);
  const product = answer["Browser"];
  return { browser: typeof product === "string" ? product.slice(0, 200) : "browser", url: socket.href };
}

/** A browser behind a proxy or a forwarded port says "localhost", and means the machine it runs on. */
const meansItself = (hostname: string): boolean =>
  /^((.+\.)?localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);

/** Throws unless it is one JSON object of plausible size. */
async function readObject(response: Response): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > longestAnswer) throw new Error(`more than ${longestAnswer} bytes`);
    chunks.push(chunk);
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (typeof value !== "object" || value === null) throw new Error("not an object");
  return value as Record<string, unknown>;
}

/** Where a browser with this profile said that it listens when it started; it may be long gone. */
export interface ActivePort {
  readonly port: number;
  /** The path of its socket, with an id that no other browser has. */
  readonly path: string;
}

export async function readActivePort(profile: string): Promise<ActivePort | undefined> {
  try {
    const file = await realpath(join(profile, "DevToolsActivePort"));
    const [line, path = ""] = (await readNamed(file, { maxBytes: 10_000 })).toString("utf8").split("\n");
    const port = Number(line);
    return Number.isInteger(port) && port > 0 ? { port, path } : undefined;
  } catch {
    return undefined;
  }
}
