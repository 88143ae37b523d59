import type { Connection } from "../x11/connection.ts";
import { findExtension, selectSelectionOwnerChanges } from "../x11/extensions.ts";
import { getSelectionOwner } from "../x11/requests.ts";
import { watchRoot } from "../x11/watch.ts";

/** An overlay owns this selection, so that every handsight on the display can leave it out of its pictures. */
export const overlaySelection = "_HANDSIGHT_OVERLAY";

/**
 * The overlay windows on this display, of this and of other processes. The server reports a new owner before the reply
 * to any later request: if `version` is the same before a capture and after it, no overlay has appeared meanwhile.
 */
export interface KnownOverlays {
  readonly windows: ReadonlySet<number>;
  /** Also those that are gone: their last events come after that. */
  readonly everSeen: ReadonlySet<number>;
  readonly version: number;
}

export function knownOverlays(c: Connection): Promise<KnownOverlays> {
  return c.memo("known overlays", async () => {
    const windows = new Set<number>();
    const everSeen = new Set<number>();
    const known = { windows, everSeen, version: 0 };
    // Without XFIXES no overlay can be shown.
    if (!(await findExtension(c, "XFIXES"))) return known;
    const selection = await c.atom(overlaySelection);
    const note = (owner: number): void => {
      known.version += 1;
      // A former owner stays until its window is gone: it may still be on the screen.
      if (owner === 0) return;
      windows.add(owner);
      everSeen.add(owner);
    };
    c.on((event) => {
      if (event.type === "XfixesSelectionNotify" && event.selection === selection) note(event.owner);
      else if (event.type === "DestroyNotify") windows.delete(event.window);
    });
    await Promise.all([watchRoot(c), selectSelectionOwnerChanges(c, c.root, selection)]);
    const owner = await getSelectionOwner(c, selection);
    if (owner !== 0) note(owner);
    return known;
  });
}
