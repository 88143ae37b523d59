import { ToolError } from "../../base/errors.ts";
import { loadKoffi } from "../native/ffi.ts";
import { prepareForWine } from "../native/wine.ts";

/** Handles are numbers: Windows keeps them within 32 bits, also in 64-bit programs. */
export type Handle = number;

type Call = (...args: unknown[]) => number;

let opened: Win32 | undefined;

/** The functions of Windows, opened once in each thread. */
export function win32(): Win32 {
  return (opened ??= open());
}

export type Win32 = ReturnType<typeof open>;

function open() {
  const ffi = loadKoffi();
  if (!ffi) {
    throw new ToolError(
      "not_supported",
      "koffi, through which handsight calls Windows, has no build for this machine.",
      {
        hint: "It has one for Windows on x64 and on ARM; install handsight again with that Node.",
      },
    );
  }
  prepareForWine();
  const library = (name: string) => {
    const loaded = ffi.load(`${name}.dll`);
    return (declaration: string): Call => loaded.func(toStandard(declaration));
  };
  const user = library("user32");
  const gdi = library("gdi32");
  const kernel = library("kernel32");
  const advapi = library("advapi32");
  const dwm = library("dwmapi");
  const shcore = library("shcore");
  // Named in the declarations below.
  ffi.proto("int32 __stdcall EnumProc(uintptr_t handle, intptr_t value)");
  ffi.proto("int32 __stdcall MonitorProc(uintptr_t monitor, uintptr_t dc, void *rect, intptr_t value)");
  const hookProc = ffi.proto("intptr_t __stdcall HookProc(int32 code, uintptr_t wide, void *long)");
  const moduleNamed = kernel("uintptr_t GetModuleHandleW(str16 name)");
  const procAddress = kernel("uintptr_t GetProcAddress(uintptr_t module, str name)");
  return {
    /** The bytes at an address, shared with whoever writes there. */
    view: (address: unknown, length: number): Uint8Array => new Uint8Array(ffi.view(address, length)),
    /** A copy of numbers at an address. */
    read32: (address: unknown, count: number): number[] => ffi.decode(address, "int32", count) as number[],
    addressOf: (bytes: Uint8Array): bigint => ffi.address(bytes),
    registerHook: (work: (code: number, wide: number, long: unknown) => number): unknown =>
      ffi.register(work, ffi.pointer(hookProc)),
    // windows
    enumWindows: user("int32 EnumWindows(EnumProc *each, intptr_t value)") as unknown as (
      each: (hwnd: Handle) => number,
      value: number,
    ) => number,
    isWindow: user("int32 IsWindow(uintptr_t hwnd)"),
    isVisible: user("int32 IsWindowVisible(uintptr_t hwnd)"),
    isIconic: user("int32 IsIconic(uintptr_t hwnd)"),
    isZoomed: user("int32 IsZoomed(uintptr_t hwnd)"),
    isEnabled: user("int32 IsWindowEnabled(uintptr_t hwnd)"),
    isHung: user("int32 IsHungAppWindow(uintptr_t hwnd)"),
    textOf: user("int32 InternalGetWindowText(uintptr_t hwnd, void *text, int32 most)"),
    classOf: user("int32 GetClassNameW(uintptr_t hwnd, void *text, int32 most)"),
    rectOf: user("int32 GetWindowRect(uintptr_t hwnd, void *rect)"),
    threadOf: user("uint32 GetWindowThreadProcessId(uintptr_t hwnd, void *pid)"),
    relative: user("uintptr_t GetWindow(uintptr_t hwnd, uint32 which)"),
    ancestor: user("uintptr_t GetAncestor(uintptr_t hwnd, uint32 which)"),
    style: user("intptr_t GetWindowLongPtrW(uintptr_t hwnd, int32 index)"),
    foreground: user("uintptr_t GetForegroundWindow()"),
    setForeground: user("int32 SetForegroundWindow(uintptr_t hwnd)"),
    bringToTop: user("int32 BringWindowToTop(uintptr_t hwnd)"),
    attachInput: user("int32 AttachThreadInput(uint32 from, uint32 to, int32 attach)"),
    showAsync: user("int32 ShowWindowAsync(uintptr_t hwnd, int32 how)"),
    show: user("int32 ShowWindow(uintptr_t hwnd, int32 how)"),
    place: user(
      "int32 SetWindowPos(uintptr_t hwnd, intptr_t after, int32 x, int32 y, int32 width, int32 height, uint32 flags)",
    ),
    windowAt: user("uintptr_t WindowFromPoint(int64 point)"),
    post: user("int32 PostMessageW(uintptr_t hwnd, uint32 message, uintptr_t wide, intptr_t long)"),
    sendTimeout: user(
      "uintptr_t SendMessageTimeoutW(uintptr_t hwnd, uint32 message, uintptr_t wide, intptr_t long, uint32 flags, uint32 ms, void *result)",
    ),
    guiThread: user("int32 GetGUIThreadInfo(uint32 thread, void *info)"),
    frameOf: dwm("int32 DwmGetWindowAttribute(uintptr_t hwnd, uint32 attribute, void *value, uint32 size)"),
    // screen
    setDpiAwareness: optional(() => user("int32 SetProcessDpiAwarenessContext(intptr_t context)")),
    metric: user("int32 GetSystemMetrics(int32 index)"),
    enumMonitors: user(
      "int32 EnumDisplayMonitors(uintptr_t dc, void *clip, MonitorProc *each, intptr_t value)",
    ) as unknown as (dc: Handle, clip: null, each: (monitor: Handle) => number, value: number) => number,
    monitorInfo: user("int32 GetMonitorInfoW(uintptr_t monitor, void *info)"),
    monitorOf: user("uintptr_t MonitorFromWindow(uintptr_t hwnd, uint32 otherwise)"),
    monitorDpi: optional(() => shcore("int32 GetDpiForMonitor(uintptr_t monitor, int32 kind, void *x, void *y)")),
    getDc: user("uintptr_t GetDC(uintptr_t hwnd)"),
    getWindowDc: user("uintptr_t GetWindowDC(uintptr_t hwnd)"),
    releaseDc: user("int32 ReleaseDC(uintptr_t hwnd, uintptr_t dc)"),
    printWindow: user("int32 PrintWindow(uintptr_t hwnd, uintptr_t dc, uint32 flags)"),
    compatibleDc: gdi("uintptr_t CreateCompatibleDC(uintptr_t dc)"),
    deleteDc: gdi("int32 DeleteDC(uintptr_t dc)"),
    createDib: gdi(
      "uintptr_t CreateDIBSection(uintptr_t dc, void *info, uint32 usage, _Out_ void **bits, uintptr_t section, uint32 offset)",
    ),
    select: gdi("uintptr_t SelectObject(uintptr_t dc, uintptr_t object)"),
    deleteObject: gdi("int32 DeleteObject(uintptr_t object)"),
    bitBlt: gdi(
      "int32 BitBlt(uintptr_t to, int32 x, int32 y, int32 width, int32 height, uintptr_t from, int32 fromX, int32 fromY, uint32 how)",
    ),
    flush: gdi("int32 GdiFlush()"),
    cursorInfo: user("int32 GetCursorInfo(void *info)"),
    iconInfo: user("int32 GetIconInfo(uintptr_t icon, void *info)"),
    loadCursor: user("uintptr_t LoadCursorW(uintptr_t module, uintptr_t name)"),
    drawIcon: user(
      "int32 DrawIconEx(uintptr_t dc, int32 x, int32 y, uintptr_t icon, int32 width, int32 height, uint32 step, uintptr_t brush, uint32 flags)",
    ),
    // input
    sendInput: user("uint32 SendInput(uint32 count, void *inputs, int32 size)"),
    cursorAt: user("int32 GetCursorPos(void *point)"),
    setCursor: user("int32 SetCursorPos(int32 x, int32 y)"),
    keyState: user("int16 GetAsyncKeyState(int32 key)"),
    layoutOf: user("uintptr_t GetKeyboardLayout(uint32 thread)"),
    keyOf: user("int16 VkKeyScanExW(uint16 character, uintptr_t layout)"),
    mapKey: user("uint32 MapVirtualKeyExW(uint32 code, uint32 kind, uintptr_t layout)"),
    toggled: user("int16 GetKeyState(int32 key)"),
    toUnicode: user(
      "int32 ToUnicodeEx(uint32 key, uint32 scan, void *state, void *text, int32 most, uint32 flags, uintptr_t layout)",
    ),
    registerHotKey: user("int32 RegisterHotKey(uintptr_t hwnd, int32 id, uint32 modifiers, uint32 key)"),
    // threads, messages
    createWindow: user(
      "uintptr_t CreateWindowExW(uint32 extended, str16 class, str16 title, uint32 style, int32 x, int32 y, int32 width, int32 height, intptr_t parent, uintptr_t menu, uintptr_t module, void *parameter)",
    ),
    destroyWindow: user("int32 DestroyWindow(uintptr_t hwnd)"),
    registerClass: user("uint16 RegisterClassExW(void *class)"),
    defaultProcAddress: (): number => procAddress(moduleNamed("user32.dll"), "DefWindowProcW"),
    updateLayered: user(
      "int32 UpdateLayeredWindow(uintptr_t hwnd, uintptr_t dc, void *at, void *size, uintptr_t from, void *fromAt, uint32 key, void *blend, uint32 flags)",
    ),
    setAffinity: optional(() => user("int32 SetWindowDisplayAffinity(uintptr_t hwnd, uint32 affinity)")),
    peekMessage: user("int32 PeekMessageW(void *message, uintptr_t hwnd, uint32 low, uint32 high, uint32 remove)"),
    waitForInput: user(
      "uint32 MsgWaitForMultipleObjects(uint32 count, void *handles, int32 all, uint32 ms, uint32 kinds)",
    ),
    dispatch: user("intptr_t DispatchMessageW(void *message)"),
    postThread: user("int32 PostThreadMessageW(uint32 thread, uint32 message, uintptr_t wide, intptr_t long)"),
    setHook: user("uintptr_t SetWindowsHookExW(int32 kind, void *procedure, uintptr_t module, uint32 thread)"),
    nextHook: user("intptr_t CallNextHookEx(uintptr_t hook, int32 code, uintptr_t wide, void *long)"),
    unhook: user("int32 UnhookWindowsHookEx(uintptr_t hook)"),
    ownModule: kernel("uintptr_t GetModuleHandleW(void *name)"),
    ownThread: kernel("uint32 GetCurrentThreadId()"),
    openMutex: kernel("uintptr_t OpenMutexW(uint32 access, int32 inherit, str16 name)"),
    createMutex: kernel("uintptr_t CreateMutexW(void *security, int32 owned, str16 name)"),
    // clipboard
    openClipboard: user("int32 OpenClipboard(uintptr_t hwnd)"),
    closeClipboard: user("int32 CloseClipboard()"),
    emptyClipboard: user("int32 EmptyClipboard()"),
    hasFormat: user("int32 IsClipboardFormatAvailable(uint32 format)"),
    getClipboard: user("uintptr_t GetClipboardData(uint32 format)"),
    setClipboard: user("uintptr_t SetClipboardData(uint32 format, uintptr_t memory)"),
    clipboardOwner: user("uintptr_t GetClipboardOwner()"),
    clipboardSequence: user("uint32 GetClipboardSequenceNumber()"),
    allocate: kernel("uintptr_t GlobalAlloc(uint32 flags, size_t size)"),
    lock: kernel("void * GlobalLock(uintptr_t memory)"),
    unlock: kernel("int32 GlobalUnlock(uintptr_t memory)"),
    free: kernel("uintptr_t GlobalFree(uintptr_t memory)"),
    sizeOf: kernel("size_t GlobalSize(uintptr_t memory)"),
    // processes
    openProcess: kernel("uintptr_t OpenProcess(uint32 access, int32 inherit, uint32 pid)"),
    closeHandle: kernel("int32 CloseHandle(uintptr_t handle)"),
    imageOf: kernel("int32 QueryFullProcessImageNameW(uintptr_t process, uint32 flags, void *name, void *length)"),
    ioOf: kernel("int32 GetProcessIoCounters(uintptr_t process, void *counters)"),
    waitFor: kernel("uint32 WaitForSingleObject(uintptr_t handle, uint32 ms)"),
    terminate: kernel("int32 TerminateProcess(uintptr_t process, uint32 code)"),
    sessionOf: kernel("int32 ProcessIdToSessionId(uint32 pid, void *session)"),
    openToken: advapi("int32 OpenProcessToken(uintptr_t process, uint32 access, void *token)"),
    tokenInfo: advapi("int32 GetTokenInformation(uintptr_t token, int32 kind, void *info, uint32 size, void *length)"),
    openKey: advapi("int32 RegOpenKeyExW(intptr_t root, str16 path, uint32 options, uint32 access, void *key)"),
    enumKey: advapi(
      "int32 RegEnumKeyExW(uintptr_t key, uint32 index, void *name, void *length, void *reserved, void *class, void *classLength, void *time)",
    ),
    getValue: advapi(
      "int32 RegGetValueW(uintptr_t key, str16 path, str16 name, uint32 kinds, void *kind, void *data, void *length)",
    ),
    closeKey: advapi("int32 RegCloseKey(uintptr_t key)"),
    hasDwm: optional(() => dwm("int32 DwmIsCompositionEnabled(void *enabled)")),
    inputDesktop: user("uintptr_t OpenInputDesktop(uint32 flags, int32 inherit, uint32 access)"),
    closeDesktop: user("int32 CloseDesktop(uintptr_t desktop)"),
  };
}

/** Windows calls all use one convention. */
function toStandard(declaration: string): string {
  return declaration.replace(/^(.*?)(\w+)\(/, "$1__stdcall $2(");
}

/** Not in every Windows. */
function optional(load: () => Call): Call | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}
