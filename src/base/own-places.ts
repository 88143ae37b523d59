import { runtimeFolders } from "./runtime.ts";

const claimed = new Set<string>();

/** Says that a file or folder is handsight's own: its rules, secrets, records, profiles. No tool reads or writes there. */
export function claimPlace(path: string): void {
  claimed.add(path);
}

/** All of them, those where processes find each other included. */
export const ownPlaces = (): readonly string[] => [...claimed, ...runtimeFolders()];
