import { onTestFinished } from "vitest";
import { openVirtualDesktop, type VirtualDesktopOptions } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "./fixture.ts";
import { startHandsight } from "./handsight.ts";

export interface OpenAppOptions extends Partial<VirtualDesktopOptions> {
  /** Additional flags of the server. */
  readonly args?: readonly string[];
  /** Arguments of the app. */
  readonly app?: readonly string[];
}

/** A private desktop with one fixture app and handsight on it, for the duration of a test. */
export async function openApp(
  fixture: string,
  title: string,
  { args = [], app: appArgs = [], ...size }: OpenAppOptions = {},
) {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1, ...size });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env, args);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const app = await startFixture(fixture, { env: desktop.env, args: appArgs });
  onTestFinished(() => app.stop());
  const { window } = await handsight.call("wait_for", { window_title: title });
  return { desktop, handsight, app, windowId: (window as { window_id: number }).window_id };
}
