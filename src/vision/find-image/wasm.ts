/** As much of WebAssembly as the pool uses; TypeScript declares it for browsers only. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

export interface Wasm {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: WasmMemory } },
  ) => { readonly exports: Readonly<Record<string, (...args: number[]) => number>> };
}

export const wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
