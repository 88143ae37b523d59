import { ToolError } from "../../../base/errors.ts";
import { look, timeoutMs, type WindowRequest } from "./request.ts";
import { until } from "./until.ts";
import { askWindowManager, fromPager } from "./manager.ts";
import { isGone } from "../x11/errors.ts";
import { clientMessage, getProperty, sendEvent, toNumbers } from "../x11/requests.ts";
import { serverTime } from "../x11/watch.ts";

/** Asks the app to close the window and waits until it is gone. */
export async function close(request: WindowRequest): Promise<void> {
  const { c, id, signal } = request;
  await requestClose(request);
  const isClosed = async () => (await look(c, id, { signal })) === undefined;
  try {
    if (await until(c, id, isClosed, { timeoutMs, signal })) return;
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  throw new ToolError("timeout", `Window ${id} was asked to close and is still open after ${timeoutMs} ms.`, {
    hint: "The app may be showing a dialog (unsaved work?): look at its windows, answer it, or quit the app by force.",
  });
}

async function requestClose({ c, id, manager, signal }: WindowRequest): Promise<void> {
  const time = await serverTime(c, { signal });
  const message = "_NET_CLOSE_WINDOW";
  if (manager?.supported.has(await c.atom(message))) {
    return askWindowManager(c, id, message, [time, fromPager], { signal });
  }
  const atoms = await c.atoms("WM_PROTOCOLS", "WM_DELETE_WINDOW");
  const protocols = toNumbers(await getProperty(c, id, atoms.WM_PROTOCOLS, { signal }));
  if (!protocols.includes(atoms.WM_DELETE_WINDOW)) {
    throw new ToolError("not_supported", `Window ${id} belongs to an app that cannot be asked to close it.`, {
      hint: "Quit the app instead.",
    });
  }
  await sendEvent(c, clientMessage(id, atoms.WM_PROTOCOLS, [atoms.WM_DELETE_WINDOW, time]), { to: id, signal });
}
