import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Page, PageNode, PageTree } from "../../platform/browser.ts";
import { pageOutline } from "../../surface/page-outline.ts";
import { charsIn, pageLine, pageStates } from "../../surface/snapshot-text.ts";
import { snapshotId, type Snapshots } from "../../surface/snapshot.ts";
import { roomFor } from "../answer/room.ts";
import { earlier, listChanges, unknownSince } from "../elements/since.ts";
import { needBrowsers, needPage, pageSurface, toTrouble } from "./schema.ts";
import { defineTool } from "../tool.ts";

const troubleRecord = z
  .object({ console_errors: z.number(), failed_requests: z.number(), last: z.array(z.string()) })
  .optional();

const snapshotFields = {
  since: z.string().max(20).optional().describe("snapshot_id: only what changed since"),
  max_nodes: z.int().min(1).max(20_000).default(300).describe("What is in view comes first"),
  max_tokens: z.int().min(100).max(50_000).default(2_000),
};

export const cdpTakeDomSnapshot = defineTool({
  name: "cdp_take_dom_snapshot",
  title: "Take a snapshot of the page",
  summary:
    "The page as an indented list: uid, role, name, value, states; frames and shadow roots in place. Take a fresh one after every " +
    "navigation or change. On large pages (500+ elements) prefer cdp_find_elements: buttons, links, fields and headings matter, lists, " +
    "rows and regions only say where things are.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({ ...snapshotFields, surface: pageSurface }),
  output: z.object({
    url: z.string(),
    title: z.string(),
    snapshot_id: z.string().optional(),
    since: z.string().optional().describe("Only the changes since this snapshot are listed"),
    nodes: z.number(),
    cut: z.number().describe("Elements left out for the budget"),
    snapshot: z.string(),
    warning: z.string().optional(),
    inventory: z.record(z.string(), z.number()).optional().describe("All elements by role, when some were left out"),
    trouble: troubleRecord,
  }),
  positional: ["max_nodes"],
  async run({ since, max_nodes, max_tokens, surface }, context) {
    const page = await needPage(context, surface);
    const trouble = toTrouble(page.trouble());
    const { signal, session } = context;
    const budget = { maxNodes: max_nodes, maxTokens: max_tokens, beside: trouble };
    if (session.isDevtools) return { data: { ...(await flatSnapshotOf(page, budget, signal)), ...trouble } };
    const { snapshots } = await session.surface(page.id);
    return { data: { ...(await snapshotOf(page, { ...budget, snapshots, since }, signal)), ...trouble } };
  },
});

interface Budget {
  readonly maxNodes: number;
  readonly maxTokens: number;
  /** What else the answer says. */
  readonly beside: Readonly<Record<string, unknown>>;
}

interface Compared extends Budget {
  readonly snapshots: Snapshots;
  readonly since?: string | undefined;
}

// What repeats can only be folded if it has been read.
const mostRead = 5_000;

async function snapshotOf(
  page: Page,
  { maxNodes, maxTokens, beside, snapshots, since }: Compared,
  signal: AbortSignal,
) {
  const read = await page.tree({ maxNodes: Math.max(maxNodes, mostRead), signal });
  const before = earlier(snapshots, since, { pid: pidOf(read), nodes: read.nodes });
  const snapshot = snapshots.take({ nodes: read.nodes, omitted: [] }, pidOf(read));
  const id = {
    snapshot_id: snapshotId(snapshot),
    ...(before ? { since: snapshotId(before) } : {}),
    ...(since !== undefined && !before ? { warning: unknownSince(since) } : {}),
  };
  if (before) {
    const room = roomFor({ ...headOf(read, { cut: 0 }), ...id, ...beside }, maxTokens);
    return { ...headOf(read, { nodes: read.nodes.length, ...listChanges(before, snapshot, room) }), ...id };
  }
  const listing = list(read);
  // If even that is too much, what is in view comes first.
  const { tree, text, shown, cut } =
    listing.isChosen && read.total > maxNodes ? list(await page.tree({ maxNodes, signal })) : listing;
  return { ...headOf(tree, { nodes: shown, cut, snapshot: text }), ...id };

  function list(tree: PageTree) {
    const unread = tree.total - tree.nodes.length;
    const room = { maxNodes, maxChars: roomFor({ ...headOf(tree, { cut: 1 }), ...id, ...beside }, maxTokens) };
    return { tree, ...pageOutline(tree.nodes, { ...room, surface: page.id, unread }) };
  }
}

const pidOf = ({ nodes }: PageTree): number => nodes[0]?.pid ?? 0;

