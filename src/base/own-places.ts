import { runtimeFolders } from "./runtime.ts";

const claimed = new Set<string>();

/**
 * Declares a file or folder as handsight's own: its rules, secrets, records, profiles. No tool reads or writes there.
 */
export function claimPlace(path: string): void {
  claimed.add(path);
}

/** All of them, including those where processes find each other. */
export const ownPlaces = (): readonly string[] => [...claimed, ...runtimeFolders()];
