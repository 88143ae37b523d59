import type { AppCommands, CallOptions, Commands, ElementOwner } from "../../platform/backend.ts";
import { noSuchWindow } from "../choose-window.ts";
import { blockedTitle, type BlockedWindows } from "./blocked.ts";

// An action reads the state of its command several times.
const maxAgeMs = 150;

/** Commands of windows that are not blocked, run only where input may go. */
export function guardCommands(commands: Commands, windows: BlockedWindows): Commands {
  const needOpenOwner = async ({ windowId }: ElementOwner, { signal }: CallOptions): Promise<void> => {
    const blocked = await windows.blocked({ signal, maxAgeMs });
    if (blocked.some(({ id }) => id === windowId)) throw noSuchWindow(windowId ?? 0);
  };
  /** A dialog whose window is not known may be any of its app. */
  const withoutBlocked = async (
    modal: NonNullable<AppCommands["modal"]>,
    { pid }: ElementOwner,
    { signal }: CallOptions,
  ): Promise<Pick<AppCommands, "modal">> => {
    const { windowId } = modal;
    const isBlocked = (await windows.blocked({ signal, maxAgeMs })).some((each) =>
      windowId === undefined ? each.pid === pid : each.id === windowId,
    );
    return { modal: isBlocked ? { ...modal, title: blockedTitle } : modal };
  };
  return {
    async list(owner, options = {}) {
      await needOpenOwner(owner, options);
      const listed = await commands.list(owner, options);
      return listed.modal ? { ...listed, ...(await withoutBlocked(listed.modal, owner, options)) } : listed;
    },
    async run(owner, id, options = {}) {
      await needOpenOwner(owner, options);
      await windows.needUsableOwner({ id: owner.windowId, pid: owner.pid }, "input", { signal: options.signal });
      return commands.run(owner, id, options);
    },
    async state(owner, id, options = {}) {
      await needOpenOwner(owner, options);
      return commands.state(owner, id, options);
    },
  };
}
