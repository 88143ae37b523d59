import type { IncomingHttpHeaders } from "node:http";

export interface Simulated {
  readonly status: number;
  readonly message: string;
}

export type Json = Record<string, unknown>;

/** One vendor's API: what it accepts, how it answers and how it fails. */
export interface Wire {
  readonly vendor: "anthropic" | "openai" | "gemini" | "chat";
  readonly path: RegExp;
  /** What a client puts after the server's address. */
  readonly base: string;
  readonly keyHeader: string;
  readonly keyValue: string;
  /** A model that answers in JSON, and one with the vendor's computer tool. */
  readonly plainModel: string;
  readonly computerModel: string | undefined;
  /** The vendor's own objections to a request. */
  examine(body: Json, headers: IncomingHttpHeaders): Simulated | undefined;
  error(status: number, message: string): unknown;
  rateLimit(seconds: number): { readonly body: unknown; readonly headers: Record<string, string> };
  /** An answer in words; each used 120 input tokens, 30 of them cached, and 15 output tokens. */
  says(text: string): unknown;
  refuses(why: string): unknown;
  isCutOff(text: string): unknown;
  /** A click with the vendor's own tool, at the vendor's own coordinates. */
  clicks?(x: number, y: number): unknown;
  /** A call of the `act` tool. */
  acts?(args: Json): unknown;
  /** A call that a person must confirm first. */
  asksFirst?(why: string): unknown;
  /** The pictures in a request, decoded, oldest first. */
  pictures(body: Json): readonly Buffer[];
}

export const testKey = "sk-test-0123456789abcdef";
