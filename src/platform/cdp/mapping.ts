import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import { onDocument, type AttachedPage } from "./attached-page.ts";
import { hit } from "./frame-at.ts";
import { FrameBlocked } from "./refusals.ts";
import type { SendOptions } from "./wire.ts";

/** Where the page is on the desktop: desktop = origin + css × scale. */
export interface Mapping {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const known = new WeakMap<
  AttachedPage,
  { readonly key: string; readonly mapping: Mapping; readonly isGuess: boolean }
>();

/**
 * Found by experiment: an event sent to a known point of the page reports where on the desktop that is. Calculating
 * it from the window's size is wrong as soon as developer tools are docked. Engines that do not report it
 * (QtWebEngine) are handled once the real pointer has been over the page; until then it is calculated, and off by the
 * window's lower border.
 */
export async function findMapping(page: AttachedPage, options: SendOptions): Promise<Mapping> {
  return onDocument(
    page,
    async () => {
      const document = await page.mainDocument(options);
      const { heard: real, ...measured } = await document.call("measure", [], options);
      const zoom = await zoomOf(page, options);
      const key = JSON.stringify([measured, zoom]);
      const cached = known.get(page);
      if (cached?.key === key && !(cached.isGuess && real)) return cached.mapping;
      const device = measured.ratio / zoom;
      const at = await probe(page, options);
      const told = at && { x: at[0] - zoom * at[2], y: at[1] - zoom * at[3] };
      const isTrue = told && !(told.x === 0 && told.y === 0 && (measured.screenX !== 0 || measured.screenY !== 0));
      const [screenX = 0, screenY = 0, pageX = 0, pageY = 0] = real ?? [];
      const origin = isTrue
        ? told
        : real
          ? { x: screenX - zoom * pageX, y: screenY - zoom * pageY }
          : {
              x: measured.screenX + (measured.outerWidth - measured.innerWidth * zoom) / 2,
              y: measured.screenY + measured.outerHeight - measured.innerHeight * zoom,
            };
      const mapping = { x: origin.x * device, y: origin.y * device, scale: zoom * device };
      if (at || real) known.set(page, { key, mapping, isGuess: !isTrue && !real });
      return mapping;
    },
    options.signal,
  );
}

/**
 * Tries more than once: developer tools that were just docked swallow events while they show the page's new size.
 * Each time at another point: a pointer that does not move sends no event.
 */
async function probe(
  page: AttachedPage,
  options: SendOptions,
): Promise<readonly [number, number, number, number] | undefined> {
  const document = await page.mainDocument(options);
  for (let asked = 0; asked < 10; asked++) {
    const heard = document.call("hearMove", [200], options);
    heard.catch(() => {});
    const place = { x: 4 + (asked % 2), y: 4 };
    // Arithmetic has to do where a blocked frame would see the pointer.
    if (!(await isFree(page, place, options))) return undefined;
    await page.session.send(
      "Input.dispatchMouseEvent",
      { type: "mouseMoved", ...place, pointerType: "mouse" },
      options,
    );
    const at = await heard;
    if (at) return at;
  }
  return undefined;
}

async function isFree(page: AttachedPage, place: { readonly x: number; readonly y: number }, options: SendOptions) {
  try {
    await page.blocked.needOpenAt(place, options);
    return true;
  } catch (error) {
    if (error instanceof FrameBlocked) return false;
    throw error;
  }
}

async function zoomOf(page: AttachedPage, options: SendOptions): Promise<number> {
  const metrics = await page.interrupts.race(page.session.attempt("Page.getLayoutMetrics", undefined, options));
  return metrics?.cssVisualViewport?.zoom ?? 1;
}

export function toPage(
  { x, y, scale }: Mapping,
  point: { readonly x: number; readonly y: number },
): { x: number; y: number } {
  return { x: (point.x - x) / scale, y: (point.y - y) / scale };
}

export function toDesktop({ x, y, scale }: Mapping, rect: Rect): Rect {
  return {
    x: Math.round(x + rect.x * scale),
    y: Math.round(y + rect.y * scale),
    width: Math.round(rect.width * scale),
    height: Math.round(rect.height * scale),
  };
}

/** The innermost node at a point of the page, through closed shadow roots and frames of any process; none of a blocked one. */
export async function nodeAt(
  page: AttachedPage,
  point: { readonly x: number; readonly y: number },
  options: SendOptions,
): Promise<{ readonly backendNodeId: number; readonly frameId: string; readonly session: AttachedPage["session"] }> {
  return onDocument(
    page,
    async () => {
      await page.blocked.needOpenAt(point, options);
      let frame = page.frames.main;
      let at = point;
      for (let depth = 0; frame && depth < 16; depth++) {
        const found = await hit(page, frame, at, options);
        if (!found) break;
        const inner = await remoteFrameOf(page, frame, found.backendNodeId, options);
        if (!inner) return { backendNodeId: found.backendNodeId, frameId: found.frameId, session: frame.session };
        at = { x: at.x - inner.box[0], y: at.y - inner.box[1] };
        frame = inner.frame;
      }
      throw new ToolError(
        "not_found",
        `${page.target.id} has no element at ${Math.round(point.x)},${Math.round(point.y)}.`,
        {
          hint: "Is the point inside the page, and the page the selected one? See cdp_list_pages.",
        },
      );
    },
    options.signal,
  );
}

async function remoteFrameOf(
  page: AttachedPage,
  parent: NonNullable<AttachedPage["frames"]["main"]>,
  backendNodeId: number,
  options: SendOptions,
) {
  const described = await page.interrupts.race(parent.session.attempt("DOM.describeNode", { backendNodeId }, options));
  const frameId = described?.node.frameId;
  const isOwner = described !== undefined && /^i?frame$/i.test(described.node.nodeName);
  const frame = isOwner && frameId !== undefined ? page.frames.get(frameId) : undefined;
  if (!frame || frame.session === parent.session) return undefined;
  const document = await parent.document(options);
  const { object } = await parent.session.send(
    "DOM.resolveNode",
    { backendNodeId, executionContextId: document.contextId },
    options,
  );
  if (object.objectId === undefined) return undefined;
  const { value } = await document.handle("numberOf", [{ objectId: object.objectId }], options);
  const box = await document.call("contentBox", [value], options);
  return box && { frame, box };
}
