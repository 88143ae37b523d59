import type { ElementOwner, ElementScope } from "./backend.ts";

/** For backends that only need the ids of the app and its window. */
export const toScope = (owner: ElementOwner): ElementScope => owner as ElementOwner & ElementScope;

/** The owner that `toScope` was given. */
export const ownerOf = (scope: ElementScope): ElementOwner => scope as ElementOwner & ElementScope;
