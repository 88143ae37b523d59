/** The part of WebAssembly that is used here; TypeScript declares it for browsers only. */
export interface WasmMemory<Buffer extends ArrayBufferLike = SharedArrayBuffer> {
  readonly buffer: Buffer;
  grow(pages: number): number;
}

export interface Wasm {
  readonly Memory: {
    new (size: { initial: number; maximum: number; shared: true }): WasmMemory;
    new (size: { initial: number }): WasmMemory<ArrayBuffer>;
  };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: WasmMemory<ArrayBufferLike> } },
  ) => { readonly exports: Readonly<Record<string, (...args: number[]) => number>> };
}

export const wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
