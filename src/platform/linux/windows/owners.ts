import type { WindowKind } from "../../backend.ts";
import type { WindowDetails } from "./details.ts";

/** Kinds that a window manager gives a place of their own. Anything else was opened from one of them. */
const standing: ReadonlySet<WindowKind> = new Set(["normal", "dock", "desktop"]);

/**
 * Says which windows each menu, tip, dialog or drag icon belongs to: the one it names (WM_TRANSIENT_FOR), else all windows of
 * its app, because any of them may have opened it.
 */
export function withOwners(windows: readonly WindowDetails[], idMask: number): readonly WindowDetails[] {
  const listed = new Set(windows.map(({ info }) => info.id));
  const named = ({ info, transientFor }: WindowDetails): number | undefined =>
    transientFor !== undefined && transientFor !== info.id && listed.has(transientFor) ? transientFor : undefined;
  const mayOwn = windows.filter((window) => isStanding(window) || named(window) !== undefined);
  return windows.map((window) => {
    if (isStanding(window)) return window;
    const owner = named(window);
    const owners =
      owner === undefined
        ? mayOwn.filter((other) => other !== window && isSameApp(window, other, idMask)).map(({ info }) => info.id)
        : [owner];
    return owners.length === 0 ? window : { ...window, info: { ...window.info, owners } };
  });
}

const isStanding = ({ info, isFree, transientFor }: WindowDetails): boolean =>
  transientFor === undefined && standing.has(info.kind) && (!isFree || info.kind !== "normal");

/** Menus and drag icons often carry no process number. The server made their ids for one connection, so those tell too. */
function isSameApp(a: WindowDetails, b: WindowDetails, idMask: number): boolean {
  const client = ({ info }: WindowDetails): number => (info.id & ~idMask) >>> 0;
  return (
    client(a) === client(b) ||
    (a.info.pid !== undefined && a.info.pid === b.info.pid) ||
    a.leaders.some((leader) => leader === b.info.id || b.leaders.includes(leader))
  );
}
