import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import { openFakeSession } from "../support/fake-session.ts";

const login = { id: 1, title: "Login Form", bounds: { x: 100, y: 50, width: 400, height: 300 } };

test("describe_screen borrows the model of a client that lends it [S1-49, S1-51, S1-52]", async () => {
  const { session } = openFakeSession({ windows: [login] }, { tools: "all" });
  const http = await serveHttp(session, { port: 0 });
  const client = new Client(
    { name: "lender", version: "1" },
    { capabilities: { sampling: { context: {} } }, versionNegotiation: { mode: "legacy" } },
  );
  const asked: unknown[] = [];
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    asked.push(params);
    return { role: "assistant", model: "lent", content: { type: "text", text: "A login form." } };
  });
  try {
    const headers = { authorization: `Bearer ${http.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
    const { structuredContent } = await client.callTool({
      name: "describe_screen",
      arguments: { window_title: "Login", prompt: "What is it?" },
    });
    expect(structuredContent).toMatchObject({ text: "A login form.", model: "sampling" });
    expect(asked).toMatchObject([
      {
        includeContext: "allServers",
        messages: [
          { role: "user", content: { type: "text", text: "What is it?" } },
          { role: "user", content: { type: "image", mimeType: "image/jpeg" } },
        ],
      },
    ]);
  } finally {
    await client.close();
    await http.close();
    await session[Symbol.asyncDispose]();
  }
});

test("a client that lends none learns which models there are", async () => {
  const { session } = openFakeSession({ windows: [login] }, { tools: "all" });
  const http = await serveHttp(session, { port: 0 });
  const client = new Client({ name: "poor", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  try {
    const headers = { authorization: `Bearer ${http.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
    const { isError, content } = await client.callTool({ name: "describe_screen", arguments: { mode: "screen" } });
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining("anthropic:")]);
  } finally {
    await client.close();
    await http.close();
    await session[Symbol.asyncDispose]();
  }
});
