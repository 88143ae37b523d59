const kinds = ["journal", "frames", "trees", "watches", "reports"] as const;
export type ResourceKind = (typeof kinds)[number];

export const journalUri = "handsight://journal";
export const stepUri = (step: string): string => `${journalUri}/${step}`;
export const frameUri = (id: string): string => `handsight://frames/${id}`;
export const treeUri = (id: string): string => `handsight://trees/${id}`;
export const watchUri = (id: string): string => `handsight://watches/${id}`;
export const reportUri = (id: string): string => `handsight://reports/${id}`;

export interface ResourceAddress {
  readonly kind: ResourceKind;
  /** Missing only for the journal as a whole. */
  readonly id?: string;
}

// No dot, slash or percent sign: an id can never name another file.
const pattern = /^handsight:\/\/(journal|frames|trees|watches|reports)(?:\/([A-Za-z0-9_-]{1,64}))?$/;

/** Undefined for anything that is not exactly one of our addresses. */
export function parseUri(uri: string): ResourceAddress | undefined {
  const match = pattern.exec(uri);
  if (!match) return undefined;
  const kind = match[1] as ResourceKind;
  const id = match[2];
  if (id === undefined) return kind === "journal" ? { kind } : undefined;
  return { kind, id };
}
