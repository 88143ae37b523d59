import { pagePid, pageWindowId } from "./identity.ts";
import { sleep } from "../../base/async.ts";
import { pressablePageRoles, roleNamed } from "../../base/roles.ts";
import { screenPoint } from "../../base/geometry.ts";
import type { NodeActionName, NodeState } from "../../base/node.ts";
import type { PageNode, PageTree } from "../browser.ts";
import type { PageDocument } from "./document.ts";
import type { Frame } from "./frames.ts";
import { frameOffset, frameOwner } from "./geometry.ts";
import type { Collected, CollectOptions, Found } from "./inject/collect.ts";
import { unpackRows, type Row } from "./inject/rows.ts";
import { DocumentGone } from "./interrupt.ts";
import { learnListeners } from "./listeners.ts";
import { onDocument, type AttachedPage } from "./attached-page.ts";
import { elementsIn, learnNames } from "./told-names.ts";
import { FrameBlocked, isOfFrame } from "./refusals.ts";
import type { SendOptions } from "./wire.ts";

interface Part {
  readonly frame: Frame;
  readonly document: PageDocument;
  readonly collected: Rated;
  readonly offset: { readonly x: number; readonly y: number };
  readonly owner: number | undefined;
}

type Rated = Found & { readonly scores?: readonly number[] };
type Ask = (document: PageDocument) => Promise<Rated>;

/** Reads every frame at once. A frame that disappears meanwhile is left out. */
async function collectFrames(page: AttachedPage, ask: Ask, options: SendOptions): Promise<readonly Part[]> {
  const frames = await page.blocked.open(options);
  const parts = await Promise.all(frames.map((frame) => collectFrame(page, frame, ask, options)));
  // One around it may have become blocked meanwhile.
  return parts.filter((part) => part !== undefined).filter(({ frame }) => page.blocked.isOpen(frame));
}

async function collectFrame(
  page: AttachedPage,
  frame: Frame,
  ask: Ask,
  options: SendOptions,
): Promise<Part | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      const document = await frame.document(options);
      const [collected, offset, owner] = await Promise.all([
        askFully(page, document, ask, options),
        frameOffset(page, frame, options),
        frame.parentId === undefined ? undefined : frameOwner(page, frame, options),
      ]);
      return { frame, document, collected, offset, owner: owner?.id };
    } catch (error) {
      if (frame.parentId === undefined || !isOfFrame(error)) throw error;
      // It may only have moved to another process, or be between two documents.
      if (attempt >= 2 || page.frames.get(frame.id) !== frame || error instanceof FrameBlocked) return undefined;
      await page.frames.adopted();
      await sleep(20 * (attempt + 1), options.signal);
    }
  }
}

/** Asks again with what only the browser knows: closed shadow roots, listeners, and generated text. */
async function askFully(page: AttachedPage, document: PageDocument, ask: Ask, options: SendOptions): Promise<Rated> {
  const [isNews, first] = await Promise.all([
    learnListeners(page, document, { ...options, hasNewRoots: false }),
    askThrough(page, document, ask, options),
  ]);
  const isMore = first.freshRoots > 0 && (await learnListeners(page, document, { ...options, hasNewRoots: true }));
  const collected = isNews || isMore ? await ask(document) : first;
  return collected.unsure > 0 && (await learnNames(page, document, options)) ? ask(document) : collected;
}

/** Looks into closed shadow roots nobody has looked into yet, and asks again with them open to us. */
export async function askThrough<T extends { readonly suspects: number }>(
  page: AttachedPage,
  document: PageDocument,
  ask: (document: PageDocument) => Promise<T>,
  options: SendOptions,
): Promise<T> {
  let collected = await ask(document);
  for (let depth = 0; collected.suspects > 0 && depth < 4; depth++) {
    const found = await openClosedRoots(page, document, options);
    if (found === 0) break;
    collected = await ask(document);
  }
  return collected;
}

async function openClosedRoots(page: AttachedPage, document: PageDocument, options: SendOptions): Promise<number> {
  const { session, contextId } = document;
  const list = await document.handle("takeSuspects", [], options);
  if (list.objectId === undefined) return 0;
  const hosts = await elementsIn(page, document, list.objectId, options);
  const found = await Promise.all(
    hosts.map(async (objectId) => {
      const described = await page.interrupts.race(
        session.attempt("DOM.describeNode", { objectId, depth: 1, pierce: true }, options),
      );
      const root = described?.node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === "closed");
      if (!root) return 0;
      const resolved = await page.interrupts.race(
        session.attempt(
          "DOM.resolveNode",
          { backendNodeId: root.backendNodeId, executionContextId: contextId },
          options,
        ),
      );
      if (resolved?.object.objectId === undefined) return 0;
      await document.handle("adopt", [{ objectId }, { objectId: resolved.object.objectId }], options);
      return 1;
    }),
  );
  void session.attempt("Runtime.releaseObject", { objectId: list.objectId }).catch(() => undefined);
  return found.reduce<number>((sum, one) => sum + one, 0);
}