/** The listing as the S2 surface spells it: everything in the order of the page, until the budget is used up. */
async function flatSnapshotOf(page: Page, { maxNodes, maxTokens }: Budget, signal: AbortSignal) {
  const tree = await page.tree({ maxNodes, signal });
  const lines: string[] = [];
  let left = charsIn(maxTokens);
  for (const node of tree.nodes) {
    const line = `${" ".repeat(Math.min(node.depth, 12))}${pageLine(node)}`;
    if (line.length >= left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  const note = () => moreThan(tree, lines.length);
  // The budget covers all of the text, so the last lines make room for the note about the rest.
  while (lines.length < tree.total && left < note().length) left += (lines.pop() ?? "").length + 1;
  const nodes = lines.length;
  const cut = tree.total - nodes;
  if (cut > 0) lines.push(note());
  return headOf(tree, { nodes, cut, snapshot: lines.join("\n") });
}

const headOf = <T extends { readonly cut: number }>({ url, title, inventory }: PageTree, listed: T) => ({
  url,
  title,
  ...listed,
  ...(listed.cut > 0 ? { inventory: { ...inventory } } : {}),
});

const moreThan = ({ total, isPartial }: PageTree, shown: number): string =>
  `… ${isPartial ? "more than " : ""}${total - shown} more elements; use cdp_find_elements, or raise max_nodes and max_tokens`;

const matchRecord = z.object({
  uid: z.string(),
  role: z.string(),
  name: z.string(),
  value: z.union([z.string(), z.number()]).optional(),
  states: z.array(z.string()).optional(),
});

const toMatch = (node: PageNode): z.input<typeof matchRecord> => {
  const states = pageStates(node);
  return {
    uid: node.ref,
    role: node.nativeRole,
    name: node.name,
    ...(node.value === undefined || node.value === "" ? {} : { value: node.value }),
    ...(states.length > 0 ? { states: [...states] } : {}),
  };
};

export const cdpFindElements = defineTool({
  name: "cdp_find_elements",
  title: "Find elements on the page",
  summary:
    "Search the live page for elements by name, text, value, placeholder or id, best match first, with uids for cdp_click and cdp_fill, " +
    "and how many elements of each role the page has. Prefer it to the snapshot.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({
    query: z.string().max(500).describe("Any part, any case; empty for all of a role"),
    role: z.string().max(40).optional().describe("E.g. button, link, textbox, checkbox, heading"),
    max_results: z.int().min(1).max(200).default(10),
    surface: pageSurface,
  }),
  output: z.object({
    matches: z.array(matchRecord),
    total: z.number().describe("How many match"),
    inventory: z.record(z.string(), z.number()),
    note: z.string().optional(),
    trouble: troubleRecord,
  }),
  positional: ["query", "role"],
  check({ query, role }) {
    if (query.trim() === "" && role === undefined) throw new ToolError("invalid_argument", "Give a query or a role.");
  },
  async run({ query, role, max_results, surface }, context) {
    const page = await needPage(context, surface);
    const wanted = { text: query, role: role?.toLowerCase() ?? "", max: max_results };
    const found = await page.search(wanted, { signal: context.signal });
    return {
      data: {
        matches: found.nodes.filter(({ ref }) => ref !== "").map(toMatch),
        total: found.matches,
        inventory: { ...found.inventory },
        ...(found.isPartial
          ? { note: "The page is too large to search in full; only its beginning was searched." }
          : {}),
        ...toTrouble(page.trouble()),
      },
    };
  },
});

export const cdpWaitFor = defineTool({
  name: "cdp_wait_for",
  title: "Wait for text on the page",
  summary: "Wait until any of the texts appears on the page, in any frame. Case matters.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({
    text: z.array(z.string().min(1).max(1_000)).min(1).max(20),
    timeout: z.int().min(0).max(60_000).default(10_000).describe("Milliseconds"),
    include_snapshot: z.boolean().default(false),
    surface: pageSurface,
  }),
  output: z.object({
    message: z.string(),
    text: z.string(),
    waited_ms: z.number(),
    snapshot: z.string().optional(),
    trouble: troubleRecord,
  }),
  positional: ["text"],
  async run({ text, timeout, include_snapshot, surface }, context) {
    const { signal } = context;
    const page = await needPage(context, surface);
    const found = await page.waitForText(text, { timeoutMs: timeout, signal });
    if (!found) {
      throw new ToolError("timeout", `None of ${JSON.stringify(text)} appeared within ${timeout} ms.`, {
        hint: "Use cdp_take_dom_snapshot to see what the page shows instead.",
      });
    }
    const budget = { maxNodes: 300, maxTokens: 2_000, beside: {} };
    const look = async () =>
      context.session.isDevtools
        ? flatSnapshotOf(page, budget, signal)
        : snapshotOf(page, { ...budget, snapshots: (await context.session.surface(page.id)).snapshots }, signal);
    const snapshot = include_snapshot ? (await look()).snapshot : undefined;
    return {
      data: {
        message: `"${found.text}" text appeared after ${found.ms}ms`,
        text: found.text,
        waited_ms: found.ms,
        ...(snapshot === undefined ? {} : { snapshot }),
        ...toTrouble(page.trouble()),
      },
    };
  },
});

export const cdpElementAtPoint = defineTool({
  name: "cdp_element_at_point",
  title: "Page element at a screen point",
  summary:
    "Which node of the page is at a point of the screen (screen units, as in click): its backend_node_id always, its uid, role and name " +
    "when it has been listed before.",
  set: "browser",
  access: "observe",
  needs: [],
  input: z.strictObject({ x: z.number(), y: z.number(), surface: pageSurface }),
  output: z.object({
    backend_node_id: z.number(),
    uid: z.string().nullable(),
    role: z.string().optional(),
    name: z.string().optional(),
    page_x: z.number(),
    page_y: z.number(),
    surface: z.string(),
    note: z.string().optional(),
  }),
  positional: ["x", "y"],
  async run({ x, y, surface }, context) {
    const page = await (await needBrowsers(context)).page(surface, { signal: context.signal });
    const found = await page.elementAt({ x, y }, { signal: context.signal });
    const place = { page_x: Math.round(found.x), page_y: Math.round(found.y), surface: page.id };
    if (found.node) {
      const { ref, nativeRole, name } = found.node;
      return { data: { backend_node_id: found.backendNodeId, uid: ref, role: nativeRole, name, ...place } };
    }
    const note = "No snapshot has listed this node; take one, or use cdp_find_elements.";
    return { data: { backend_node_id: found.backendNodeId, uid: null, ...place, note } };
  },
});
