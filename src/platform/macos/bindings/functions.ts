/**
 * The C functions that are called, by framework, as `result(arguments)` in lowered types. The facts in
 * test/simulators/macos/facts.json, taken from the headers of two SDKs, must agree with every line.
 */
export const functions = {
  CoreFoundation: {
    CFRetain: "ptr(ptr)",
    CFRelease: "void(ptr)",
    CFGetTypeID: "u64(ptr)",
    CFEqual: "u8(ptr,ptr)",
    CFStringGetTypeID: "u64()",
    CFStringCreateWithCharacters: "ptr(ptr,ptr,i64)",
    CFStringGetLength: "i64(ptr)",
    CFStringGetCharacters: "void(ptr,CFRange,ptr)",
    CFArrayGetTypeID: "u64()",
    CFArrayCreate: "ptr(ptr,ptr,i64,ptr)",
    CFArrayGetCount: "i64(ptr)",
    CFArrayGetValueAtIndex: "ptr(ptr,i64)",
    CFDictionaryGetValue: "ptr(ptr,ptr)",
    CFNumberGetTypeID: "u64()",
    CFNumberCreate: "ptr(ptr,i64,ptr)",
    CFNumberGetValue: "u8(ptr,i64,ptr)",
    CFBooleanGetTypeID: "u64()",
    CFBooleanGetValue: "u8(ptr)",
    CFDataGetLength: "i64(ptr)",
    CFDataGetBytePtr: "ptr(ptr)",
    CFURLGetTypeID: "u64()",
    CFURLGetString: "ptr(ptr)",
    CFAttributedStringGetTypeID: "u64()",
    CFAttributedStringGetString: "ptr(ptr)",
    CFRunLoopGetMain: "ptr()",
    CFRunLoopRunInMode: "i32(ptr,f64,u8)",
    CFRunLoopAddSource: "void(ptr,ptr,ptr)",
    CFRunLoopRemoveSource: "void(ptr,ptr,ptr)",
  },
  CoreGraphics: {
    CGMainDisplayID: "u32()",
    CGGetActiveDisplayList: "i32(u32,ptr,ptr)",
    CGDisplayBounds: "CGRect(u32)",
    CGDisplayCopyDisplayMode: "ptr(u32)",
    CGDisplayModeGetWidth: "u64(ptr)",
    CGDisplayModeGetPixelWidth: "u64(ptr)",
    CGDisplayModeRelease: "void(ptr)",
    CGWindowListCopyWindowInfo: "ptr(u32,u32)",
    CGWindowListCreateImage: "ptr(CGRect,u32,u32,u32)",
    CGRectMakeWithDictionaryRepresentation: "bool(ptr,ptr)",
    CGImageGetWidth: "u64(ptr)",
    CGImageGetHeight: "u64(ptr)",
    CGImageGetBytesPerRow: "u64(ptr)",
    CGImageGetBitsPerPixel: "u64(ptr)",
    CGImageGetBitmapInfo: "u32(ptr)",
    CGImageGetDataProvider: "ptr(ptr)",
    CGImageRelease: "void(ptr)",
    CGDataProviderCopyData: "ptr(ptr)",
    CGEventSourceCreate: "ptr(i32)",
    CGEventSourceFlagsState: "u64(i32)",
    CGEventCreate: "ptr(ptr)",
    CGEventGetLocation: "CGPoint(ptr)",
    CGEventCreateMouseEvent: "ptr(ptr,u32,CGPoint,u32)",
    CGEventCreateKeyboardEvent: "ptr(ptr,u16,bool)",
    CGEventCreateScrollWheelEvent2: "ptr(ptr,u32,u32,i32,i32,i32)",
    CGEventSetFlags: "void(ptr,u64)",
    CGEventSetIntegerValueField: "void(ptr,u32,i64)",
    CGEventKeyboardSetUnicodeString: "void(ptr,u64,ptr)",
    CGEventPost: "void(u32,ptr)",
    CGPreflightScreenCaptureAccess: "bool()",
    CGPreflightPostEventAccess: "bool()",
    CGSessionCopyCurrentDictionary: "ptr()",
  },
  HIServices: {
    AXIsProcessTrusted: "u8()",
    AXUIElementGetTypeID: "u64()",
    AXUIElementCreateApplication: "ptr(i32)",
    AXUIElementCreateSystemWide: "ptr()",
    AXUIElementCopyAttributeValue: "i32(ptr,ptr,ptr)",
    AXUIElementCopyMultipleAttributeValues: "i32(ptr,ptr,u32,ptr)",
    AXUIElementSetAttributeValue: "i32(ptr,ptr,ptr)",
    AXUIElementCopyActionNames: "i32(ptr,ptr)",
    AXUIElementPerformAction: "i32(ptr,ptr)",
    AXUIElementCopyElementAtPosition: "i32(ptr,f32,f32,ptr)",
    AXUIElementGetPid: "i32(ptr,ptr)",
    AXUIElementSetMessagingTimeout: "i32(ptr,f32)",
    AXValueGetTypeID: "u64()",
    AXValueCreate: "ptr(u32,ptr)",
    AXValueGetType: "u32(ptr)",
    AXValueGetValue: "u8(ptr,u32,ptr)",
    AXObserverCreate: "i32(i32,ptr,ptr)",
    AXObserverAddNotification: "i32(ptr,ptr,ptr,ptr)",
    AXObserverGetRunLoopSource: "ptr(ptr)",
    _AXUIElementGetWindow: "i32(ptr,ptr)",
  },
  HIToolbox: {
    TISCopyCurrentKeyboardLayoutInputSource: "ptr()",
    TISCopyCurrentASCIICapableKeyboardLayoutInputSource: "ptr()",
    TISGetInputSourceProperty: "ptr(ptr,ptr)",
    LMGetKbdType: "u8()",
  },
  CarbonCore: {
    UCKeyTranslate: "i32(ptr,u16,u16,u32,u32,u32,ptr,u64,ptr,ptr)",
  },
  objc: {
    objc_getClass: "ptr(ptr)",
    sel_registerName: "ptr(ptr)",
    objc_autoreleasePoolPush: "ptr()",
    objc_autoreleasePoolPop: "void(ptr)",
  },
} as const;

type Table = typeof functions;
export type Framework = keyof Table;
/** Only for its classes. */
export type Library = Framework | "AppKit";

/** Every function with its lowered signature. */
export type Signatures = {
  [N in { [F in Framework]: keyof Table[F] }[Framework]]: {
    [F in Framework]: N extends keyof Table[F] ? Table[F][N] : never;
  }[Framework];
};
export type FunctionName = keyof Signatures;

/** Umbrella frameworks export what their parts do. Framework binaries are no files: they live in the system's cache. */
const umbrellas: Readonly<Record<Library, string>> = {
  CoreFoundation: "CoreFoundation",
  CoreGraphics: "CoreGraphics",
  HIServices: "ApplicationServices",
  HIToolbox: "Carbon",
  CarbonCore: "CoreServices",
  AppKit: "AppKit",
  objc: "",
};

export function libraryPath(library: Library): string {
  if (library === "objc") return "/usr/lib/libobjc.A.dylib";
  const name = umbrellas[library];
  return `/System/Library/Frameworks/${name}.framework/${name}`;
}
