// @ts-check
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * What an MCP client that cannot show questions does with the command it was given: looks, starts an app and acts.
 */
const [folder = ".", command = "", ...args] = process.argv.slice(2);
const client = new Client({ name: "readme-client", version: "1.0.0" });
const env = /** @type {Record<string, string>} */ ({ ...process.env });
await client.connect(new StdioClientTransport({ command, args, cwd: folder, env, stderr: "inherit" }));

/** @param {string} name @param {Record<string, unknown>} input */
async function call(name, input = {}) {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
  const [first] = content;
  if (isError) throw new Error(`${name}: ${first?.type === "text" ? first.text : "failed"}`);
  return /** @type {any} */ (structuredContent);
}

const { tools } = await client.listTools();
await call("take_screenshot", { mode: "screen", include_ocr: false });
const { window } = await call("launch_app", { app_name: "Calculator" });
await call("wait_for", { condition: "element", text: "7", pid: window.pid });
const { effect } = await call("click", { text: "7", pid: window.pid });
await client.close();
process.stdout.write(`${tools.length} tools; looked, started "${window.title}" and clicked: ${effect}\n`);
