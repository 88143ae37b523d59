import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.d.ts";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CdpBrowser } from "../../src/platform/cdp/browser.ts";
import type { CdpPage } from "../../src/platform/cdp/page.ts";
import { PrivatePorts } from "../../src/base/private-ports.ts";
import { ElementIds } from "../../src/platform/cdp/element-ids.ts";
import type { Method, Params, Session } from "../../src/platform/cdp/wire.ts";
import { launchHeadless, servePages, type PageServer } from "../support/browser.ts";

const corpus = readdirSync(fileURLToPath(new URL("../fixtures/pages/corpus/", import.meta.url))).toSorted();

let server: PageServer;
let browser: Awaited<ReturnType<typeof launchHeadless>>;
let raw: CdpBrowser;

beforeAll(async () => {
  server = await servePages();
  browser = await launchHeadless();
  let count = 0;
  const host = {
    elementIds: new ElementIds(),
    ports: new PrivatePorts(),
    ruleAgainstFrame: () => undefined,
    nextPageId: () => `page:${++count}`,
    isSelected: () => false,
    decode: () => Promise.reject(new Error("no pictures here")),
  };
  raw = await CdpBrowser.connect("b", { host: "127.0.0.1", port: browser.port }, host, {});
});
afterAll(async () => {
  await raw?.disconnect();
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

// Roles for which Chromium has its own name.
const theirs: Readonly<Record<string, string>> = {
  DisclosureTriangle: "disclosure",
  Date: "date",
  DateTime: "datetime",
  InputTime: "time",
  ColorWell: "color",
  image: "image",
  img: "image",
};
const ours: Readonly<Record<string, string>> = { month: "datetime", week: "datetime", file: "button" };
const interactive = new Set(
  "button checkbox color combobox date datetime disclosure link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox time treeitem".split(
    " ",
  ),
);

interface Verdict {
  readonly agreed: number;
  readonly differences: readonly string[];
}

/** Includes parts of an answer that handsight does not check. */
const ask = async <M extends Method>(session: Session, method: M, params: Params<M>) =>
  (await session.attempt(method, params)) as unknown as ProtocolMapping.Commands[M]["returnType"];

async function compare(page: CdpPage): Promise<Verdict> {
  const { core } = page;
  const tree = await page.tree({ maxNodes: 5_000 });
  const byBackend = new Map<number, { role: string; name: string }>();
  for (const { ref, nativeRole, name } of tree.nodes) {
    if (ref === "") continue;
    const { document, local } = core.owner(ref);
    const { objectId } = await document.handle("elementOf", [{ value: local }]);
    if (objectId === undefined) continue;
    const { node } = await document.session.send("DOM.describeNode", { objectId });
    byBackend.set(node.backendNodeId, { role: ours[nativeRole] ?? nativeRole, name });
  }
  await core.session.send("Accessibility.enable");
  const differences: string[] = [];
  let agreed = 0;
  for (const frame of core.frames.all()) {
    const { nodes } = await ask(frame.session, "Accessibility.getFullAXTree", { frameId: frame.id });
    for (const { ignored, role, name, backendDOMNodeId } of nodes) {
      const theirRole = theirs[String(role?.value)] ?? String(role?.value);
      if (ignored || backendDOMNodeId === undefined || !interactive.has(theirRole)) continue;
      const theirName = String(name?.value ?? "")
        .replaceAll(/\s+/g, " ")
        .trim();
      const own = byBackend.get(backendDOMNodeId);
      if (!own) {
        // The inner parts of a field, and the options of a closed list, are not elements of ours.
        const { node } = await ask(frame.session, "DOM.describeNode", { backendNodeId: backendDOMNodeId });
        const box = await frame.session.attempt("DOM.getBoxModel", { backendNodeId: backendDOMNodeId });
        const isPart =
          node.isSVG === true ||
          (node.nodeName === "OPTION" && theirRole !== "listbox") ||
          node.pseudoType !== undefined;
        if (!isPart && box && node.attributes !== undefined) {
          const inUserAgentShadow = await isInternal(frame.session, backendDOMNodeId);
          if (!inUserAgentShadow)
            differences.push(`not listed: ${theirRole} "${theirName}" <${node.nodeName.toLowerCase()}>`);
        }
      } else if (own.role === theirRole && own.name === theirName) agreed++;
      else differences.push(`${own.role} "${own.name}" is ${theirRole} "${theirName}"`);
    }
  }
  return { agreed, differences };
}

async function isInternal(session: CdpPage["core"]["session"], backendNodeId: number): Promise<boolean> {
  const { object } = await session.send("DOM.resolveNode", { backendNodeId });
  const { result } = await session.send("Runtime.callFunctionOn", {
    objectId: object.objectId as string,
    functionDeclaration:
      "function() { const root = this.getRootNode(); return root instanceof ShadowRoot && root.host.shadowRoot !== root; }",
    returnByValue: true,
  });
  return result.value === true;
}

test("names and roles of interactive elements agree with the browser's own on 98 % over a corpus of pages [S2-102]", async () => {
  expect(corpus.length).toBeGreaterThanOrEqual(10);
  await browser.call("cdp_navigate", { url: `${server.own}/corpus/${corpus[0]}` });
  const page = await raw.page(raw.pages()[0]?.targetId ?? "", {});
  let agreed = 0;
  const differences: string[] = [];
  for (const name of corpus) {
    const to = { url: `${server.own}/corpus/${name}` };
    await page.backend.page?.perform({ name: "navigate", to, timeoutMs: 10_000 }, { settleMs: 100 });
    const verdict = await compare(page);
    agreed += verdict.agreed;
    differences.push(...verdict.differences.map((line) => `${name}: ${line}`));
  }
  const share = agreed / (agreed + differences.length);
  console.log(
    `names and roles: ${agreed} of ${agreed + differences.length} agree (${(share * 100).toFixed(1)} %) over ${corpus.length} pages`,
  );
  for (const line of differences) console.log(`  ${line}`);
  expect(agreed).toBeGreaterThan(200);
  expect(share).toBeGreaterThanOrEqual(0.98);
});
