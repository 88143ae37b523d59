import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { WindowInfo, Windows } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import { noWindow, pagePid, pageWindowId, viewportId } from "./identity.ts";
import { viewport } from "./screen.ts";

const dialogWindowId = 2;

export function windowsOf(page: AttachedPage): Windows {
  let view: Rect = { x: 0, y: 0, width: 0, height: 0 };
  const list = async (signal: AbortSignal | undefined): Promise<readonly WindowInfo[]> => {
    try {
      view = await viewport(page, signal);
    } catch (error) {
      // The page is still there, where it was.
      if (!page.dialog) throw error;
    }
    // A document that was opened by an earlier session may not report its title to this one.
    if (!page.title.isKnown && !page.dialog) await askTitle(page, signal);
    const { dialog } = page;
    const { title, url } = page.target.info();
    const main = { ...windowOf(pageWindowId, title, view), address: url };
    if (!dialog) return [main];
    const words = `${dialog.type}: ${dialog.message.slice(0, 200)}`;
    return [
      { ...windowOf(dialogWindowId, words, view), kind: "dialog", isMaximized: false, owners: [pageWindowId] },
      { ...main, isForeground: false },
    ];
  };
  return {
    list: async ({ signal } = {}) => list(signal),
    get: async (id, { signal } = {}) => (await list(signal)).find((each) => each.id === id),
    active: async () => (page.dialog ? dialogWindowId : pageWindowId),
    async change(id, { to }, { signal } = {}) {
      throwIfCancelled(signal);
      if (id !== pageWindowId && !(page.dialog && id === dialogWindowId)) throw noWindow(id);
      if (to === "focus" || to === "front") {
        await page.session.attempt("Page.bringToFront", undefined);
        return;
      }
      throw new ToolError("not_supported", `A page cannot be changed with "${to}".`, {
        hint: "Use cdp_close_page, or set_window on the desktop for the browser's window.",
      });
    },
  };
}

async function askTitle({ wire, target }: AttachedPage, signal: AbortSignal | undefined): Promise<void> {
  const now = await wire.root.attempt("Target.getTargetInfo", { targetId: target.targetId }, { signal });
  if (now) target.see(now.targetInfo);
}

const windowOf = (id: number, title: string, bounds: Rect): WindowInfo => ({
  id,
  title,
  appName: "page",
  className: "",
  pid: pagePid,
  processName: "",
  kind: "normal",
  bounds,
  isVisible: true,
  isMinimized: false,
  isMaximized: true,
  isFullscreen: false,
  isForeground: true,
  canMinimize: false,
  canMaximize: false,
  displayId: viewportId,
});
