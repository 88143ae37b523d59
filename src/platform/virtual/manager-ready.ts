import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Connection } from "../linux/x11/connection.ts";
import { eventMask } from "../linux/x11/events.ts";
import {
  clientMessage,
  createWindow,
  destroyWindow,
  getProperty,
  mapWindow,
  sendEvent,
  toNumbers,
} from "../linux/x11/requests.ts";

const patienceMs = 10_000;

/**
 * Resolves when the window manager really manages windows. openbox announces itself about 100 ms earlier, and may
 * leave a window that is mapped in between without a frame until some other event wakes it up.
 */
export async function awaitManager(connection: Connection, signal: AbortSignal): Promise<void> {
  const atoms = await connection.atoms("WM_STATE", "_NET_CLIENT_LIST", "_NET_REQUEST_FRAME_EXTENTS");
  const probe = createWindow(connection, { x: 0, y: 0, width: 20, height: 20 });
  const poke = clientMessage(probe, atoms._NET_REQUEST_FRAME_EXTENTS, []);
  const mask = eventMask.substructureNotify | eventMask.substructureRedirect;
  const managed = async () => {
    mapWindow(connection, probe);
    await sendEvent(connection, poke, { to: connection.root, mask });
    return getProperty(connection, probe, atoms.WM_STATE);
  };
  const forgotten = async () => {
    const list = await getProperty(connection, connection.root, atoms._NET_CLIENT_LIST);
    return toNumbers(list).includes(probe) ? undefined : true;
  };
  const waiting = { timeoutMs: patienceMs, everyMs: 10, signal };
  if (!(await poll(managed, waiting))) {
    throw new ToolError("timeout", "The window manager has started but does not manage windows.");
  }
  destroyWindow(connection, probe);
  await poll(forgotten, waiting);
}
