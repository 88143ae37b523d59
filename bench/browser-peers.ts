import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { productEntry } from "./mcp-client.ts";
import { root } from "./paths.ts";

export interface Snapshot {
  /** The elements, line by line. */
  readonly listing: string;
  /** Everything a model gets to read. */
  readonly answer: string;
}

/** A browser server as its clients use it: over MCP, by the words of its own tools. */
export interface BrowserPeer extends AsyncDisposable {
  readonly name: string;
  readonly isOurs: boolean;
  go(url: string): Promise<void>;
  /** The whole page. */
  snapshot(): Promise<Snapshot>;
  /** How the server calls the element with this role and name in a listing. */
  find(listing: string, role: string, name: string): string;
  click(element: string): Promise<string>;
  fill(element: string, value: string): Promise<string>;
  evaluate(code: string): Promise<string>;
}

type Call = (tool: string, args: Record<string, unknown>) => Promise<string>;

const plain = (answer: string): Snapshot => ({ listing: answer, answer });
type Words = Omit<BrowserPeer, "name" | "isOurs" | typeof Symbol.asyncDispose>;

export const peers: Readonly<
  Record<
    string,
    {
      readonly entry: string;
      readonly args: (port: number) => string[];
      readonly speak: (call: Call) => Promise<Words>;
    }
  >
> = {
  handsight: {
    entry: productEntry,
    args: () => ["mcp", "--policy", "allow", "--journal", "off", "--tools", "browser"],
    speak: async (call) => ({
      go: async (url) => void (await call("cdp_navigate", { url })),
      snapshot: async () => plain(await call("cdp_take_dom_snapshot", { max_nodes: 20_000, max_tokens: 50_000 })),
      find: (text, role, name) => match(text, new RegExp(`(d\\d+) ${role} "${name}"`)),
      click: (uid) => call("cdp_click", { uid }),
      fill: (uid, value) => call("cdp_fill", { uid, value }),
      evaluate: (code) => call("cdp_evaluate_script", { function: code }),
    }),
  },
  "chrome-devtools-mcp": {
    entry: join(
      root,
      "bench",
      "peers",
      "node_modules",
      "chrome-devtools-mcp",
      "build",
      "src",
      "bin",
      "chrome-devtools-mcp.js",
    ),
    args: (port) => ["--browserUrl", `http://127.0.0.1:${port}`, "--no-usage-statistics", "--no-performance-crux"],
    speak: async (call) => {
      const [, id = "1"] = /^\s*(\d+):/m.exec(await call("list_pages", {})) ?? [];
      const pageId = Number(id);
      return {
        go: async (url) => void (await call("navigate_page", { pageId, url })),
        snapshot: async () => plain(await call("take_snapshot", { pageId })),
        find: (text, role, name) => match(text, new RegExp(`uid=(\\S+) ${role} "${name} ?"`)),
        click: (uid) => call("click", { pageId, uid }),
        fill: (uid, value) => call("fill", { pageId, uid, value }),
        evaluate: (code) => call("evaluate_script", { pageId, function: code }),
      };
    },
  },
  "@playwright/mcp": {
    entry: join(root, "bench", "peers", "node_modules", "@playwright", "mcp", "cli.js"),
    args: (port) => ["--cdp-endpoint", `http://127.0.0.1:${port}`],
    speak: async (call) => ({
      go: async (url) => void (await call("browser_navigate", { url })),
      snapshot: async () => plain(await call("browser_snapshot", {})),
      find: (text, role, name) => match(text, new RegExp(`${role} "${name}"[^\\n]*?\\[ref=(\\w+)\\]`)),
      click: (ref) => call("browser_click", { element: "the element", target: ref }),
      fill: (ref, text) => call("browser_type", { element: "the field", target: ref, text }),
      evaluate: (code) => call("browser_evaluate", { function: code }),
    }),
  },
};

function match(text: string, pattern: RegExp): string {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`the snapshot has no ${pattern.source}`);
  return found;
}

export async function openPeer(name: string, port: number): Promise<BrowserPeer> {
  const peer = peers[name];
  if (!peer) throw new Error(`there is no peer ${name}`);
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [peer.entry, ...peer.args(port)],
    stderr: "ignore",
    // One of them leaves a file of every snapshot where it was started.
    cwd: tmpdir(),
  });
  await client.connect(transport);
  const call: Call = async (tool, args) => {
    const result = await client.callTool({ name: tool, arguments: args });
    const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    if (result.isError === true) throw new Error(`${tool}: ${text.slice(0, 200)}`);
    return text;
  };
  const isOurs = name === "handsight";
  if (isOurs) await call("cdp_connect", { port });
  return { name, isOurs, ...(await peer.speak(call)), [Symbol.asyncDispose]: () => client.close() };
}
