import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { root } from "../paths.ts";

export interface Site extends AsyncDisposable {
  readonly url: string;
  /** Everything that forms and pages have sent, oldest first. */
  readonly posts: readonly Readonly<Record<string, unknown>>[];
}

const folder = join(root, "bench", "economy", "pages");

const links = (names: readonly string[]): string => names.map((name) => `<a href="#">${name}</a>`).join(" ");
const header = `<header><a href="#">Harbour & Sons</a><nav aria-label="Main">${links(["Shop", "Services", "Prices", "Journal", "About us", "Contact", "Sign in", "Basket (0)"])}</nav></header>`;
const footer = `<footer><nav aria-label="Footer">${links(["Imprint", "Privacy", "Cookies", "Terms of use", "Jobs", "Press", "Newsletter", "Help", "Delivery", "Returns", "Accessibility", "Sitemap"])}</nav><p>© 2026 Harbour & Sons. All prices include tax.</p></footer>`;

const style =
  "body{font:16px sans-serif;margin:0 24px}a{margin-right:8px}label{display:block;margin:6px 0}td,th{padding:4px 12px;text-align:left}";
const script = `const tell = (said) => fetch("/post", { method: "POST", body: JSON.stringify(said), keepalive: true });
const at = (id) => document.getElementById(id);`;

/** The page inside the frame that every page of a shop has; a part of a page has none. */
function page(file: string): string {
  const body = readFileSync(file, "utf8");
  const [, title = ""] = /<h1>(.*?)<\/h1>/.exec(body) ?? [];
  const isPart = body.startsWith("<!-- part -->");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">
<style>${style}</style><script>${script}</script>${isPart ? body : `${header}<main>${body}</main>${footer}`}</html>`;
}

/** Serves the pages of the jobs and keeps what they POST: JSON to /post, forms anywhere. */
export async function openSite(): Promise<Site> {
  const posts: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(folder, `${/^\/([\w-]+)$/.exec(pathname)?.[1] ?? "none"}.html`);
    const answer = (): void => {
      if (pathname === "/post") return void response.writeHead(204).end();
      if (!existsSync(file)) return void response.writeHead(404).end();
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" })
        .end(page(file));
    };
    if (request.method !== "POST") return answer();
    void readPost(request).then((post) => {
      posts.push(post);
      answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readPost(request: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await text(request);
  if (body.startsWith("{")) return JSON.parse(body) as Record<string, unknown>;
  return Object.fromEntries(new URLSearchParams(body));
}
