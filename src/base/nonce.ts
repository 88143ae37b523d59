import { randomInt } from "node:crypto";

/**
 * Three letters that keep the ids of one process from those of another. A client that reconnects may still hold ids of an
 * earlier process; a click mapped through another picture that happens to have the same number would land anywhere.
 */
export const nonce = (): string => Array.from({ length: 3 }, () => String.fromCharCode(97 + randomInt(26))).join("");
