import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { screenPoint, union } from "../../base/geometry.ts";
import { foldText } from "../../base/match-text.ts";
import type { UiNode } from "../../base/node.ts";
import { isRole, roleNamed } from "../../base/roles.ts";
import { findScope, onlyOne, pointOf, readTree } from "../../surface/find-element.ts";
import { leftOut } from "../../surface/left-out.ts";
import { essential } from "../../surface/match-elements.ts";
import { boundsChoices, outline } from "../../surface/outline.ts";
import { parseSelector, selectNodes } from "../../surface/selector.ts";
import { allStates } from "../../surface/snapshot-text.ts";
import { snapshotId, type SnapshotNode } from "../../surface/snapshot.ts";
import type { Surface } from "../../surface/surface.ts";
import { toImageRect } from "../../surface/view.ts";
import { coloursIn } from "../../vision/colours.ts";
import { readWindowQuery, rect, windowFields, withinFields } from "../schema.ts";
import { roomFor } from "../answer/room.ts";
import { defineTool } from "../tool.ts";
import { earlier, listChanges, unknownSince } from "./since.ts";

const point = z.object({ x: z.number(), y: z.number() });

export const elementRecord = z.object({
  uid: z.string(),
  stable_id: z.string().optional(),
  runtime_id: z.string().optional(),
  role: z.string(),
  native_role: z.string().optional(),
  name: z.string(),
  value: z.union([z.string(), z.number()]).optional(),
  description: z.string().optional(),
  automation_id: z.string().optional(),
  states: z.array(z.string()),
  actions: z.array(z.string()),
  bounds: rect.optional(),
  click_point: point.optional(),
  pid: z.number().optional(),
});

export function toElementRecord(surface: Surface, node: UiNode): z.input<typeof elementRecord> {
  const click = pointOf(node);
  return {
    uid: surface.snapshots.refOf(node),
    runtime_id: node.runtimeId,
    role: node.role,
    ...(node.nativeRole === node.role ? {} : { native_role: node.nativeRole }),
    name: cut(node.name),
    ...(node.value === undefined ? {} : { value: typeof node.value === "string" ? cut(node.value) : node.value }),
    ...(node.description ? { description: cut(node.description) } : {}),
    ...(node.automationId ? { automation_id: node.automationId } : {}),
    states: allStates(node),
    actions: [...node.actions],
    ...(node.bounds ? { bounds: node.bounds } : {}),
    ...(click ? { click_point: { x: click.x, y: click.y } } : {}),
    ...(node.pid === undefined ? {} : { pid: node.pid }),
  };
}

/** What every snapshot takes. */
export const snapshotFields = {
  since: z.string().max(20).optional().describe("snapshot_id: only what changed since"),
  bounds: z
    .enum(boundsChoices)
    .default("targets")
    .describe("Which elements say where they are; targets: only where a uid does not suffice"),
  max_nodes: z.int().min(1).max(20_000).default(300),
  max_tokens: z.int().min(100).max(50_000).default(2_000),
};

const longest = 500;
export const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

