import { prepareForWine } from "../../native/wine.ts";
import { needKoffi, type Address } from "./com.ts";
import type { OleMemory } from "./variant.ts";

type Call = (...args: unknown[]) => number;

export interface GuiThread {
  readonly focus: number;
  readonly active: number;
}

/** The functions that this thread calls. Opened once, in the thread that uses them. */
export function openWin32() {
  prepareForWine();
  const ffi = needKoffi();
  const libraries = new Map<string, ReturnType<typeof ffi.load>>();
  const load = (library: string, declaration: string): Call => {
    const opened = libraries.get(library) ?? ffi.load(library);
    libraries.set(library, opened);
    return opened.func(declaration) as Call;
  };
  const user = (declaration: string) => load("user32.dll", declaration);
  const kernel = (declaration: string) => load("kernel32.dll", declaration);
  const oleaut = (declaration: string) => load("oleaut32.dll", declaration);
  const freeString = oleaut("void __stdcall SysFreeString(void *text)");
  const makeString = oleaut("void * __stdcall SysAllocStringLen(str16 text, uint32 length)");
  const clearVariant = oleaut("int32 __stdcall VariantClear(void *variant)");
  return {
    callback: (work: (...args: never[]) => unknown, prototype: string): Address =>
      ffi.register(work, ffi.pointer(ffi.proto(prototype))),
    forget: (callback: Address): void => ffi.unregister(callback),
    memory: {
      clear: (variant) => void clearVariant(variant),
      makeString: (text) => makeString(text, text.length) as unknown as Address,
      freeString: (address) => void freeString(address),
    } satisfies OleMemory,
    coInitialize: load("ole32.dll", "int32 __stdcall CoInitializeEx(void *reserved, uint32 kind)"),
    coCreate: load(
      "ole32.dll",
      "int32 __stdcall CoCreateInstance(void *class, void *outer, uint32 context, void *id, _Out_ void **out)",
    ),
    accessibleFromWindow: load(
      "oleacc.dll",
      "int32 __stdcall AccessibleObjectFromWindow(uintptr_t hwnd, uint32 object, void *id, _Out_ void **out)",
    ),
    desktop: user("uintptr_t __stdcall GetDesktopWindow()"),
    foreground: user("uintptr_t __stdcall GetForegroundWindow()"),
    relative: user("uintptr_t __stdcall GetWindow(uintptr_t hwnd, uint32 which)"),
    ancestor: user("uintptr_t __stdcall GetAncestor(uintptr_t hwnd, uint32 which)"),
    isWindow: user("int32 __stdcall IsWindow(uintptr_t hwnd)"),
    isVisible: user("int32 __stdcall IsWindowVisible(uintptr_t hwnd)"),
    isEnabled: user("int32 __stdcall IsWindowEnabled(uintptr_t hwnd)"),
    isMinimized: user("int32 __stdcall IsIconic(uintptr_t hwnd)"),
    rectOf: user("int32 __stdcall GetWindowRect(uintptr_t hwnd, _Out_ int32 *rect)"),
    mapPoints: user(
      "int32 __stdcall MapWindowPoints(uintptr_t from, uintptr_t to, _Inout_ int32 *points, uint32 count)",
    ),
    className: user("int32 __stdcall GetClassNameW(uintptr_t hwnd, _Out_ uint16_t *text, int32 most)"),
    long: user("intptr_t __stdcall GetWindowLongPtrW(uintptr_t hwnd, int32 index)"),
    threadOf: user("uint32 __stdcall GetWindowThreadProcessId(uintptr_t hwnd, _Out_ uint32 *pid)"),
    guiThread: user("int32 __stdcall GetGUIThreadInfo(uint32 thread, void *info)"),
    windowFromPoint: user("uintptr_t __stdcall WindowFromPoint(uint64 point)"),
    send: user(
      "uintptr_t __stdcall SendMessageTimeoutW(uintptr_t hwnd, uint32 message, uintptr_t w, void *l, uint32 flags, uint32 ms, _Out_ uintptr_t *result)",
    ),
    post: user("int32 __stdcall PostMessageW(uintptr_t hwnd, uint32 message, uintptr_t w, uintptr_t l)"),
    attachInput: user("int32 __stdcall AttachThreadInput(uint32 from, uint32 to, int32 attach)"),
    ownThread: kernel("uint32 __stdcall GetCurrentThreadId()"),
    setFocus: user("uintptr_t __stdcall SetFocus(uintptr_t hwnd)"),
    peek: user("int32 __stdcall PeekMessageW(void *message, uintptr_t hwnd, uint32 low, uint32 high, uint32 remove)"),
    dispatch: user("intptr_t __stdcall DispatchMessageW(void *message)"),
    hook: user(
      "uintptr_t __stdcall SetWinEventHook(uint32 first, uint32 last, uintptr_t module, void *callback, uint32 pid, uint32 thread, uint32 flags)",
    ),
    unhook: user("int32 __stdcall UnhookWinEvent(uintptr_t hook)"),
    openProcess: kernel("uintptr_t __stdcall OpenProcess(uint32 access, int32 inherit, uint32 pid)"),
    closeHandle: kernel("int32 __stdcall CloseHandle(uintptr_t handle)"),
    allocateIn: kernel(
      "uintptr_t __stdcall VirtualAllocEx(uintptr_t process, uintptr_t place, size_t size, uint32 kind, uint32 protection)",
    ),
    freeIn: kernel("int32 __stdcall VirtualFreeEx(uintptr_t process, uintptr_t place, size_t size, uint32 kind)"),
    writeIn: kernel(
      "int32 __stdcall WriteProcessMemory(uintptr_t process, uintptr_t place, void *data, size_t size, void *written)",
    ),
    readIn: kernel(
      "int32 __stdcall ReadProcessMemory(uintptr_t process, uintptr_t place, _Out_ void *data, size_t size, void *read)",
    ),
  };
}

export type Win32 = ReturnType<typeof openWin32>;
