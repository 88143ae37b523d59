import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { PageTrouble } from "../../platform/backend.ts";
import type { Page, PageInfo } from "../../platform/browser.ts";
import type { Acted } from "../../surface/engine/action.ts";
import type { GuardedBrowsers } from "../../surface/guard/browsers.ts";
import type { UiNode } from "../../base/node.ts";
import { pageStates, shorten } from "../../surface/snapshot-text.ts";
import { actionResult, settleMs } from "../schema.ts";
import type { ToolContext } from "../tool.ts";

export const pageUid = z.string().max(20).describe("From cdp_find_elements or cdp_take_dom_snapshot, e.g. d12");
export const pageSurface = z
  .string()
  .regex(/^page:\d+$/)
  .optional()
  .describe('A page other than the selected one, e.g. "page:2"');
export const pageSettle = settleMs;

const trouble = z.object({ console_errors: z.number(), failed_requests: z.number(), last: z.array(z.string()) });
const moved = z.object({ from: z.string(), to: z.string() });
const dialogRecord = z.object({ type: z.string(), message: z.string(), default_prompt: z.string() });

/** The answer of every acting tool of a page: the common result, and what only pages have. */
export const pageResult = actionResult.extend({
  message: z.string(),
  changes: actionResult.shape.changes
    .unwrap()
    .extend({
      url: moved.optional(),
      title: moved.optional(),
      opened_pages: z.array(z.string()).optional(),
      downloads: z.array(z.string()).optional(),
    })
    .optional(),
  dialog: dialogRecord.optional().describe("Open now; the page waits for cdp_handle_dialog"),
  trouble: trouble.optional().describe("Console errors and failed requests since the last call"),
});

export const pageRecord = z.object({
  page_idx: z.number(),
  surface: z.string(),
  browser: z.string(),
  url: z.string(),
  title: z.string(),
  selected: z.boolean(),
});

export const toPageRecord = (
  { id, browser, url, title, isSelected }: PageInfo,
  index: number,
): z.input<typeof pageRecord> => ({
  page_idx: index,
  surface: id,
  browser,
  url,
  title,
  selected: isSelected,
});

export async function needBrowsers({ session }: ToolContext): Promise<GuardedBrowsers> {
  if (session.browsers) return session.browsers();
  throw new ToolError("not_connected", "No CDP connection.", { hint: "This session has no browser support." });
}

export async function needPage(context: ToolContext, surface: string | undefined): Promise<Page> {
  return (await needBrowsers(context)).page(surface, { signal: context.signal });
}

export function toTrouble(seen: PageTrouble | undefined): { trouble?: z.input<typeof trouble> } {
  if (!seen) return {};
  return {
    trouble: { console_errors: seen.consoleErrors, failed_requests: seen.failedRequests, last: [...seen.last] },
  };
}

type PageResult = z.input<typeof pageResult>;

/** The common answer of an action, and what only pages have. */
export function toPageResult(acted: Acted, surface: string, stepId: string, message: string): PageResult {
  const { effect, witnessed, before, after, changes, suspectedLoop, warning } = acted;
  const { at, url, title, opened = [], downloads = [], dialog, trouble: seenTrouble } = witnessed ?? {};
  const all = {
    ...(changes.focus ? { focus: changes.focus } : {}),
    ...(changes.tree ? { tree: [...changes.tree] } : {}),
    ...(changes.clipboard ? { clipboard: [...changes.clipboard] } : {}),
    ...(url ? { url } : {}),
    ...(title ? { title } : {}),
    ...(opened.length > 0 ? { opened_pages: [...opened] } : {}),
    ...(downloads.length > 0 ? { downloads: [...downloads] } : {}),
  };
  const place = at ? { x: Math.round(at.x), y: Math.round(at.y) } : {};
  return {
    ok: acted.arrived === undefined,
    message,
    effect,
    changed: effect === "unverifiable" ? null : effect === "confirmed",
    method: acted.method,
    dispatched_via: acted.via,
    ...(before || at ? { target: { ...place, ...(before ? { element: titleOf(before) } : {}) } } : {}),
    ...(before ? { node_before: toNode(before), node_after: after ? toNode(after) : null } : {}),
    ...(Object.keys(all).length > 0 ? { changes: all } : {}),
    ...(dialog ? { dialog: { type: dialog.type, message: dialog.message, default_prompt: dialog.defaultPrompt } } : {}),
    ...toTrouble(seenTrouble),
    ...(acted.arrived === undefined ? {} : { arrived: acted.arrived }),
    ...(acted.settleMs === undefined ? {} : { settle_ms: acted.settleMs }),
    ...(suspectedLoop ? { suspected_loop: true } : {}),
    surface,
    step_id: stepId,
    ...(warning === undefined ? {} : { warning }),
  };
}

export const titleOf = ({ nativeRole, name }: UiNode): string =>
  `${nativeRole}${name === "" ? "" : ` ${JSON.stringify(shorten(name))}`}`;

const toNode = (node: UiNode) => ({
  role: node.nativeRole,
  name: node.name,
  ...(node.value === undefined ? {} : { value: node.value }),
  states: [...pageStates(node)],
});
