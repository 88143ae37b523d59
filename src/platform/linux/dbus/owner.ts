import type { Bus } from "./bus.ts";
import { DBusError } from "./errors.ts";
import type { BusCallOptions } from "./method.ts";

/**
 * Tracks who owns a name on the bus: `hear` gets the unique name of the owner, or "" when there is none, now and
 * after every change. The returned function stops it.
 */
export async function watchOwner(
  bus: Bus,
  name: string,
  hear: (owner: string) => void,
  options: BusCallOptions = {},
): Promise<() => void> {
  let hasHeard = false;
  const stop = await bus.on(
    {
      sender: "org.freedesktop.DBus",
      interface: "org.freedesktop.DBus",
      member: "NameOwnerChanged",
      arg0: name,
    },
    ({ body }) => {
      hasHeard = true;
      const owner = body[2];
      if (typeof owner === "string") hear(owner);
    },
    options,
  );
  try {
    const owner = await findOwner(bus, name, options);
    // A change that arrived before the answer is newer.
    if (!hasHeard) hear(owner);
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}

/** The unique name of the owner, or "". */
export async function findOwner(bus: Bus, name: string, options: BusCallOptions = {}): Promise<string> {
  try {
    return (await bus.callDaemon<[string]>("GetNameOwner", "s", [name], options))[0];
  } catch (error) {
    if (error instanceof DBusError && error.isGone) return "";
    throw error;
  }
}