export const takeAxSnapshot = defineTool({
  name: "take_ax_snapshot",
  title: "Take a snapshot of the elements",
  summary:
    "The elements of an app (default: the active one) as an indented list: role, name, uid, value, states. Use the " +
    "uids in click, ax_click, …; each lasts as long as its element. Long lists are folded.",
  set: "desktop",
  access: "observe",
  needs: ["elements", "windows"],
  input: z.strictObject({
    ...windowFields,
    root: z.string().max(20).optional().describe("Only below this uid, to see what was cut"),
    offset: z.int().min(0).max(1_000_000).default(0).describe("Leave out this many children of root"),
    format: z.enum(["text", "json"]).default("text"),
    ...snapshotFields,
  }),
  output: z.object({
    app_name: z.string(),
    pid: z.number(),
    window_id: z.number(),
    generation: z.number(),
    snapshot_id: z.string(),
    since: z.string().optional().describe("Only the changes since this snapshot are listed"),
    nodes: z.number().describe("Elements read"),
    cut: z.number().describe("Elements left out for the budget"),
    snapshot: z.string().optional(),
    elements: z
      .array(
        elementRecord.extend({
          depth: z.number(),
          more: z.number().optional().describe("Elements under it that were left out; read them with root"),
        }),
      )
      .optional(),
    warning: z.string().optional(),
  }),
  positional: ["app_name"],
  check: ({ since, root, offset, format }) => {
    const isWhole = root === undefined && offset === 0 && format === "text";
    if (since !== undefined && !isWhole)
      throw new ToolError("invalid_argument", "since goes with neither root, offset nor format json.");
    if (offset > 0 && format === "json")
      throw new ToolError("invalid_argument", "offset does not go with format json.");
  },
  async run(input, { surface: open, session, signal }) {
    const surface = await open();
    const within = { window: readWindowQuery(input), ref: input.root };
    // What repeats can only be folded if it has been read; a page reads thousands at once.
    const isQuick = surface.need("elements").isDocument === true;
    const fewest = input.offset > 0 ? mostNodes : isQuick ? 5_000 : 2_000;
    const { nodes, omitted, pid, window } = await readTree(surface, within, Math.max(input.max_nodes, fewest), signal);
    const before = earlier(surface.snapshots, input.since, { pid, nodes });
    const snapshot = surface.snapshots.take({ nodes, omitted }, pid);
    const head = {
      app_name: window.appName,
      pid,
      window_id: window.id,
      generation: snapshot.generation,
      snapshot_id: snapshotId(snapshot),
      nodes: nodes.length,
      ...(input.since !== undefined && !before ? { warning: unknownSince(input.since) } : {}),
    };
    if (before) {
      const changes = listChanges(before, snapshot, roomFor({ ...head, since: input.since }, input.max_tokens));
      return { data: { ...head, since: snapshotId(before), ...changes }, tree: nodes };
    }
    if (input.format === "text") {
      const budget = {
        maxNodes: input.max_nodes,
        maxChars: roomFor(head, input.max_tokens),
        offset: input.offset,
        isBelowRoot: input.root !== undefined,
        ...(session.isDevtools
          ? { bounds: "all" as const, perParent: input.root === undefined ? childrenPerParent : input.max_nodes }
          : { bounds: input.bounds }),
      };
      const { text, cut: left } = outline(snapshot, budget);
      return { data: { ...head, cut: left, snapshot: text }, tree: nodes };
    }
    const all = [...snapshot.byRef.values()];
    const shown = all.slice(0, input.max_nodes);
    const left = all.length - shown.length + omitted.reduce((sum, { count }) => sum + count, 0);
    const missing = leftOut(snapshot.roots, new Set(shown));
    const elements = shown.map((each) => toRecordOf(surface, each, missing.get(each)));
    return { data: { ...head, cut: left, elements }, tree: nodes };
  },
});

const mostNodes = 20_000;
// A list of thousands must not crowd out everything else.
const childrenPerParent = 40;

function toRecordOf(surface: Surface, { stableId, depth, node }: SnapshotNode, more: number | undefined) {
  const record = { ...toElementRecord(surface, node), stable_id: stableId, depth };
  return more === undefined ? record : { ...record, more };
}

export const findElements = defineTool({
  name: "find_elements",
  title: "Find elements",
  summary:
    "Elements by selector (Button:Submit, TextBox:Username, #id, Dialog > Button:OK, CheckBox[checked]), or by role and name. " +
    "Cheaper than a snapshot when you know what you want.",
  set: "desktop",
  access: "observe",
  needs: ["elements", "windows"],
  input: z.strictObject({
    selector: z.string().min(1).max(1_000).optional(),
    role: z.string().max(40).optional(),
    name: z.string().max(500).optional().describe("Part of the name, any case"),
    ...windowFields,
    ...withinFields,
    max_results: z.int().min(1).max(500).default(20),
    only: z.boolean().default(false).describe("The one that an action would use; several are an error"),
    colors: z.boolean().default(false).describe("Also tell how each is coloured on the screen"),
  }),
  output: z.object({
    elements: z.array(elementRecord.extend({ background: z.string().optional(), color: z.string().optional() })),
    total: z.number(),
  }),
  positional: ["selector"],
  check: (input) => void readSearch(input),
  async run(input, { surface: open, signal }) {
    const surface = await open();
    const within = { window: readWindowQuery(input), ref: input.within };
    const { nodes, window } = await readTree(surface, within, 20_000, signal, wantedName(input));
    const matches = nodes.length === 0 ? [] : search(nodes, input);
    const one = input.only ? onlyOne(surface, essential(nodes, matches), { nodes, window }, wordsOf(input)) : undefined;
    const found = input.only ? (one ? [one] : []) : matches;
    const shown = found.slice(0, input.max_results);
    const colours = input.colors ? await coloursOf(surface, shown, signal) : new Map<UiNode, ShownColours>();
    const elements = shown.map((node) => ({ ...toElementRecord(surface, node), ...colours.get(node) }));
    return { data: { elements, total: found.length } };
  },
});

