import { expect, test } from "vitest";
import { hintFor } from "./missing-tree.ts";

const maps = (file: string): string =>
  `7f00-7f10 r-xp 00000000 fe:01 1 /usr/lib/libc.so.6\n7f20-7f30 r--p 0 fe:01 2 ${file}\n`;

test.each([
  ["/usr/lib/chromium/resources.pak", /^Chromium/],
  ["/usr/lib/jvm/java-17/lib/server/libjvm.so", /AtkWrapper/],
  ["/usr/lib/x86_64-linux-gnu/libQt6Widgets.so.6.4.2", /^Qt needs QT_LINUX/],
  ["/usr/lib/x86_64-linux-gnu/libQt5Gui.so.5.15.8", /^Qt needs QT_LINUX/],
  ["/usr/lib/x86_64-linux-gnu/libgtk-x11-2.0.so.0.2400.33", /^GTK 2 has no elements/],
  ["/usr/lib/x86_64-linux-gnu/libtk8.6.so", /^Tk has no elements/],
  ["/usr/lib/x86_64-linux-gnu/libXaw7.so.7.0.0", /^Xaw has no elements/],
  ["/usr/bin/own", /Java its AtkWrapper.*GTK 2, Tk and Xaw/],
])("an app with %s in memory gets the hint of its toolkit", (file, hint) => {
  expect(hintFor(maps(file))).toMatch(hint);
  expect(hintFor(maps(file))).toContain("mark_regions");
});