export async function readTree(
  page: AttachedPage,
  {
    maxNodes,
    root,
    isBrief,
    signal,
    timeoutMs,
  }: SendOptions & {
    readonly maxNodes: number;
    readonly isBrief?: boolean | undefined;
    readonly root?: { readonly document: PageDocument; readonly local: number } | undefined;
  },
): Promise<PageTree> {
  return onDocument(
    page,
    async () => {
      const options = { signal, timeoutMs };
      const parts = root
        ? await collectOne(page, root, maxNodes, options)
        : await collectFrames(page, collecting({ maxNodes, isBrief }, options), options);
      return { ...merge(page, parts, maxNodes), ...placeOf(page, parts) };
    },
    signal,
  );
}

const collecting =
  (what: CollectOptions, options: SendOptions): Ask =>
  async (document) => {
    const collected: Collected = await document.call("collect", [what], options);
    return { ...collected, rows: unpackRows(collected) };
  };

async function collectOne(
  page: AttachedPage,
  { document, local }: { readonly document: PageDocument; readonly local: number },
  maxNodes: number,
  options: SendOptions,
): Promise<readonly Part[]> {
  const frame = page.frames.get(document.frameId);
  if (!frame) throw new DocumentGone("the frame has gone");
  const ask = collecting({ maxNodes, root: local }, options);
  const [collected, offset] = await Promise.all([
    askFully(page, document, ask, options),
    frameOffset(page, frame, options),
  ]);
  return [{ frame, document, collected, offset, owner: undefined }];
}

export async function searchTree(
  page: AttachedPage,
  { text, role, max }: { readonly text: string; readonly role: string; readonly max: number },
  options: SendOptions,
): Promise<PageTree & { readonly matches: number }> {
  return onDocument(
    page,
    async () => {
      const parts = await collectFrames(
        page,
        (document) => document.call("search", [{ query: text, role, max }], options),
        options,
      );
      const rated = parts.flatMap((part) =>
        part.collected.rows.map((row, index) => ({
          node: toNode(page, part, row),
          score: part.collected.scores?.[index] ?? 0,
        })),
      );
      const best = rated.toSorted((a, b) => b.score - a.score).slice(0, max);
      return {
        nodes: best.map(({ node }) => node),
        total: parts.reduce(
          (sum, { collected }) => sum + Object.values(collected.inventory).reduce((a, b) => a + b, 0),
          0,
        ),
        matches: parts.reduce((sum, { collected }) => sum + collected.total, 0),
        inventory: addInventories(parts),
        isPartial: parts.some(({ collected }) => collected.isPartial),
        ...placeOf(page, parts),
      };
    },
    options.signal,
  );
}

function merge(page: AttachedPage, parts: readonly Part[], maxNodes: number): Omit<PageTree, "url" | "title"> {
  const byFrame = new Map<string | undefined, Part[]>();
  for (const part of parts.slice(1)) {
    const list = byFrame.get(part.frame.parentId) ?? [];
    byFrame.set(part.frame.parentId, list);
    list.push(part);
  }
  const nodes: PageNode[] = [];
  const add = (part: Part, depth: number, parent: string | undefined): void => {
    const own: PageNode[] = [];
    for (const row of part.collected.rows) {
      if (nodes.length >= maxNodes) return;
      const above = row[1] < 0 ? undefined : own[row[1]];
      const node = toNode(page, part, row, above ? above.depth + 1 : depth, above ? above.runtimeId : parent);
      own.push(node);
      nodes.push(node);
      if (row[2] !== "iframe") continue;
      const inner = byFrame.get(part.frame.id)?.find(({ owner }) => owner === row[0]);
      if (inner) add(inner, node.depth + 1, node.runtimeId);
    }
  };
  const [first] = parts;
  if (first) add(first, 0, undefined);
  return {
    nodes,
    total: parts.reduce((sum, { collected }) => sum + collected.total, 0),
    inventory: addInventories(parts),
    isPartial: parts.some(({ collected }) => collected.isPartial),
  };
}

/** As the document itself reports it: the browser reports a title a moment later. */
function placeOf(page: AttachedPage, parts: readonly Part[]): { readonly url: string; readonly title: string } {
  const main = parts.find(({ frame }) => frame.parentId === undefined);
  return main ? { url: main.collected.url, title: main.collected.title } : page.target.info();
}

