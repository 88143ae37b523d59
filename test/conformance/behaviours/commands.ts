import { expect } from "vitest";
import type { AppCommand, Commands, ElementOwner } from "../../../src/platform/backend.ts";
import { need, type MenuApp, type Stage } from "../stage.ts";
import { codeOf, expectCancelled, until, untilTrue, type Behaviours } from "./shared.ts";

const commandsOf = ({ backend }: Stage): Commands => need(backend.commands, "commands");

interface Opened {
  readonly commands: Commands;
  readonly app: MenuApp;
  readonly owner: ElementOwner;
  readonly save: AppCommand;
}

async function withMenus(stage: Stage, use: (opened: Opened) => Promise<void>): Promise<void> {
  const commands = commandsOf(stage);
  await using app = need(await stage.openMenus?.(), "app with menus");
  const windows = need(stage.backend.windows, "windows");
  const window = await until("its window", async () => (await windows.list()).find(({ pid }) => pid === app.pid));
  const owner = { pid: app.pid, windowId: window.id };
  const listed = async () => (await commands.list(owner)).commands.find(({ path }) => path.join("/") === "File/Save");
  await use({ commands, app, owner, save: await until("File > Save is listed", listed) });
}

export const commands: Behaviours<"commands"> = {
  menus: (stage) =>
    withMenus(stage, async ({ save }) => {
      expect(save).toMatchObject({ isEnabled: true, source: "menu" });
    }),
  run: (stage) =>
    withMenus(stage, async ({ commands: own, app, owner, save }) => {
      expect(save.isNative).toBe(true);
      await own.run(owner, save.id);
      await untilTrue("the app saves", () => app.chosen().length > 0);
      expect(app.chosen()).toEqual(["Save"]);
    }),
  state: (stage) =>
    withMenus(stage, async ({ commands: own, owner, save }) => {
      expect(await own.state(owner, save.id)).toMatchObject({ isEnabled: true });
    }),
  gone: (stage) =>
    withMenus(stage, async ({ commands: own, owner }) => {
      expect(await codeOf(own.run(owner, "menu:File > Nothing"))).toBe("uid_not_found");
    }),
  async cancelled(stage) {
    await expectCancelled((signal) => commandsOf(stage).list({ pid: stage.app.pid }, { signal }));
  },
};
