import { ToolError } from "../base/errors.ts";
import type { Finding, Overlay, OverlayExposure } from "./backend.ts";

/** A probe that threw. */
export function failed(ability: Finding["ability"], error: unknown): Finding {
  const detail = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ToolError ? error.details.hint : undefined;
  return { ability, status: "missing", detail, ...(hint === undefined ? {} : { fix: hint }) };
}

/** After the others: it draws on the screen for a moment. */
export async function probeLeaks(overlay: Pick<Overlay, "probe">): Promise<Finding> {
  const details: Readonly<Record<OverlayExposure | "unknown", string>> = {
    excluded: "The overlay is excluded: it was drawn on the screen and no capture showed a pixel of it.",
    leaked: "The overlay leaked: a capture showed pixels of it.",
    unknown: "The overlay is unverifiable: what it drew did not appear on the screen.",
  };
  try {
    const exposure = await overlay.probe();
    if (exposure === "excluded") return { ability: "overlay", status: "ok", detail: details.excluded };
    const fix = "Do not use --overlay and show_overlay here while pictures are taken.";
    return { ability: "overlay", status: "limited", detail: details[exposure ?? "unknown"], fix };
  } catch (error) {
    // Everything else works without it.
    return { ...failed("overlay", error), status: "limited" };
  }
}
