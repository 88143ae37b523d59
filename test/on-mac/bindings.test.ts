import koffi from "koffi";
import { describe, expect, test } from "vitest";
import { functions, libraryPath, type Library } from "../../src/platform/macos/bindings/functions.ts";
import { messages } from "../../src/platform/macos/bindings/messages.ts";
import { openNative } from "../../src/platform/macos/bindings/native.ts";
import { newString, textOf } from "../../src/platform/macos/cf.ts";
import { Mac } from "../../src/platform/macos/mac.ts";
import { listDisplays } from "../../src/platform/macos/displays.ts";

// Runs on a real Mac only, by .github/workflows/macos.yml. Needs no permission.

/** Exported no longer on new systems; used only where they are. */
const optional: ReadonlySet<string> = new Set(["CGWindowListCreateImage", "_AXUIElementGetWindow"]);

const names = Object.entries(functions).flatMap(([library, table]) =>
  Object.keys(table).map((name) => [library as Library, name] as const),
);

describe("the frameworks of this Mac", () => {
  test.each(names.filter(([, name]) => !optional.has(name)))("%s exports %s", (library, name) => {
    expect(koffi.load(libraryPath(library)).symbol(name)).toBeTruthy();
  });

  test.each(Object.entries(messages))("%s is encoded as %s", (message, encoding) => {
    koffi.load(libraryPath("AppKit"));
    const objc = koffi.load(libraryPath("objc"));
    const [, kind = "", className = "", selector = ""] = /^([+-])\[(\w+) (.+)\]$/.exec(message) ?? [];
    const find = kind === "+" ? "class_getClassMethod" : "class_getInstanceMethod";
    const own = objc.func("void *objc_getClass(str name)")(className) as unknown;
    const method = objc.func(`void *${find}(void *class, void *selector)`)(
      own,
      objc.func("void *sel_registerName(str name)")(selector),
    ) as unknown;
    const said = objc.func("str method_getTypeEncoding(void *method)")(method) as string;
    // x86-64 has a signed char for BOOL; type qualifiers are not part of what we know.
    const known = process.arch === "x64" ? encoding.replaceAll("B", "c") : encoding;
    expect(said.replaceAll(/[rnNoORV](?=[@:^{*#vcBiIqQfd])/g, "")).toBe(known);
  });

  test("strings, displays and windows come through whole", () => {
    using mac = new Mac(openNative());
    const text = "Grüße 漢字 🎉";
    const string = newString(mac.native, text);
    expect(textOf(mac.native, string)).toBe(text);
    mac.native.CFRelease(string);
    const displays = listDisplays(mac);
    expect(displays.some(({ isPrimary, bounds }) => isPrimary && bounds.width > 0)).toBe(true);
  });
});
