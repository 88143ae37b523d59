import { ownersOf } from "../../policy/windows.ts";
import type { Windows } from "../../platform/backend.ts";
import type { GuardedWindow, GuardedWindows } from "./guarded.ts";

/** The same windows, each with those it belongs to. */
export function withOwners(windows: readonly GuardedWindow[]): readonly GuardedWindow[] {
  if (windows.every(({ owners }) => owners === undefined)) return windows;
  const owners = ownersOf(windows);
  const attach = (window: GuardedWindow, from: readonly GuardedWindow[]): GuardedWindow => {
    // Two windows that name each other as their owners must not be followed round and round.
    const own = (owners.get(window) ?? []).filter((owner) => !from.includes(owner));
    return own.length === 0 ? window : { ...window, belongsTo: own.map((owner) => attach(owner, [...from, window])) };
  };
  return windows.map((window) => attach(window, [window]));
}

/** Whether this is a menu, tip or dialog of the other window, or may be. */
export const belongsTo = (window: GuardedWindow, other: GuardedWindow): boolean =>
  window.belongsTo?.some((owner) => owner.id === other.id || belongsTo(owner, other)) === true;

/** The windows of a surface on which none is blocked, each with those it belongs to. */
export function nameOwners(windows: Windows): GuardedWindows {
  const list: GuardedWindows["list"] = async (options) => withOwners(await windows.list(options));
  return {
    ...windows,
    list,
    get: async (id, options) => (await list(options)).find((window) => window.id === id),
  };
}
