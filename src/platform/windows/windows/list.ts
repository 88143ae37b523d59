import { basename } from "node:path/win32";
import { sameRect } from "../../../base/geometry.ts";
import type { WindowInfo, WindowKind } from "../../backend.ts";
import { listMonitors } from "../capture/monitors.ts";
import { win32, type Handle } from "../win32.ts";
import { frameOf } from "./bounds.ts";
import { processFile } from "../apps/processes.ts";

/** Windows of this class are handsight's own drawings. */
export const overlayClass = "handsight-overlay";

const styles = {
  child: 0x40000000,
  popup: 0x80000000,
  caption: 0x00c00000,
  maximizeBox: 0x10000,
  minimizeBox: 0x20000,
};
const extended = { toolWindow: 0x80, appWindow: 0x40000, noActivate: 0x08000000 };
const styleIndex = -16;
const extendedIndex = -20;
const owner = 4;
const cloaked = 14;

const kinds: Readonly<Record<string, WindowKind>> = {
  "#32770": "dialog",
  "#32768": "menu",
  tooltips_class32: "tooltip",
  Shell_TrayWnd: "dock",
  Shell_SecondaryTrayWnd: "dock",
  Progman: "desktop",
  WorkerW: "desktop",
};
/** Helpers of the input methods, of the shell and of DDE, which nobody sees. */
const helpers =
  /^(IME|MSCTFIME UI|Default IME|CicMarshalWndClass|OleMainThreadWndClass|DDEMLMom|SystemTray_Main|__wine.*)$/;

/** Everything a person would call a window, topmost first, and hidden ones that have a title and a size. */
export function listWindows(): readonly WindowInfo[] {
  const handles: Handle[] = [];
  win32().enumWindows((hwnd) => handles.push(hwnd), 0);
  const front = win32().foreground();
  return handles.map((hwnd) => describeWindow(hwnd, front)).filter((info) => info !== undefined);
}

/** Undefined for what is gone, or is no window to a person. */
export function describeWindow(hwnd: Handle, front = win32().foreground()): WindowInfo | undefined {
  const api = win32();
  if (!api.isWindow(hwnd)) return undefined;
  const className = text(api.classOf, hwnd);
  if (className === overlayClass || helpers.test(className)) return undefined;
  const style = api.style(hwnd, styleIndex) >>> 0;
  const exStyle = api.style(hwnd, extendedIndex) >>> 0;
  if ((style & styles.child) !== 0) return undefined;
  const title = text(api.textOf, hwnd);
  const isVisible = api.isVisible(hwnd) !== 0 && !isCloaked(hwnd);
  const isMinimized = api.isIconic(hwnd) !== 0;
  const bounds = frameOf(hwnd);
  if (bounds === undefined) return undefined;
  const isEmpty = bounds.width === 0 || bounds.height === 0;
  if ((isEmpty && !isMinimized) || (!isVisible && (title === "" || (style & styles.caption) !== styles.caption)))
    return undefined;
  const pid = pidOf(hwnd);
  const ownedBy = api.relative(hwnd, owner);
  const isModal = ownedBy !== 0 && api.isEnabled(ownedBy) === 0;
  const monitors = listMonitors();
  const monitor = api.monitorOf(hwnd, 2);
  const shown = monitors.find(({ handle }) => handle === monitor)?.display;
  const processName = basename(processFile(pid) ?? "");
  return {
    id: hwnd,
    title,
    appName: processName.replace(/\.exe$/i, ""),
    className,
    pid,
    processName,
    kind: kindOf({ className, style, exStyle, isOwned: ownedBy !== 0, isModal }),
    bounds,
    isVisible: isVisible && !isMinimized,
    isMinimized,
    isMaximized: api.isZoomed(hwnd) !== 0,
    isFullscreen:
      !isMinimized &&
      isVisible &&
      (style & styles.caption) !== styles.caption &&
      shown !== undefined &&
      sameRect(bounds, shown.bounds) &&
      kinds[className] !== "desktop",
    isForeground: hwnd === front,
    ...(isModal ? { isModal } : {}),
    canMinimize: (style & styles.minimizeBox) !== 0,
    canMaximize: (style & styles.maximizeBox) !== 0,
    displayId: isMinimized ? undefined : shown?.id,
    ...(ownedBy === 0 ? {} : { owners: [ownedBy] }),
  };
}

interface Traits {
  readonly className: string;
  readonly style: number;
  readonly exStyle: number;
  readonly isOwned: boolean;
  readonly isModal: boolean;
}

function kindOf({ className, style, exStyle, isOwned, isModal }: Traits): WindowKind {
  const known = kinds[className];
  if (known) return known;
  if (isModal) return "dialog";
  const hasCaption = (style & styles.caption) === styles.caption;
  if ((exStyle & extended.toolWindow) !== 0) return hasCaption ? "utility" : "menu";
  if (isOwned && hasCaption) return "dialog";
  if (isOwned && (style & styles.popup) !== 0) return "menu";
  return "normal";
}

export function pidOf(hwnd: Handle): number {
  const out = Buffer.alloc(4);
  win32().threadOf(hwnd, out);
  return out.readUInt32LE();
}

/** On another virtual desktop, or a packaged app that was suspended. */
function isCloaked(hwnd: Handle): boolean {
  const out = Buffer.alloc(4);
  return win32().frameOf(hwnd, cloaked, out, 4) === 0 && out.readUInt32LE() !== 0;
}

function text(read: (...args: unknown[]) => number, hwnd: Handle): string {
  const out = Buffer.alloc(1024);
  const length = read(hwnd, out, out.length / 2);
  return out.toString("utf16le", 0, length * 2);
}
