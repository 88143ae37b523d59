import type { Rect } from "../../base/geometry.ts";
import type { FollowedFields } from "../backend.ts";
import type { PageDocument } from "./document.ts";
import type { Frame } from "./frames.ts";
import { frameOffset, isRemote } from "./geometry.ts";
import type { Box, SecretPlaces } from "./inject/secrets.ts";
import { onDocument, type AttachedPage } from "./attached-page.ts";
import { pageWindowId } from "./identity.ts";
import { isOfFrame } from "./refusals.ts";
import { viewport } from "./screen.ts";
import { askThrough } from "./tree.ts";
import type { SendOptions } from "./wire.ts";

interface Look {
  readonly document: PageDocument;
  readonly places: SecretPlaces;
  readonly boxes: readonly Rect[];
}

// A frame in another process reaches the screen through two more queues than its page.
const remoteFrames = 3;
let lastKey = 0;

/** Follows blocked frames, and the password fields of all others, through the viewport while a picture is taken. */
export async function followSecretFields(
  page: AttachedPage,
  hasFields: boolean,
  options: SendOptions,
): Promise<FollowedFields> {
  const key = ++lastKey;
  const begin = (frame: Frame) =>
    look(page, frame, options, (document) =>
      askThrough(
        page,
        document,
        (each) => each.call("followSecrets", [key, isRemote(page, frame) ? remoteFrames : 0, hasFields], options),
        options,
      ),
    );
  const blockedBefore = page.blocked.timesBlocked;
  const before = await lookAll(page, options, begin);
  return {
    async end() {
      const isFollowed = (document: PageDocument) => before.some((known) => known.document === document);
      const after = await lookAll(page, options, (frame) =>
        look(page, frame, options, async (document) => {
          const since = isFollowed(document) ? await document.call("secretsSince", [key], options) : undefined;
          if (since) return since;
          // It has come meanwhile: whatever is in it was not there before.
          await document.call("followSecrets", [key, 0, hasFields], options);
          const places = await document.call("secretsSince", [key], options);
          return places && { ...places, isStill: places.count === 0 };
        }),
      );
      // A frame that was blocked for a moment may be anywhere in the picture.
      const isNew = page.blocked.timesBlocked !== blockedBefore;
      const anywhere = isNew ? [await viewport(page, options.signal)] : [];
      const boxes = [...anywhere, ...[...before, ...after].flatMap((each) => each.boxes)];
      const hasScrolled = after.some(({ places }) => places.hasScrolled);
      return {
        fields: boxes.map((bounds) => ({ bounds, windowId: pageWindowId })),
        count: Math.max(sum(before), sum(after)),
        isStill:
          !isNew &&
          !hasScrolled &&
          before.every((each) => isSettled(each, after)) &&
          after.every(({ places }) => places.isStill),
        hasScrolled,
      };
    },
  };
}

const sum = (looks: readonly Look[]): number => looks.reduce((total, { places }) => total + places.count, 0);

/** Still there, and its frame has not moved. */
function isSettled({ document, places, boxes: [first] }: Look, after: readonly Look[]): boolean {
  if (places.count === 0) return true;
  const now = after.find((each) => each.document === document);
  return now?.boxes.some((box) => box.x === first?.x && box.y === first.y) ?? false;
}

function lookAll(
  page: AttachedPage,
  options: SendOptions,
  ask: (frame: Frame) => Promise<Look | undefined>,
): Promise<readonly Look[]> {
  return onDocument(
    page,
    async () => {
      const frames = await page.blocked.open(options);
      const looks = await Promise.all(
        frames.map(async (frame) => {
          try {
            return await ask(frame);
          } catch (error) {
            if (frame.parentId === undefined || !isOfFrame(error)) throw error;
            return undefined;
          }
        }),
      );
      return looks.filter((each) => each !== undefined);
    },
    options.signal,
  );
}

async function look(
  page: AttachedPage,
  frame: Frame,
  options: SendOptions,
  ask: (document: PageDocument) => Promise<SecretPlaces | undefined>,
): Promise<Look | undefined> {
  const document = await frame.document(options);
  const places = await ask(document);
  if (!places) return undefined;
  if (places.boxes.length === 0) return { document, places, boxes: [] };
  const offset = await frameOffset(page, frame, options);
  return { document, places, boxes: places.boxes.map((box) => shifted(box, offset)) };
}

const shifted = ([x, y, width, height]: Box, by: { readonly x: number; readonly y: number }): Rect => ({
  x: x + by.x,
  y: y + by.y,
  width,
  height,
});
