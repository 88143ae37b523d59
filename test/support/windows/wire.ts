import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError, type ErrorCode, type ErrorDetails } from "../../../src/base/errors.ts";

/** What goes over the pipe between a backend in node.exe and a test, one JSON object per line. */
export type FromTest =
  | { readonly call: number; readonly path: readonly string[]; readonly args: readonly unknown[] }
  | { readonly abort: number }
  | { readonly dispose: number };

export type FromBackend =
  | { readonly members: Readonly<Record<string, Members>> }
  | { readonly answer: number; readonly value?: unknown; readonly error?: WireError }
  | { readonly heard: number; readonly args: readonly unknown[] };

/** A plain value, or the names of methods. */
export interface Members {
  readonly methods: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

interface WireError {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly candidates?: readonly string[] | undefined;
}

/** How what JSON does not have is carried, on one side. */
export interface Carrier {
  readonly pack: (value: object) => unknown;
  readonly unpack: (value: Readonly<Record<string, unknown>>) => unknown;
}

export function pack(value: unknown, carrier: Carrier): unknown {
  if (typeof value === "function") return carrier.pack(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map((each) => pack(each, carrier));
  const special = carrier.pack(value);
  if (special !== undefined) return special;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, pack(each, carrier)]));
}

export function unpack(value: unknown, carrier: Carrier): unknown {
  if (typeof value !== "object" || value === null) return value ?? undefined;
  if (Array.isArray(value)) return value.map((each) => unpack(each, carrier));
  const plain = value as Readonly<Record<string, unknown>>;
  if (typeof plain["$bytes"] === "string") return new Uint8Array(Buffer.from(plain["$bytes"], "base64"));
  return (
    carrier.unpack(plain) ??
    Object.fromEntries(Object.entries(plain).map(([key, each]) => [key, unpack(each, carrier)]))
  );
}

/** By its shape: the compiled class is another one. */
export function packError(error: unknown): WireError {
  const { name, code, details } = error as Partial<ToolError>;
  const isForeseen = name === "ToolError";
  return {
    code: isForeseen ? code : undefined,
    message: !(error instanceof Error) ? String(error) : isForeseen ? error.message : (error.stack ?? error.message),
    hint: details?.hint,
    candidates: details?.candidates,
  };
}

export function unpackError({ code, message, hint, candidates }: WireError): Error {
  if (code === undefined) return new Error(message);
  const details: ErrorDetails = {
    ...(hint === undefined ? {} : { hint }),
    ...(candidates === undefined ? {} : { candidates }),
  };
  return new ToolError(code, message, details);
}

let written = 0;

/** Pixels are megabytes: they go through a file. */
export function writePixels(folder: string, data: Uint8Array): string {
  const name = `pixels-${process.pid}-${++written}`;
  writeFileSync(join(folder, name), data);
  return name;
}

export function readPixels(folder: string, name: string): Uint8Array {
  const bytes = readFileSync(join(folder, name));
  rmSync(join(folder, name));
  return bytes;
}
