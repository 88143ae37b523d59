/**
 * The Objective-C methods that are called, with their type encodings as on arm64. x86-64 differs only in BOOL, which koffi's
 * bool covers. None returns a structure that x86-64 would return through memory, so `objc_msgSend_stret` is never needed.
 */
export const messages = {
  "+[NSWorkspace sharedWorkspace]": "@16@0:8",
  "-[NSWorkspace runningApplications]": "@16@0:8",
  "-[NSWorkspace openApplicationAtURL:configuration:completionHandler:]": "v40@0:8@16@24@?32",
  "+[NSWorkspaceOpenConfiguration configuration]": "@16@0:8",
  "-[NSWorkspaceOpenConfiguration setArguments:]": "v24@0:8@16",
  "+[NSRunningApplication runningApplicationWithProcessIdentifier:]": "@20@0:8i16",
  "+[NSRunningApplication currentApplication]": "@16@0:8",
  "-[NSRunningApplication activateFromApplication:options:]": "B32@0:8@16Q24",
  "-[NSRunningApplication terminate]": "B16@0:8",
  "-[NSRunningApplication forceTerminate]": "B16@0:8",
  "-[NSRunningApplication activationPolicy]": "q16@0:8",
  "-[NSRunningApplication processIdentifier]": "i16@0:8",
  "-[NSRunningApplication localizedName]": "@16@0:8",
  "-[NSRunningApplication executableURL]": "@16@0:8",
  "+[NSPasteboard generalPasteboard]": "@16@0:8",
  "-[NSPasteboard changeCount]": "q16@0:8",
  "-[NSPasteboard clearContents]": "q16@0:8",
  "-[NSPasteboard setString:forType:]": "B32@0:8@16@24",
  "-[NSPasteboard stringForType:]": "@24@0:8@16",
  "-[NSError localizedDescription]": "@16@0:8",
  "-[NSURL path]": "@16@0:8",
  "+[NSURL fileURLWithPath:]": "@24@0:8@16",
} as const;

type Table = typeof messages;
export type Message = keyof Table;

/** The arguments after the receiver and the selector, and the result. */
export type Sent<M extends Message> = Table[M] extends `${infer R}16@0:8`
  ? { readonly args: readonly []; readonly result: Value<R> }
  : {
      readonly args: readonly Argument[];
      readonly result: Table[M] extends `${infer R}${Digits}@0:8${string}` ? Value<R> : never;
    };

type Digits = "20" | "24" | "32" | "40";
type Argument = bigint | number | null | ArrayBufferView;
type Value<R extends string> = R extends "@" ? bigint | null : R extends "B" ? boolean : R extends "v" ? void : number;
