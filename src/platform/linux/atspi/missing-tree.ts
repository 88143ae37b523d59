import { readFileSync } from "node:fs";
import { ageMsOf } from "../../../base/process.ts";

const pixels = "use find_text, ocr and mark_regions, which read the picture, and click {region}";

interface Toolkit {
  /** A file that only its apps have in memory. */
  readonly maps: RegExp;
  readonly hint: string;
}

/** What to do about an app without elements. The first that fits: Chromium brings parts of other toolkits with it. */
const toolkits: readonly Toolkit[] = [
  {
    maps: /\/(resources\.pak|v8_context_snapshot\.bin|snapshot_blob\.bin)$/m,
    hint: `Chromium and Electron need --force-renderer-accessibility when they start: quit_app it, then launch_app adds that; otherwise ${pixels}.`,
  },
  {
    maps: /\/libjvm\.so$/m,
    hint: `Java needs the AtkWrapper when it starts (package libatk-wrapper-java-jni, assistive_technologies=org.GNOME.Accessibility.AtkWrapper in accessibility.properties); otherwise ${pixels}.`,
  },
  {
    maps: /\/libQt[56]?(Gui|Widgets)[^/]*$/m,
    hint: `Qt needs QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 when it starts: quit_app it, then launch_app sets that; otherwise ${pixels}.`,
  },
  { maps: /\/libgtk-x11-2\.0\.so[^/]*$/m, hint: `GTK 2 has no elements here: ${pixels}.` },
  { maps: /\/libtk\d[^/]*$/m, hint: `Tk has no elements: ${pixels}.` },
  { maps: /\/libXaw[^/]*$/m, hint: `Xaw has no elements: ${pixels}.` },
];

const unknown = `Chromium and Electron need --force-renderer-accessibility, Qt QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 and Java its AtkWrapper when they start; GTK 2, Tk and Xaw have no elements: ${pixels}.`;

/** What to do about a process that is not on the accessibility bus. */
export function missingTreeHint(pid: number): string {
  return hintFor(mapsOf(pid));
}

/** The same, from the list of files it has in memory. */
export const hintFor = (maps: string): string => toolkits.find((toolkit) => toolkit.maps.test(maps))?.hint ?? unknown;

// Its toolkit puts it on the bus without being asked to.
const registersItself = /\/lib(atk-bridge-2\.0|gtk-4)\.so[^/]*$/m;
// GTK 4 shows its window before it is on the bus; on a busy machine seconds may pass between the two.
const longestStartMs = 10_000;

/** Whether a process that is not on the accessibility bus will soon be there. */
export function isStarting(pid: number): boolean {
  return (ageMsOf(pid) ?? Number.POSITIVE_INFINITY) < longestStartMs && registersItself.test(mapsOf(pid));
}

function mapsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, "utf8");
  } catch {
    // Another person's process, or gone.
    return "";
  }
}
