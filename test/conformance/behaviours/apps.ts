import { expect } from "vitest";
import type { Apps } from "../../../src/platform/backend.ts";
import { need, type Stage } from "../stage.ts";
import { codeOf, expectTimeout, ownWindow, untilTrue, type Behaviours } from "./shared.ts";

const appsOf = ({ backend }: Stage): Apps => need(backend.apps, "apps");

const launchable = (stage: Stage) => need(stage.launchable, "app to launch");

export const apps: Behaviours<"apps"> = {
  async running(stage) {
    const { id } = await ownWindow(stage);
    const own = (await appsOf(stage).running()).find(({ pid }) => pid === stage.app.pid);
    expect(own?.windowIds).toContain(id);
    expect(own?.name).not.toBe("");
  },
  async installed(stage) {
    const installed = await appsOf(stage).installed();
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.every(({ id, name, executable }) => id !== "" && name !== "" && executable !== "")).toBe(true);
    expect(new Set(installed.map(({ id }) => id)).size).toBe(installed.length);
  },
  async resolve(stage) {
    const target = appsOf(stage);
    const { id, unknown: missing } = launchable(stage);
    const [found, none] = await need(target.resolve?.([id, missing]), "way to tell");
    expect(found?.executable).toBeTruthy();
    expect(found?.names).toContain(id);
    expect(none).toBeUndefined();
  },
  async launch(stage) {
    const app = launchable(stage);
    const { pid } = await appsOf(stage).launch(app.id, app.args);
    try {
      await untilTrue("it is running", () => app.isRunning(pid));
    } finally {
      await codeOf(appsOf(stage).quit(pid, { force: true }));
    }
  },
  async unknown(stage) {
    expect(await codeOf(appsOf(stage).launch(launchable(stage).unknown, []))).toBe("not_found");
  },
  async quit(stage) {
    await using other = await need(stage.openOther?.(), "other app");
    await appsOf(stage).quit(other.pid);
    expect(await other.isOpen()).toBe(false);
    expect((await appsOf(stage).running()).map(({ pid }) => pid)).not.toContain(other.pid);
  },
  async force(stage) {
    await using other = await need(stage.openOther?.(), "other app");
    await using _frozen = await need(other.freeze?.(), "way to freeze it");
    await appsOf(stage).quit(other.pid, { force: true });
    expect(await other.isOpen()).toBe(false);
  },
  async timeout(stage) {
    await using other = await need(stage.openOther?.(), "other app");
    await using _frozen = await need(other.freeze?.(), "way to freeze it");
    await expectTimeout((timeoutMs) => appsOf(stage).quit(other.pid, { timeoutMs }));
    expect(await other.isOpen()).toBe(true);
  },
  async notRunning(stage) {
    expect(await codeOf(appsOf(stage).quit(3_999_999))).toBe("process_not_running");
  },
};