interface ShownColours {
  readonly background: string;
  readonly color?: string | undefined;
}

/** As they are on the screen: what something covers has the colours of that. */
async function coloursOf(
  surface: Surface,
  nodes: readonly UiNode[],
  signal: AbortSignal,
): Promise<ReadonlyMap<UiNode, ShownColours>> {
  const seen = nodes.flatMap((node) =>
    node.bounds && node.states.includes("showing") && node.bounds.width >= 1 && node.bounds.height >= 1
      ? [{ node, bounds: node.bounds }]
      : [],
  );
  const rect = union(seen.map(({ bounds }) => bounds));
  if (!rect) return new Map();
  const { pixels, bounds } = await surface.picture({ kind: "region", rect }, { includeCursor: false, signal });
  const view = { bounds, image: pixels };
  return new Map(
    seen.flatMap(({ node, bounds: own }) => {
      const colours = coloursIn(pixels, toImageRect(view, own));
      if (!colours) return [];
      const { background, text } = colours;
      return [[node, { background, ...(text === undefined ? {} : { color: text }) }] as const];
    }),
  );
}

type Search = Readonly<Partial<Record<"selector" | "role" | "name", string | undefined>>>;

function readSearch({ selector, role, name }: Search) {
  if (selector === undefined && role === undefined && name === undefined) {
    throw new ToolError("invalid_argument", "Say what to find: selector, role or name.");
  }
  const known = role === undefined ? undefined : roleNamed(role);
  if (role !== undefined && known === undefined) {
    throw new ToolError("invalid_argument", `"${role}" is not a role.`, {
      hint: "For example button, textbox, checkbox, row, tab, menuitem.",
    });
  }
  return { steps: selector === undefined ? undefined : parseSelector(selector), known, name };
}

const wordsOf = ({ selector, role = "", name = "" }: Search): string =>
  selector === undefined ? `${role} "${name}"`.trimStart() : `the selector ${selector}`;

function wantedName(input: Search): string | undefined {
  const { steps, name } = readSearch(input);
  return name ?? steps?.at(-1)?.name;
}

function search(nodes: readonly UiNode[], input: Search): readonly UiNode[] {
  const { steps, known, name } = readSearch(input);
  const selected = steps === undefined ? nodes : selectNodes(nodes, steps);
  const part = foldText(name ?? "");
  return selected.filter(
    (node) => (known === undefined || isRole(node.role, known)) && foldText(node.name).includes(part),
  );
}

export const elementAtPoint = defineTool({
  name: "element_at_point",
  title: "Element at a point",
  summary: "What is at a point of the screen: the innermost element, with its ancestors.",
  set: "desktop",
  access: "observe",
  needs: ["elements", "windows"],
  input: z.strictObject({ x: z.number(), y: z.number(), app_name: windowFields.app_name }),
  output: z.object({
    element: elementRecord.extend({ label: z.string().optional(), app_name: z.string().optional() }).nullable(),
    ancestors: z.array(z.object({ uid: z.string(), role: z.string(), name: z.string() })),
  }),
  positional: ["x", "y"],
  async run({ x, y, app_name }, { surface: open, signal }) {
    const surface = await open();
    const scope = app_name === undefined ? undefined : await findScope(surface, { appName: app_name }, signal);
    const [hit, ...ancestors] = await surface.need("elements").at(screenPoint(x, y), { pid: scope?.pid, signal });
    if (!hit) return { data: { element: null, ancestors: [] } };
    const windows = await surface.need("windows").list({ signal });
    const app = windows.find(({ pid }) => pid !== undefined && pid === hit.pid)?.appName;
    return {
      data: {
        element: {
          ...toElementRecord(surface, hit),
          ...(hit.description ? { label: hit.description } : {}),
          ...(app === undefined ? {} : { app_name: app }),
        },
        ancestors: ancestors.map((node) => ({
          uid: surface.snapshots.refOf(node),
          role: node.role,
          name: cut(node.name),
        })),
      },
    };
  },
});

export const getFocusedElement = defineTool({
  name: "get_focused_element",
  title: "Get the focused element",
  summary: "The element that has the keyboard, or null.",
  set: "desktop",
  access: "observe",
  needs: ["elements"],
  input: z.strictObject({}),
  output: z.object({ element: elementRecord.nullable() }),
  positional: [],
  async run(_input, { surface: open, signal }) {
    const surface = await open();
    const focused = await surface.need("elements").focused({ signal });
    return { data: { element: focused ? toElementRecord(surface, focused) : null } };
  },
});
