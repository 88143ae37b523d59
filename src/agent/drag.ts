import { ToolError } from "../base/errors.ts";
import type { AgentAction } from "./action.ts";
import type { Arguments, Caller } from "../tools/caller.ts";
import type { Shot } from "./look.ts";
import { surfaceArguments, windowArguments, type Workplace } from "./workplace.ts";

interface DragOptions {
  readonly call: Caller;
  readonly place: Workplace;
  readonly shot: Shot | undefined;
}

/** An element, a pixel of the picture, or a point on the screen. */
type End =
  | { readonly kind: "element"; readonly uid: string }
  | { readonly kind: "pixel" | "point"; readonly x: number; readonly y: number };

/** The start and end for the tool, each by ref, by pixel of the picture, or by text found on the screen. */
export async function dragArguments(action: AgentAction, options: DragOptions): Promise<Arguments> {
  const { ref, x, y, target, to_ref, to_x, to_y, to_target } = action;
  const start = await readEnd({ ref, x, y, name: target }, options);
  const end = await readEnd({ ref: to_ref, x: to_x, y: to_y, name: to_target }, options);
  if (!start || !end) {
    throw new ToolError("invalid_argument", "The action drag needs ref, target or x and y, and the same with to_.");
  }
  const kinds = [start.kind, end.kind];
  if (kinds.includes("pixel") && kinds.includes("point")) {
    throw new ToolError("invalid_argument", "One end of the drag is a pixel and the other a name.", {
      hint: "Give both in the same way, or as a ref.",
    });
  }
  return {
    ...surfaceArguments(options.place),
    ...(start.kind === "element" ? { uid: start.uid } : { start_x: start.x, start_y: start.y }),
    ...(end.kind === "element" ? { to_uid: end.uid } : { end_x: end.x, end_y: end.y }),
    ...(kinds.includes("pixel") ? { screenshot_id: options.shot?.frameId } : {}),
  };
}

interface Named extends Pick<AgentAction, "ref" | "x" | "y"> {
  readonly name: AgentAction["target"];
}

async function readEnd({ ref, x, y, name }: Named, options: DragOptions): Promise<End | undefined> {
  if (ref) return { kind: "element", uid: ref };
  if (typeof x === "number" && typeof y === "number") return { kind: "pixel", x, y };
  return name ? findText(name, options) : undefined;
}

async function findText(name: string, { call, place }: DragOptions): Promise<End> {
  const { matches } = (await call("find_text", { text: name, ...windowArguments(place) })).data;
  const plain = (text: string): string => text.trim().toLowerCase();
  const same = matches.filter(({ text }) => plain(text) === plain(name));
  const [only, ...others] = same.length > 0 ? same : matches;
  if (!only) throw new ToolError("not_found", `"${name}" is not visible.`);
  if (others.length === 0) return { kind: "point", x: only.x, y: only.y };
  throw new ToolError("ambiguous_target", `"${name}" is visible in ${others.length + 1} places.`);
}
