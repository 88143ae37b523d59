import type { ElementOwner, ElementScope } from "./backend.ts";

/** For backends that need no more than the ids of the app and its window. */
export const toScope = (owner: ElementOwner): ElementScope => owner as ElementOwner & ElementScope;

/** What `toScope` made a scope of. */
export const ownerOf = (scope: ElementScope): ElementOwner => scope as ElementOwner & ElementScope;
