import { judgeFacts } from "../judge-facts.ts";
import type { Surface } from "../surface.ts";
import type { Acted, Located, PageAct, PerformOptions } from "./action.ts";

/** The page does it and watches itself; what it saw is judged here. */
export async function actInPage(
  surface: Surface,
  { action: { deed } }: Located<PageAct>,
  { settleMs, signal }: PerformOptions,
): Promise<Acted> {
  const witnessed = await surface.need("page").perform(deed, { settleMs, signal });
  const { via, warning, before, after, focus, lines, url } = witnessed;
  const effect = judgeFacts(witnessed);
  const state =
    effect === "no_change" ? `${url?.to ?? ""} ${after?.value ?? ""} ${after?.states.join() ?? ""}` : undefined;
  return {
    method: "cdp",
    via,
    warning,
    effect,
    changes: { ...(focus ? { focus } : {}), ...(lines.length > 0 ? { tree: lines } : {}) },
    ...(before ? { before, after: after ?? null } : {}),
    settleMs: witnessed.settleMs,
    suspectedLoop: surface.loops.noteSeen(JSON.stringify(deed), state),
    witnessed,
  };
}
