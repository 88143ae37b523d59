export interface Limits {
  /** A picture of more bytes than this travels as a link. */
  readonly maxInlineBytes: number;
  /** No message is larger. Clients drop the connection at 10 MB, and HTTP bodies stop at 4 MB. */
  readonly maxMessageBytes: number;
}

export const defaultLimits: Limits = { maxInlineBytes: 900 * 1024, maxMessageBytes: 4 * 1024 * 1024 };

/** Room for what the protocol wraps around a result: id, result type, server info. */
const wrapping = 8 * 1024;

export function fits(result: object, { maxMessageBytes }: Limits): boolean {
  return Buffer.byteLength(JSON.stringify(result)) <= maxMessageBytes - wrapping;
}
