import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.d.ts";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readVersion } from "../../src/platform/cdp/endpoint.ts";
import { Wire, type Method, type Params, type Session } from "../../src/platform/cdp/wire.ts";
import { productEntry, startServer, type Server } from "../mcp-client.ts";
import type { Row } from "../measure.ts";
import { openOwnBrowser } from "../own-browser.ts";
import type { Table, Verdict } from "../report.ts";
import { attach } from "./attach.ts";
import { serveFolder } from "./serve-folder.ts";
import type { Suite } from "./suite.ts";

/** Every element that says which name or role it should have, in the web-platform-tests about accessibility. */
export const pageNames: Suite = {
  title: "web-platform-tests",
  recognises: (folder) => existsSync(join(folder, "accname")) || existsSync(join(folder, "html-aam")),
  async run(folder, { showsMisses, tell }) {
    const pages = pagesIn(folder);
    await using served = await serveFolder(folder);
    await using browser = await openOwnBrowser();
    await using wire = await Wire.open((await readVersion(browser.endpoint, undefined)).url, "the browser");
    const server = await startServer(productEntry, ["mcp", "--policy", "allow", "--journal", "off"], process.env);
    try {
      await server.ask("cdp_connect", { port: browser.endpoint.port });
      const session = await attach(wire);
      const cases: Case[] = [];
      for (const [index, page] of pages.entries()) {
        if (index % 10 === 0) tell(`page ${index + 1} of ${pages.length}`);
        cases.push(...(await casesOn(page, `${served.url}/${page}`, server, session)));
      }
      if (showsMisses) for (const line of missesOf(cases)) console.log(line);
      return tablesOf(cases);
    } finally {
      await server.close();
    }
  },
};

const pagesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".html"))
    .filter((path) => /data-expected(label|role)/.test(readFileSync(join(folder, path), "utf8")))
    .toSorted();

interface Told {
  readonly name: string;
  readonly role: string;
}

interface Expected {
  readonly name: string | null;
  readonly role: string | null;
  readonly title: string;
}

interface Case {
  readonly page: string;
  readonly expected: Expected;
  /** Undefined when it is in no snapshot. */
  readonly ours: Told | undefined;
  readonly theirs: Told;
}

const list = "expectedByHandsightBench";
const findCases = `(() => {
  const found = [];
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.hasAttribute("data-expectedlabel") || element.hasAttribute("data-expectedrole")) found.push(element);
      if (element.shadowRoot) visit(element.shadowRoot);
    }
  };
  visit(document);
  window.${list} = found;
  return found.map((element) => ({
    name: element.getAttribute("data-expectedlabel"),
    role: element.getAttribute("data-expectedrole"),
    title: element.getAttribute("data-testname") || element.outerHTML.slice(0, 120),
  }));
})()`;

async function casesOn(page: string, url: string, server: Server, session: Session): Promise<Case[]> {
  await server.ask("cdp_navigate", { url });
  const { result } = await session.send("Runtime.evaluate", { expression: findCases, returnByValue: true });
  const expected = result.value as readonly Expected[];
  const ours = await oursOn(server);
  const theirs = await theirsOn(session, expected.length);
  return expected.map((each, index) => ({
    page,
    expected: each,
    ours: ours.get(index),
    theirs: theirs[index] ?? { name: "", role: "" },
  }));
}

interface ElementRecord {
  /** The same as in the page tools; text that is part of an element listed elsewhere has none. */
  readonly runtime_id: string;
  readonly role: string;
  readonly native_role?: string;
  readonly name: string;
}

const mostArguments = 20;

/** What the snapshot says about each of the page's cases. */
async function oursOn(server: Server): Promise<ReadonlyMap<number, Told>> {
  const surface = "page:1";
  const { data } = await server.ask("take_ax_snapshot", { surface, format: "json", max_nodes: 20_000 });
  const all = (data["elements"] as readonly ElementRecord[]).filter(({ runtime_id: id }) => /^d\d+$/.test(id));
  const told = new Map<number, Told>();
  for (let start = 0; start < all.length; start += mostArguments) {
    const some = all.slice(start, start + mostArguments);
    const { data: answer } = await server.ask("cdp_evaluate_script", {
      function: `(...elements) => elements.map((element) => window.${list}.indexOf(element))`,
      args: some.map(({ runtime_id: uid }) => ({ uid })),
      settle_ms: 0,
    });
    for (const [position, index] of (answer["result"] as readonly number[]).entries()) {
      const element = some[position];
      if (element && index >= 0) told.set(index, { name: element.name, role: element.native_role ?? element.role });
    }
  }
  return told;
}

/** Includes parts of an answer that handsight does not check. */
const ask = async <M extends Method>(session: Session, method: M, params: Params<M>) =>
  (await session.attempt(method, params)) as unknown as ProtocolMapping.Commands[M]["returnType"];

