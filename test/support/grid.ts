import { onTestFinished } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "./fixture.ts";
import { startHandsight, type Handsight } from "./handsight.ts";
import type { OpenAppOptions } from "./open-app.ts";
import { startBrowser } from "./page-browser.ts";

export type GridKind = "gtk3" | "gtk4" | "qt6" | "chromium";

export interface Control {
  readonly name: string;
  readonly bounds: Rect;
}

/** A private desktop with a window full of buttons that logs where the pointer is, in the toolkit's own words. */
export async function openGrid(kind: GridKind, size: Partial<OpenAppOptions> = {}) {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1, ...size });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const app: Pick<Fixture, "pid" | "events" | "waitFor" | "stop"> =
    kind === "chromium"
      ? await startBrowser("chromium", { env: desktop.env, page: "grid.html", scale: size.scale ?? 1 })
      : await startFixture(`${kind}_grid`, { env: desktop.env });
  onTestFinished(() => app.stop());
  const { window } = await handsight.call("wait_for", { window_title: "Grid" });
  await handsight.call("wait_for", { selector: 'Button:"Control 20"', window_title: "Grid", timeout_ms: 20_000 });
  return { desktop, handsight, app, windowId: (window as { window_id: number }).window_id };
}

/** The buttons of the grid, where they are now. */
export async function controlsOf(handsight: Handsight): Promise<readonly Control[]> {
  const search = { role: "button", window_title: "Grid", max_results: 100 };
  const { elements } = await handsight.call("find_elements", search);
  return (elements as Control[]).filter(({ name }) => name.startsWith("Control"));
}
