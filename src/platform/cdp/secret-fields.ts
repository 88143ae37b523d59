import type { Rect } from "../../base/geometry.ts";
import { frameOffset } from "./geometry.ts";
import { onDocument, type PageCore } from "./page.ts";
import { askThrough, isOfFrame } from "./tree.ts";
import type { SendOptions } from "./wire.ts";

/** Where the password fields of all frames are in the viewport. */
export function findSecretFields(page: PageCore, options: SendOptions): Promise<readonly Rect[]> {
  return onDocument(
    page,
    async () => {
      const found = await Promise.all(
        page.frames.all().map(async (frame): Promise<readonly Rect[]> => {
          try {
            const document = await frame.document(options);
            const { boxes } = await askThrough(
              page,
              document,
              (each) => each.call("secretBoxes", [], options),
              options,
            );
            if (boxes.length === 0) return [];
            const offset = await frameOffset(page, frame, options);
            return boxes.map(([x, y, width, height]) => ({ x: x + offset.x, y: y + offset.y, width, height }));
          } catch (error) {
            if (frame.parentId === undefined || !isOfFrame(error)) throw error;
            return [];
          }
        }),
      );
      return found.flat();
    },
    options.signal,
  );
}
