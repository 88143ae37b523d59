import type { Rect } from "../../base/geometry.ts";
import type { WindowChange, Windows } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

export function windowsOf(desktop: FakeDesktop): Windows {
  const beforeMaximized = new Map<number, Rect>();
  let seen = "";
  let count = 0;
  return {
    async list({ signal } = {}) {
      await desktop.enter("list", signal);
      return desktop.windows.map(({ id }) => desktop.need(id));
    },
    async get(id, { signal } = {}) {
      await desktop.enter("get", signal);
      return desktop.find(id);
    },
    async active() {
      return desktop.activeWindow;
    },
    async change(id, change, { signal } = {}) {
      await desktop.enter(`window ${change.to}`, signal);
      desktop.need(id);
      desktop.events.push(`window ${change.to} ${id}`);
      apply(desktop, id, change, beforeMaximized);
    },
    async drained(id) {
      return !desktop.frozen.has(desktop.find(id)?.pid ?? 0);
    },
    async changes() {
      const now = JSON.stringify(desktop.windows);
      if (now !== seen) count += 1;
      seen = now;
      return count;
    },
  };
}

function apply(desktop: FakeDesktop, id: number, change: WindowChange, beforeMaximized: Map<number, Rect>): void {
  const { bounds } = desktop.need(id);
  switch (change.to) {
    case "focus":
    case "front":
      desktop.update(id, { isMinimized: false, isVisible: true });
      return desktop.activate(id);
    case "restore":
      desktop.update(id, {
        isMinimized: false,
        isMaximized: false,
        isVisible: true,
        bounds: beforeMaximized.get(id) ?? bounds,
      });
      beforeMaximized.delete(id);
      return desktop.activate(id);
    case "back":
      desktop.windows = [...desktop.windows.filter((window) => window.id !== id), desktop.need(id)];
      return;
    case "minimize":
      desktop.update(id, { isMinimized: true, isVisible: false });
      return desktop.activateTop();
    case "maximize":
      beforeMaximized.set(id, bounds);
      return desktop.update(id, { isMaximized: true, bounds: desktop.bounds });
    case "close":
      return desktop.close(id);
    case "move":
      return desktop.update(id, { bounds: { ...bounds, x: change.x, y: change.y } });
    case "resize":
      return desktop.update(id, { bounds: { ...bounds, width: change.width, height: change.height } });
  }
}
