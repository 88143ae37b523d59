import { loadKoffi } from "./ffi.ts";

let known: { readonly version: string | undefined } | undefined;

/** The version of Wine, where this is no real Windows. */
export function wineVersion(): string | undefined {
  known ??= { version: askWine() };
  return known.version;
}

function askWine(): string | undefined {
  try {
    return loadKoffi()?.load("ntdll.dll").func("str __cdecl wine_get_version()")() as string | undefined;
  } catch {
    return undefined;
  }
}

/**
 * Wine 10 reads two arguments more than a call has. koffi runs calls at the very end of a stack of its own, so it reads the page
 * behind it, which is not there, and hangs. This puts it there. Needed once in every thread that calls Windows.
 */
export function prepareForWine(): void {
  const kernel = loadKoffi()?.load("kernel32.dll");
  if (!kernel || wineVersion() === undefined) return;
  const limits = kernel.func("void __stdcall GetCurrentThreadStackLimits(_Out_ uintptr_t *low, _Out_ uintptr_t *high)");
  const commit = kernel.func(
    "void * __stdcall VirtualAlloc(uintptr_t place, size_t size, uint32 kind, uint32 protection)",
  );
  const [low, high]: [unknown[], unknown[]] = [[0], [0]];
  limits(low, high);
  commit(high[0], 4096, 0x1000, 4);
}
