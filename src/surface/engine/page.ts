import { ToolError } from "../../base/errors.ts";
import { writtenBy } from "../../base/keys.ts";
import type { PageDeed, Witnessed } from "../../platform/backend.ts";
import { describeChanges, diffNodes } from "../diff.ts";
import { treeLines } from "../judge.ts";
import { judgeFacts } from "../judge-facts.ts";
import type { Surface } from "../surface.ts";
import type { Acted, Located, PageAct, PerformOptions } from "./action.ts";
import { lookAtValue, openEntry, withEntered } from "./entered.ts";
import { focusedElement } from "./keyboard.ts";

/** The page acts and watches itself; what it saw is judged here. */
export async function actInPage(
  surface: Surface,
  { action: { deed } }: Located<PageAct>,
  { settleMs, signal }: PerformOptions,
): Promise<Acted> {
  const written = keysOf(deed);
  const entry =
    written === undefined ? undefined : await openEntry(surface, await focusedElement(surface, signal), signal);
  const witnessed = await surface.need("page").perform(deed, { settleMs, signal });
  const { before, after, url, dialog } = witnessed;
  const seen = judgeWitnessed(witnessed);
  const state =
    seen.effect === "no_change" ? `${url?.to ?? ""} ${after?.value ?? ""} ${after?.states.join() ?? ""}` : undefined;
  const acted = { ...seen, suspectedLoop: surface.loops.noteSeen(JSON.stringify(deed), state) };
  if (deed.name === "dialog") {
    const answered = dialog ? acted : await withHeldBack(surface, acted, signal);
    return deed.text === undefined ? answered : { ...answered, showsText: false };
  }
  // A page that waits at a dialog answers nothing.
  if (dialog) return deed.name === "fill" || entry ? { ...acted, showsText: false } : acted;
  if (deed.name === "fill")
    return withEntered(acted, await lookAtValue(surface, { before, after }, deed.value, signal));
  if (!entry) return acted;
  const entered = await entry.look(written ?? "");
  // A key that is pressed after the text may send and empty the field.
  const isText = deed.name === "type" && deed.submit === undefined;
  return isText ? withEntered(acted, entered) : { ...acted, showsText: entered.showsText };
}

/** What the page did once it was answered: it could not be watched while it waited. */
async function withHeldBack(surface: Surface, acted: Acted, signal: AbortSignal): Promise<Acted> {
  const { heldBack } = surface;
  surface.heldBack = undefined;
  const { elements } = surface.backend;
  const pid = heldBack?.[0]?.pid;
  if (!heldBack || pid === undefined || !elements || acted.witnessed?.hasLeft) return acted;
  const scope = elements.scope({ pid });
  const tree = await elements.tree(scope, { maxNodes: mostNodes, signal }).catch((error: unknown) => {
    // That it was answered is known all the same.
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  });
  if (!tree) return acted;
  surface.snapshots.saw(tree.nodes);
  const lines = describeChanges(diffNodes(heldBack, tree.nodes), treeLines, (node) => surface.snapshots.refOf(node));
  return lines.length === 0 ? acted : { ...acted, changes: { ...acted.changes, tree: lines } };
}

// As many as are read around an action.
const mostNodes = 1_500;

/** What was done in a page, and the effect that follows from what it saw. */
export function judgeWitnessed(witnessed: Witnessed): Acted {
  const { via, warning, before, after, focus, lines, hasCopied, settleMs } = witnessed;
  return {
    method: "cdp",
    via,
    warning,
    effect: judgeFacts(witnessed),
    changes: {
      ...(focus ? { focus } : {}),
      ...(lines.length > 0 ? { tree: lines } : {}),
      ...(hasCopied ? { clipboard: ["clipboard"] } : {}),
    },
    ...(before ? { before, after: after ?? null } : {}),
    settleMs,
    suspectedLoop: false,
    witnessed,
  };
}

/** What a deed types into the element that has the keyboard. */
function keysOf(deed: PageDeed): string | undefined {
  if (deed.name === "type") return deed.text;
  return deed.name === "press" ? writtenBy(deed.chord) : undefined;
}
