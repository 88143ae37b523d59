import { throwIfCancelled } from "../../base/async.ts";
import { screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import type { Input } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import { list, number } from "./checks.ts";
import { frameOffset } from "./geometry.ts";
import { hearInput } from "./hear.ts";
import type { PageInput } from "./input.ts";
import { PageReports } from "./reports.ts";

const isPair = list(number);

/** Reports where the pointer is in the document, and nothing when it has left. Scripts of the page cannot fake it. */
const tellMoves = `
  const onMove = (event) => event.isTrusted && tell([event.clientX, event.clientY]);
  const onLeave = (event) => event.isTrusted && tell([]);
  addEventListener("mousemove", onMove, true);
  document.addEventListener("mouseleave", onLeave);
  return () => {
    removeEventListener("mousemove", onMove, true);
    document.removeEventListener("mouseleave", onLeave);
  };`;

const outside = screenPoint(-1, -1);

/** Listens to the input of the page, be it the person's or that of `Pointer` and `Keyboard`. */
export function inputListener(page: AttachedPage, input: PageInput): Input {
  /** In the coordinates of a frame; undefined while nobody listens. */
  let last: { readonly frameId: string | undefined; readonly x: number; readonly y: number } | undefined;
  const moves = new PageReports(page, { name: "handsightPointer", source: tellMoves });
  moves.read((place, frame) => {
    if (isPair(place) !== undefined) return false;
    const [x, y] = place as readonly number[];
    last = x === undefined || y === undefined ? { frameId: undefined, ...outside } : { frameId: frame?.id, x, y };
    return true;
  });

  return {
    async position({ signal } = {}): Promise<ScreenPoint> {
      throwIfCancelled(signal);
      if (page.ended) throw page.ended;
      if (!last) return screenPoint(input.at.x, input.at.y);
      const frame = last.frameId === undefined ? undefined : page.frames.get(last.frameId);
      const { x, y } = last;
      const corner = frame ? await frameOffset(page, frame, { signal }) : { x: 0, y: 0 };
      return screenPoint(x + corner.x, y + corner.y);
    },
    async watchPointer(listener, { signal } = {}) {
      throwIfCancelled(signal);
      return moves.listen(() => listener());
    },
    listen: hearInput(page),
  };
}
