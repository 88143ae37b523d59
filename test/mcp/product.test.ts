import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { makeClient } from "./connect.ts";

test("a screenshot arrives as a picture, and its whole frame can be read", async () => {
  const { session } = openFakeSession();
  const http = await serveHttp(session, { port: 0 });
  const client = makeClient("2026-07-28");
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
  try {
    const { content, structuredContent } = await client.callTool({
      name: "take_screenshot",
      arguments: { mode: "screen" },
    });
    expect(content.map(({ type }) => type).slice(0, 2)).toEqual(["image", "text"]);
    const { screenshot_id } = structuredContent as { screenshot_id: string };
    const text = content.find((block) => block.type === "text");
    expect(text?.text).toContain(`picture ${screenshot_id}, `);
    const { contents } = await client.readResource({ uri: `handsight://frames/${screenshot_id}` });
    const frame = contents[0] as { blob: string; mimeType: string };
    expect(frame.mimeType).toMatch(/^image\//);
    expect(Buffer.from(frame.blob, "base64").length).toBeGreaterThan(100);
  } finally {
    await client.close();
    await http.close();
    await session[Symbol.asyncDispose]();
  }
});
