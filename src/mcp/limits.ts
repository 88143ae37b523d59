export interface Limits {
  /** Larger pictures are sent as a link. */
  readonly maxInlineBytes: number;
  /** The maximum size of a message. Clients drop the connection at 10 MB, and HTTP bodies stop at 4 MB. */
  readonly maxMessageBytes: number;
}

/** The largest request over HTTP. No tool argument may be larger (`encodedImage` in tools/schema.ts). */
export const maxBodyBytes = 4 * 1024 * 1024;

/** The longest line on stdin: the SDK's limit. */
export const maxLineBytes = 10 * 1024 * 1024;

export const defaultLimits: Limits = { maxInlineBytes: 900 * 1024, maxMessageBytes: maxBodyBytes };

/** Room for what the protocol wraps around a result: id, result type, server info. */
const wrapping = 8 * 1024;

export function fits(result: object, { maxMessageBytes }: Limits): boolean {
  return Buffer.byteLength(JSON.stringify(result)) <= maxMessageBytes - wrapping;
}
