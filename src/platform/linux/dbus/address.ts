import { join } from "node:path";
import { ToolError } from "../../../base/errors.ts";

export type Endpoint = { readonly path: string } | { readonly host: string; readonly port: number };

/**
 * The endpoints of a D-Bus address, in the order to try them ("D-Bus Specification", Server Addresses). Transports
 * that would start a program are left out: connecting must not have that side effect.
 */
export function parseAddress(address: string, env: NodeJS.ProcessEnv): readonly Endpoint[] {
  const endpoints = address
    .split(";")
    .filter((part) => part !== "")
    .map((part) => toEndpoint(part, env));
  const usable = endpoints.filter((endpoint) => endpoint !== undefined);
  if (usable.length > 0) return usable;
  throw new ToolError("not_connected", `The D-Bus address "${address}" names no socket that can be connected to.`, {
    hint: "It should look like unix:path=/run/user/1000/bus.",
  });
}

function toEndpoint(part: string, env: NodeJS.ProcessEnv): Endpoint | undefined {
  const colon = part.indexOf(":");
  if (colon < 0) return undefined;
  const transport = part.slice(0, colon);
  const values = new Map<string, string>();
  for (const pair of part.slice(colon + 1).split(",")) {
    const equals = pair.indexOf("=");
    if (equals > 0) values.set(pair.slice(0, equals), unescape(pair.slice(equals + 1)));
  }
  if (transport === "unix") return unixEndpoint(values, env);
  if (transport !== "tcp") return undefined;
  const port = Number(values.get("port"));
  return Number.isInteger(port) && port > 0 ? { host: values.get("host") ?? "localhost", port } : undefined;
}

function unixEndpoint(values: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv): Endpoint | undefined {
  const path = values.get("path");
  if (path) return { path };
  const abstract = values.get("abstract");
  if (abstract) return { path: `\0${abstract}` };
  const runtime = env["XDG_RUNTIME_DIR"];
  return values.get("runtime") === "yes" && runtime ? { path: join(runtime, "bus") } : undefined;
}

/** %XX stands for one byte, so a UTF-8 path uses several of them. */
function unescape(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const escaped = /^%([0-9a-fA-F]{2})/.exec(text.slice(at, at + 3));
    if (escaped?.[1] === undefined) bytes.push(...Buffer.from(text[at] ?? ""));
    else {
      bytes.push(Number.parseInt(escaped[1], 16));
      at += 2;
    }
  }
  return Buffer.from(bytes).toString("utf8");
}

export const showEndpoint = (endpoint: Endpoint): string =>
  "path" in endpoint ? endpoint.path.replace("\0", "@") : `${endpoint.host}:${endpoint.port}`;
