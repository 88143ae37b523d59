import { randomInt } from "node:crypto";

/**
 * Three letters that distinguish the ids of one process from those of another. A client that reconnects may still
 * hold ids of an earlier process; a click mapped through another picture with the same number could land anywhere.
 */
export const nonce = (): string => Array.from({ length: 3 }, () => String.fromCharCode(97 + randomInt(26))).join("");