function addInventories(parts: readonly Part[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const { collected } of parts) {
    for (const [role, count] of Object.entries(collected.inventory)) all[role] = (all[role] ?? 0) + count;
  }
  return all;
}

const toggleable: ReadonlySet<string> = new Set(["checkbox", "radio", "switch"]);
const settable: ReadonlySet<string> = new Set([
  "textbox",
  "searchbox",
  "combobox",
  "listbox",
  "slider",
  "spinbutton",
  "date",
  "time",
  "datetime",
  "month",
  "week",
  "color",
]);
const commonRoles: Readonly<Record<string, string>> = {
  searchbox: "textbox",
  menuitemcheckbox: "menuitem",
  menuitemradio: "menuitem",
  disclosure: "button",
  clickable: "group",
  date: "textbox",
  time: "textbox",
  datetime: "textbox",
  month: "textbox",
  week: "textbox",
  color: "button",
  file: "button",
  listbox: "list",
  option: "listitem",
  gridcell: "cell",
  grid: "table",
  treegrid: "table",
  alertdialog: "dialog",
  iframe: "document",
  article: "group",
  banner: "group",
  complementary: "group",
  contentinfo: "group",
  form: "group",
  main: "group",
  navigation: "group",
  region: "group",
  search: "group",
  radiogroup: "group",
  tabpanel: "group",
  figure: "group",
  status: "statusbar",
  application: "group",
  rowgroup: "group",
  sectionfooter: "group",
  sectionheader: "group",
  "graphics-document": "image",
  "graphics-object": "group",
  "graphics-symbol": "image",
  code: "text",
  deletion: "text",
  emphasis: "text",
  insertion: "text",
  mark: "text",
  strong: "text",
  subscript: "text",
  suggestion: "text",
  superscript: "text",
  meter: "progressbar",
};

/** One role name for all platforms; the page's own name stays in `nativeRole`. */
const commonRole = (role: string): string => commonRoles[role] ?? roleNamed(role) ?? "unknown";

// Thousands of elements share a handful of state combinations.
const known = new Map<string, { readonly states: readonly NodeState[]; readonly actions: readonly NodeActionName[] }>();

function abilities(role: string, states: string, isDrawn: boolean) {
  const key = `${role} ${isDrawn} ${states}`;
  const found = known.get(key);
  if (found) return found;
  const isHeard = states.endsWith(" clickable");
  const actions: NodeActionName[] = [
    ...(pressablePageRoles.has(role) || isHeard ? (["press"] as const) : []),
    ...(toggleable.has(role) ? (["toggle"] as const) : []),
    ...(settable.has(role) ? (["set_value"] as const) : []),
    ...(role === "option" ? (["select"] as const) : []),
    ...(role === "disclosure" ? (["expand", "collapse"] as const) : []),
    ...(states.includes("focusable") ? (["focus"] as const) : []),
    "scroll_into_view",
  ];
  const own = states.split(" ").filter((state) => state !== "" && state !== "clickable") as NodeState[];
  const made = { states: isDrawn ? (["showing", ...own] as const) : own, actions };
  if (known.size > 2_000) known.clear();
  known.set(key, made);
  return made;
}

export function toNode(
  page: AttachedPage,
  { document, offset }: Pick<Part, "document" | "offset">,
  [local, , role, name, [x, y, width, height], states, value, more]: Row,
  depth = 0,
  parent?: string,
): PageNode {
  const isDrawn = Math.round(width) > 0 && Math.round(height) > 0;
  const ref = local === 0 ? "" : page.elementIds.refOf(page.target.id, document, local);
  const node: { -readonly [Key in keyof PageNode]: PageNode[Key] } = {
    ref,
    runtimeId: ref === "" ? `text:${document.frameId}:${x},${y}:${name}` : ref,
    depth,
    role: commonRole(role),
    nativeRole: role,
    name,
    ...abilities(role, states, isDrawn),
    pid: pagePid,
    windowId: pageWindowId,
  };
  if (ref === "") node.isBare = true;
  if (parent !== undefined) node.parent = parent;
  if (value !== null) node.value = value;
  if (more?.id !== undefined) node.automationId = more.id;
  if (more?.range) node.range = more.range;
  if (more?.description !== undefined) node.description = more.description;
  if (more?.level !== undefined) node.level = more.level;
  if (more?.placeholder !== undefined) node.placeholder = more.placeholder;
  if (isDrawn) {
    const [left, top] = [x + offset.x, y + offset.y];
    node.bounds = { x: Math.round(left), y: Math.round(top), width: Math.round(width), height: Math.round(height) };
    node.clickPoint = screenPoint(Math.round(left + width / 2), Math.round(top + height / 2));
  }
  return node;
}
