import type { ToolOutput } from "../tools/registry.ts";

export interface ScreenPosition {
  readonly x: number;
  readonly y: number;
}

/** The observed effect of an action. */
export interface Seen {
  /** "none": nothing was sent. */
  readonly effect: "confirmed" | "no_change" | "unverifiable" | "none";
  /** In words, one line each. */
  readonly changes: readonly string[];
  /** Where on the screen it happened. */
  readonly screen: ScreenPosition | undefined;
  /** Where a drag ended. */
  readonly end: ScreenPosition | undefined;
  readonly suspectedLoop: boolean;
  /** The field took only a part of the text. */
  readonly isPartial?: boolean | undefined;
  readonly element?: string | undefined;
  readonly via?: string | undefined;
  readonly warning?: string | undefined;
}

export const nothing: Seen = {
  effect: "none",
  changes: [],
  screen: undefined,
  end: undefined,
  suspectedLoop: false,
};

/** The tools that an agent acts with. */
export type ActingTool = "click" | "type_text" | "press_key" | "scroll" | "drag" | "act" | "ax_set_value";
type ActingResult = ToolOutput<ActingTool>;

const mostLines = 8;

/** Reads the common result of every acting tool. */
export function readEffect(result: ActingResult): Seen {
  const { target, node_before: node, changes = {} } = result;
  const box = node?.bounds;
  const middle = box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
  const { x, y } = target ?? {};
  const lines = [
    ...(changes.windows ?? []),
    ...(changes.tree ?? []),
    ...(changes.focus ? [`focus on ${changes.focus.to}`] : []),
  ];
  const pixels = changes.pixels ? [`${(changes.pixels.ratio * 100).toFixed(1)} % of the pixels changed`] : [];
  return {
    effect: result.effect,
    changes: (lines.length > 0 ? lines : pixels).slice(0, mostLines),
    screen: x !== undefined && y !== undefined ? { x, y } : middle,
    end: "end" in result ? result.end : undefined,
    suspectedLoop: result.suspected_loop === true,
    isPartial: !result.ok,
    element: target?.element,
    via: `${result.method}, ${result.dispatched_via}`,
    warning: result.warning,
  };
}
