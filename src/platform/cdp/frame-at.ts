import type { AttachedPage } from "./attached-page.ts";
import type { Frame } from "./frames.ts";
import { CdpError, type SendOptions } from "./wire.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The frame that input at a point of the page reaches: of any process, or the one whose border is there. Undefined for a
 * frame that was never reported.
 */
export async function frameAt(page: AttachedPage, point: Point, options: SendOptions): Promise<Frame | undefined> {
  let root = page.frames.main;
  let at = point;
  for (let depth = 0; root && depth < 16; depth++) {
    const session = root.session;
    const found = await hit(page, root, at, options);
    if (!found) return root;
    const described = await page.interrupts.race(
      session.send("DOM.describeNode", { backendNodeId: found.backendNodeId }, options),
    );
    // Of all elements only those that show a frame name one.
    const innerId = described.node.nodeType === 1 ? described.node.frameId : undefined;
    const frame = page.frames.get(innerId ?? found.frameId);
    if (!frame) return undefined;
    // A frame of the same process has been looked through already.
    if (innerId === undefined || frame.session === session || !page.blocked.isOpen(frame)) return frame;
    const box = await contentBox(page, root, found.backendNodeId, options);
    if (!box) return undefined;
    at = { x: at.x - box[0], y: at.y - box[1] };
    root = frame;
  }
  return undefined;
}

/** The innermost node there, through all frames of one process. */
export async function hit(page: AttachedPage, root: Frame, at: Point, options: SendOptions) {
  const document = await root.document(options);
  const [scrollX, scrollY] = await document.call("scrolled", [], options);
  const place = {
    // It takes coordinates of the document, not of the view.
    x: Math.floor(at.x + scrollX),
    y: Math.floor(at.y + scrollY),
    includeUserAgentShadowDOM: false,
    ignorePointerEventsNone: false,
  };
  const asked = root.session.send("DOM.getNodeForLocation", place, options).catch((error: unknown) => {
    if (error instanceof CdpError && /no node/i.test(error.message)) return undefined;
    throw error;
  });
  return page.interrupts.race(asked);
}

/** Where the content of the element begins in the view of the frames of its process. */
async function contentBox(page: AttachedPage, root: Frame, backendNodeId: number, options: SendOptions) {
  const model = await page.interrupts.race(root.session.attempt("DOM.getBoxModel", { backendNodeId }, options));
  const [x, y] = model?.model.content ?? [];
  return x === undefined || y === undefined ? undefined : ([x, y] as const);
}
