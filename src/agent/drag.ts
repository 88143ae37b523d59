import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import type { AgentAction } from "./action.ts";
import type { Arguments, Caller } from "./caller.ts";
import type { Shot } from "./look.ts";
import { surfaceArguments, windowArguments, type Place } from "./place.ts";

interface DragOptions {
  readonly call: Caller;
  readonly place: Place;
  readonly shot: Shot | undefined;
}

/** From where to where, for the tool: each end by ref, by the pixel of the picture, or by the text that is read there. */
export async function dragArguments(action: AgentAction, { call, place, shot }: DragOptions): Promise<Arguments> {
  const { ref, x, y, target, to_ref, to_x, to_y, to_target } = action;
  const start = await endOf({ ref, x, y, name: target });
  const end = await endOf({ ref: to_ref, x: to_x, y: to_y, name: to_target });
  if (!start || !end) {
    throw new ToolError("invalid_argument", "The action drag needs ref, target or x and y, and the same with to_.");
  }
  if (start.isPixel !== undefined && end.isPixel !== undefined && start.isPixel !== end.isPixel) {
    throw new ToolError("invalid_argument", "One end of the drag is a pixel and the other a name.", {
      hint: "Give both in the same way.",
    });
  }
  const isPixel = start.isPixel ?? end.isPixel ?? false;
  return {
    ...surfaceArguments(place),
    ...(start.uid ? { uid: start.uid } : { start_x: start.x, start_y: start.y }),
    ...(end.uid ? { to_uid: end.uid } : { end_x: end.x, end_y: end.y }),
    ...(isPixel ? { screenshot_id: shot?.frameId } : {}),
  };

  async function endOf({ ref, x, y, name }: Named): Promise<End | undefined> {
    if (ref) return { uid: ref };
    if (typeof x === "number" && typeof y === "number") return { x, y, isPixel: true };
    return name ? { ...(await placeOf(name)), isPixel: false } : undefined;
  }

  async function placeOf(text: string) {
    const { data } = await call("find_text", { text, ...windowArguments(place) });
    const { matches } = z.object({ matches: z.array(matchShape) }).parse(data);
    const same = matches.filter((match) => match.text.trim().toLowerCase() === text.trim().toLowerCase());
    const [only, ...others] = same.length > 0 ? same : matches;
    if (!only) throw new ToolError("not_found", `There is no "${text}" to be seen.`);
    if (others.length === 0) return { x: only.x, y: only.y };
    throw new ToolError("ambiguous_target", `"${text}" is to be seen in ${others.length + 1} places.`);
  }
}

const matchShape = z.object({ text: z.string(), x: z.number(), y: z.number() });

interface Named {
  readonly ref: string | null | undefined;
  readonly x: number | null | undefined;
  readonly y: number | null | undefined;
  readonly name: string | null | undefined;
}

interface End {
  readonly uid?: string;
  readonly x?: number;
  readonly y?: number;
  /** Undefined: an element, which goes with either. */
  readonly isPixel?: boolean;
}
