import { dumpActive, dumpWindows } from "../screen/hierarchy.ts";
import { lines, type Command, type Device } from "./command.ts";

const rgba8888 = 1;
const sRgb = 1;

// frameworks/base/cmds/screencap/screencap.cpp
export const screencap: Command = async (args, { panels }) => {
  let isPng = false;
  let display: string | undefined;
  const names: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "-p") isPng = true;
    else if (arg === "-d") display = args[++index];
    else if (arg.startsWith("-")) return { stderr: screencapUsage, code: 1 };
    else names.push(arg);
  }
  const panel = panels.find(({ physical }) => display === undefined || physical === display);
  if (!panel) return { stderr: lines(`Display Id '${display}' is not valid.`), code: 1 };
  const { phone, painter } = panel;
  const [path] = names;
  const { width, height } = phone.size;
  const header = Buffer.alloc(16);
  for (const [index, word] of [width, height, rgba8888, sRgb].entries()) header.writeUInt32LE(word, index * 4);
  const bytes =
    isPng || path?.endsWith(".png") === true ? await painter.png() : Buffer.concat([header, await painter.raw()]);
  const isDoubtful = phone.warnsAboutDisplays || panels.length > 1;
  const stderr = isDoubtful && display === undefined ? displayWarning : undefined;
  return path === undefined ? { stdout: bytes, stderr } : { file: { path, bytes }, stderr };
};

const screencapUsage = lines(
  "usage: screencap [-hp] [-d display-id] [FILENAME]",
  "   -h: this message",
  "   -p: save the file as a png.",
  "   -d: specify the physical display ID to capture",
  '       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.',
  "If FILENAME ends with .png it will be saved as a png.",
  "If FILENAME is not given, the results will be printed to stdout.",
);

const displayWarning = lines(
  "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, " +
    "however this default is not guaranteed to be consistent across captures. A display id should be specified.",
  'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.',
);

export const surfaceFlinger = (args: readonly string[], { panels }: Device): string =>
  args.includes("--display-id")
    ? lines(
        ...panels.map(
          ({ physical, name }, id) =>
            `Display ${physical} (HWC display ${id}): port=${id} pnpId=GGL displayName="${name}"`,
        ),
      )
    : "";

// frameworks/base/cmds/uiautomator/cmds/uiautomator/src/com/android/commands/uiautomator/DumpCommand.java
export const uiautomator: Command = async (args, { phone, panels }) => {
  if (args[0] !== "dump") return { stderr: uiautomatorUsage, code: 1 };
  const options = args.slice(1).filter((arg) => arg.startsWith("--"));
  const path = args.slice(1).find((arg) => !arg.startsWith("--")) ?? "/sdcard/window_dump.xml";
  const isCompressed = options.includes("--compressed");
  if (!(await phone.waitForIdle(isCompressed))) return { stderr: lines("ERROR: could not get idle state.") };
  const xml = options.includes("--windows")
    ? dumpWindows(
        panels.map((panel) => panel.phone),
        isCompressed,
      )
    : dumpActive(phone, isCompressed);
  if (xml === undefined) return { stderr: lines("ERROR: null root node returned by UiTestAutomationBridge.") };
  // A file that cannot be opened is only logged; the success text is printed anyway.
  return { file: { path, bytes: Buffer.from(xml) }, stdout: lines(`UI hierchary dumped to: ${path}`) };
};

const uiautomatorUsage = lines(
  "Usage: uiautomator <subcommand> [options]",
  "",
  "Available subcommands:",
  "",
  "help: displays help message",
  "",
  "dump: creates an XML dump of current UI hierarchy",
  "    dump [--verbose][file]",
  "      [--compressed]: dumps compressed layout information.",
  "      [--windows]: dumps all windows of all displays.",
  "      [file]: the location where the dumped XML should be stored, default is",
  "      /sdcard/window_dump.xml",
);
