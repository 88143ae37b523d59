import { kernelBytes } from "./pixels-bytes.ts";
import { wasm, type WasmMemory } from "./wasm.ts";

/** The functions of assembly/pixels.ts; positions are byte offsets in the memory. */
export interface PixelKernel {
  shade(source: number, count: number, target: number): void;
  shrink(source: number, stride: number, width: number, factor: number, target: number): void;
  edges(row: number, below: number, width: number, step: number, flat: number, flats: number, out: number): number;
  differ(a: number, b: number, width: number, y: number, rows: number, boxes: number): number;
}

export interface KernelMemory {
  readonly kernel: PixelKernel;
  readonly buffer: ArrayBuffer;
}

const pageBytes = 65_536;
let module: object | undefined;

/** The kernel with its own memory. Compiling its two kilobytes takes a millisecond, once. */
export function openPixelKernel(bytes: number): KernelMemory {
  module ??= new wasm.Module(Buffer.from(kernelBytes, "base64"));
  const memory: WasmMemory<ArrayBuffer> = new wasm.Memory({ initial: Math.ceil(bytes / pageBytes) });
  const { exports } = new wasm.Instance(module, { env: { memory } });
  return { kernel: exports as unknown as PixelKernel, buffer: memory.buffer };
}

/** The size of each row of brightness, including the padding that the kernel needs after it. */
export const strideOf = (width: number): number => Math.ceil(width / 32) * 32 + 32;