async function theirsOn(session: Session, count: number): Promise<readonly Told[]> {
  await session.send("Accessibility.enable");
  const told: Told[] = [];
  for (let index = 0; index < count; index++) {
    const { result } = await session.send("Runtime.evaluate", { expression: `window.${list}[${index}]` });
    const answer = await ask(session, "Accessibility.getPartialAXTree", {
      objectId: result.objectId as string,
      fetchRelatives: false,
    });
    const [node] = answer?.nodes ?? [];
    const isIgnored = node === undefined || node.ignored;
    told.push({
      name: String(node?.name?.value ?? ""),
      role: isIgnored ? "none" : String(node.role?.value ?? ""),
    });
  }
  await session.send("Accessibility.disable");
  return told;
}

const interactive = new Set(
  (
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider " +
    "spinbutton switch tab textbox treeitem Date DateTime InputTime ColorWell DisclosureTriangle"
  ).split(" "),
);
const isInteractive = (each: Case): boolean =>
  interactive.has(hasRole(each) ? (each.expected.role ?? "") : each.theirs.role);

/** No-break spaces count as spaces. */
const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const isNameRight = ({ expected }: Case, told: Told | undefined): boolean =>
  // A line of text shows what an element contains, which is not its name.
  plain(told === undefined || told.role === "text" ? "" : told.name) === plain(expected.name ?? "");

// An element that means nothing by itself is not listed, or only as what it shows.
const meaningless = new Set([
  "",
  "none",
  "generic",
  "presentation",
  "text",
  "clickable",
  "paragraph",
  "GenericContainer",
]);
const synonyms: Readonly<Record<string, string>> = { img: "image", presentation: "none", disclosure: "button" };
/** Some only ask what a browser answers: their role is a remark, in capitals or in several words. */
const hasRole = ({ expected }: Case): boolean => /^[a-z-]+$/.test(expected.role ?? "");
const roleOf = (role: string): string => synonyms[role] ?? role;
const isRoleRight = ({ expected }: Case, told: Told | undefined): boolean => {
  const wanted = roleOf(expected.role ?? "");
  if (wanted === "none" || wanted === "generic") return meaningless.has(told?.role ?? "");
  return roleOf(told?.role ?? "") === wanted;
};

function tablesOf(cases: readonly Case[]): Table[] {
  const named = cases.filter(({ expected }) => expected.name !== null);
  const typed = cases.filter(hasRole);
  const unlisted = cases.filter((each) => isInteractive(each) && !each.ours);
  return [
    table("Names of interactive elements", named.filter(isInteractive), isNameRight, 97),
    table("Names of all elements", named, isNameRight),
    table("Roles of interactive elements", typed.filter(isInteractive), isRoleRight, 95),
    table("Roles of all elements", typed, isRoleRight),
    {
      title: `Interactive elements in no snapshot, of ${cases.filter(isInteractive).length}`,
      rows: [count("handsight", unlisted.length)],
      verdicts: [
        { target: "none is missing", figure: String(unlisted.length), state: unlisted.length === 0 ? "met" : "MISSED" },
      ],
    },
  ];
}

type Judge = (each: Case, told: Told | undefined) => boolean;

function table(title: string, cases: readonly Case[], isRight: Judge, atLeast?: number): Table {
  const ours = shareOf(cases.map((each) => isRight(each, each.ours)));
  const theirs = shareOf(cases.map((each) => isRight(each, each.theirs)));
  const verdicts: Verdict[] =
    atLeast === undefined
      ? []
      : [{ target: `≥ ${atLeast} %`, figure: `${ours.toFixed(1)} %`, state: ours >= atLeast ? "met" : "MISSED" }];
  return {
    title: `${title}, ${cases.length} cases`,
    rows: [share("handsight", "ours", ours), share("Chromium itself", "library", theirs)],
    verdicts,
  };
}

const shareOf = (answers: readonly boolean[]): number =>
  answers.length === 0 ? 0 : (100 * answers.filter(Boolean).length) / answers.length;
const share = (name: string, kind: Row["kind"], value: number): Row => ({
  name,
  kind,
  unit: "%",
  p50: value,
  runs: 1,
  failures: 0,
});
const count = (name: string, value: number): Row => ({ ...share(name, "ours", value), unit: "count" });

function missesOf(cases: readonly Case[]): string[] {
  return cases.flatMap((each) => {
    const { page, expected, ours, theirs } = each;
    const kind = isInteractive(each) ? "interactive" : "other";
    const about = `${page}: ${expected.title}`;
    const lines: string[] = [];
    const miss = (what: "name" | "role", isRight: Judge): void => {
      if (isRight(each, ours)) return;
      const own = ours ? JSON.stringify(ours[what]) : "not listed";
      const chromium = isRight(each, theirs) ? "right" : JSON.stringify(theirs[what]);
      lines.push(`${what}, ${kind}: ${own}, not ${JSON.stringify(expected[what])}; Chromium ${chromium}; ${about}`);
    };
    if (expected.name !== null) miss("name", isNameRight);
    if (hasRole(each)) miss("role", isRoleRight);
    return lines;
  });
}
