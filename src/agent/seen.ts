import { z } from "zod";

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

const position = z.object({ x: z.number(), y: z.number() });
const moved = z.object({ from: z.string(), to: z.string() });

const resultShape = z.object({
  ok: z.boolean().optional(),
  effect: z.enum(["confirmed", "no_change", "unverifiable"]),
  method: z.string().optional(),
  dispatched_via: z.string().optional(),
  target: position.partial().extend({ element: z.string().optional() }).optional(),
  node_before: z.object({ bounds: position.extend({ width: z.number(), height: z.number() }).optional() }).nullish(),
  changes: z
    .object({
      focus: moved.optional(),
      windows: z.array(z.string()).optional(),
      tree: z.array(z.string()).optional(),
      url: moved.optional(),
      title: moved.optional(),
      pixels: z.object({ ratio: z.number() }).optional(),
    })
    .optional(),
  end: position.optional(),
  suspected_loop: z.boolean().optional(),
  warning: z.string().optional(),
});

const mostLines = 8;

/** Reads the common result of every acting tool. */
export function readEffect(data: unknown): Seen {
  const result = resultShape.parse(data);
  const { target, node_before: node, changes = {} } = result;
  const box = node?.bounds;
  const middle = box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
  const { x, y } = target ?? {};
  const lines = [
    ...(changes.url ? [`went to ${changes.url.to}`] : []),
    ...(changes.title ? [`the title is "${changes.title.to}"`] : []),
    ...(changes.windows ?? []),
    ...(changes.tree ?? []),
    ...(changes.focus ? [`focus on ${changes.focus.to}`] : []),
  ];
  const pixels = changes.pixels ? [`${(changes.pixels.ratio * 100).toFixed(1)} % of the pixels changed`] : [];
  return {
    effect: result.effect,
    changes: (lines.length > 0 ? lines : pixels).slice(0, mostLines),
    screen: x !== undefined && y !== undefined ? { x, y } : middle,
    end: result.end,
    suspectedLoop: result.suspected_loop === true,
    isPartial: result.ok === false,
    element: target?.element,
    via: [result.method, result.dispatched_via].filter((part) => part !== undefined).join(", "),
    warning: result.warning,
  };
}
