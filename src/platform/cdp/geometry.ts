import type { Frame } from "./frames.ts";
import { DocumentGone } from "./interrupt.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { SendOptions } from "./wire.ts";

/** Where a frame's own coordinates begin in the page's viewport. */
export async function frameOffset(
  page: AttachedPage,
  frame: Frame,
  options: SendOptions = {},
): Promise<{ x: number; y: number }> {
  if (frame.parentId === undefined) return { x: 0, y: 0 };
  const parent = page.frames.get(frame.parentId);
  if (!parent) throw new DocumentGone("the frame has no parent any more");
  const [outer, owner] = await Promise.all([frameOffset(page, parent, options), frameOwner(page, frame, options)]);
  const box = await owner.document.call("contentBox", [owner.id], options);
  if (!box) throw new DocumentGone("the frame's element has gone");
  return { x: outer.x + box[0], y: outer.y + box[1] };
}

/** The element that shows the frame, by its number in the parent's document. */
export async function frameOwner(
  page: AttachedPage,
  frame: Frame,
  options: SendOptions = {},
): Promise<NonNullable<Frame["owner"]>> {
  const parent = frame.parentId === undefined ? undefined : page.frames.get(frame.parentId);
  if (!parent) throw new DocumentGone("the frame has no parent any more");
  const document = await parent.document(options);
  if (frame.owner?.document === document) return frame.owner;
  const { backendNodeId } = await page.interrupts.race(
    parent.session.send("DOM.getFrameOwner", { frameId: frame.id }, options),
  );
  const { object } = await page.interrupts.race(
    parent.session.send("DOM.resolveNode", { backendNodeId, executionContextId: document.contextId }, options),
  );
  if (object.objectId === undefined) throw new DocumentGone("the frame's element has gone");
  const { value } = await document.handle("numberOf", [{ objectId: object.objectId }], options);
  frame.owner = { document, id: value };
  return frame.owner;
}

/**
 * False for a frame that is drawn scaled, turned or mirrored: a place in it is then not the place of its element and a
 * distance.
 */
export async function isUpright(page: AttachedPage, frame: Frame, options: SendOptions): Promise<boolean> {
  const parent = frame.parentId === undefined ? undefined : page.frames.get(frame.parentId);
  if (!parent) throw new DocumentGone("the frame has no parent any more");
  const owner = await page.interrupts.race(parent.session.send("DOM.getFrameOwner", { frameId: frame.id }, options));
  const [{ model }, { innerWidth, innerHeight }] = await Promise.all([
    page.interrupts.race(parent.session.send("DOM.getBoxModel", owner, options)),
    (await frame.document(options)).call("measure", [], options),
  ]);
  const [left = 0, top = 0, right = 0, , , bottom = 0] = model.content;
  const straight = [left, top, left + innerWidth, top, left + innerWidth, top + innerHeight, left, top + innerHeight];
  const isAt = (value: number, index: number): boolean => Math.abs(value - (model.content[index] ?? Number.NaN)) < 1;
  return right > left && bottom > top && straight.every(isAt);
}

/** True for a frame in another process than its parent: what happens there reaches the screen in its own time. */
export function isRemote(page: AttachedPage, frame: Frame): boolean {
  return frame.session !== page.session;
}

/** Frames from the one given up to the page itself. */
export function chainOf(page: AttachedPage, frame: Frame): readonly Frame[] {
  const chain = [frame];
  for (let at = frame.parentId; at !== undefined && chain.length < 32;) {
    const next = page.frames.get(at);
    if (!next) break;
    chain.push(next);
    at = next.parentId;
  }
  return chain;
}
