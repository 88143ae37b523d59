import { screenPoint } from "../base/geometry.ts";
import { toImage } from "../surface/view.ts";
import type { Acted } from "./act.ts";
import type { ScreenPosition } from "./seen.ts";
import type { Shot } from "./look.ts";
import type { Usage } from "./model.ts";
import type { ActedRecord, ShotRecord } from "./record.ts";

export const toUsage = ({ inputTokens, outputTokens, cachedTokens }: Usage) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  cached_tokens: cachedTokens,
});

export const toShotRecord = ({ frameId, file, size, bounds }: Shot): ShotRecord => ({
  screenshot_id: frameId,
  file: file ?? null,
  size,
  bounds: { x: bounds.x, y: bounds.y, width: bounds.width, height: bounds.height },
});

export function toActedRecord(acted: Acted, shot: Shot | undefined): ActedRecord {
  const { action, tool, screen, end, error } = acted;
  const { x, y, to_x, to_y } = action;
  return {
    action: Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined && value !== null)),
    tool: tool ?? null,
    image: pixel(x, y) ?? onPicture(screen, shot),
    screen: screen ?? null,
    image_end: pixel(to_x, to_y) ?? onPicture(end, shot),
    screen_end: end ?? null,
    element: acted.element ?? null,
    via: acted.via ?? null,
    effect: acted.effect,
    changes: [...acted.changes],
    suspected_loop: acted.suspectedLoop,
    warning: acted.warning ?? null,
    error: error ? { code: error.code, message: error.message, hint: error.details.hint ?? null } : null,
    ms: acted.ms,
  };
}

const pixel = (x: number | null | undefined, y: number | null | undefined) =>
  typeof x === "number" && typeof y === "number" ? { x, y } : undefined;

/** Where to draw an action in the picture. Only for the record: nothing is ever aimed with it. */
function onPicture(at: ScreenPosition | undefined, shot: Shot | undefined): ScreenPosition | null {
  if (!at || !shot) return null;
  const { bounds, size } = shot;
  const { x, y } = toImage({ bounds, image: size }, screenPoint(at.x, at.y));
  return x >= 0 && y >= 0 && x < size.width && y < size.height ? { x, y } : null;
}

/** The outcome of a step in words, for the model. */
export function describeOutcome(acted: readonly Acted[]): string {
  return acted
    .map(({ action, effect, changes, error, warning }) => {
      if (error) return `${action.action}: failed, ${error.code}: ${error.message}${hint(error.details.hint)}`;
      if (effect === "none") return `${action.action}: nothing was sent`;
      const seen = changes.length > 0 ? ` (${changes.join("; ")})` : "";
      return `${action.action}: ${effect}${seen}${warning === undefined ? "" : ` — ${warning}`}`;
    })
    .join("\n");
}

const hint = (text: string | undefined): string => (text === undefined ? "" : ` ${text}`);
