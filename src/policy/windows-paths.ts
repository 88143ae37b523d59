import { ToolError } from "../base/errors.ts";

/** Names that open a device in every folder, whatever follows the first dot. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])$/i;

/**
 * Refuses what Windows opens under another name than it is written: device paths, which nothing resolves, streams beside a file,
 * devices, paths of a drive's current folder, and dots and spaces that it cuts off.
 */
export function needPlainPath(path: string): void {
  const why = whyNotPlain(path);
  if (why === undefined) return;
  throw new ToolError("denied", `"${path}" is not a plain path: ${why}.`, {
    hint: "Use a path such as C:\\folder\\file.png below one of the allowed folders.",
  });
}

function whyNotPlain(path: string): string | undefined {
  if (/^[/\\]{2}[?.]([/\\]|$)/.test(path) || /^[/\\]\?\?[/\\]/.test(path)) return "it names a device";
  const drive = /^[a-z]:/i.exec(path)?.[0] ?? "";
  if (drive !== "" && !/^[/\\]/.test(path.slice(2))) return "it depends on the current folder of a drive";
  for (const step of path.slice(drive.length).split(/[/\\]/)) {
    if (step === "." || step === "..") continue;
    if (step.includes(":")) return "it names a stream beside a file";
    if (/[ .]$/.test(step)) return "Windows cuts off dots and spaces at the end of a name";
    if (/[<>"|?*]/.test(step)) return "it has a character that no file name has";
    if (device.test((step.split(".")[0] ?? "").trimEnd())) return "it names a device";
  }
  return undefined;
}
