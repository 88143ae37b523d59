import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** The least an MCP server can be: what the SDK alone costs. */
serveStdio(() => {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "nothing", inputSchema: { type: "object" as const } }],
  }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text" as const, text: "done" }] }));
  return server;
});
