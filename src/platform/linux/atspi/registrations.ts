import type { Bus } from "../dbus/bus.ts";

export const registry = "org.a11y.atspi.Registry";

interface Registration {
  readonly made: Promise<void>;
  /** Whoever needs it only for a while. */
  holders: number;
  /** Kept until the connection ends. */
  isLasting: boolean;
}

const registered = new WeakMap<Bus, Map<string, Registration>>();

/**
 * Makes programs send an event, for as long as the connection lasts: the registry notifies every program of each
 * change, and an action that registers and deregisters a dozen events would keep all of them busy.
 */
export function registerEvent(bus: Bus, event: string): Promise<void> {
  const registration = register(bus, event);
  registration.isLasting = true;
  return registration.made;
}

/** Makes programs send an event until the returned function is called by everybody who asked for it this way. */
export async function holdEvent(bus: Bus, event: string): Promise<() => Promise<void>> {
  const registration = register(bus, event);
  registration.holders++;
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    registration.holders--;
    if (registration.holders > 0 || registration.isLasting) return;
    const events = registered.get(bus);
    if (events?.get(event) === registration) events.delete(event);
    await askRegistry(bus, "DeregisterEvent", event);
  };
  try {
    await registration.made;
    return release;
  } catch (error) {
    isHeld = false;
    throw error;
  }
}

function register(bus: Bus, event: string): Registration {
  const events = registered.get(bus) ?? new Map<string, Registration>();
  registered.set(bus, events);
  const known = events.get(event);
  if (known) return known;
  const registration: Registration = {
    made: askRegistry(bus, "RegisterEvent", event).catch((error: unknown) => {
      events.delete(event);
      throw error;
    }),
    holders: 0,
    isLasting: false,
  };
  events.set(event, registration);
  return registration;
}

async function askRegistry(bus: Bus, member: "RegisterEvent" | "DeregisterEvent", event: string): Promise<void> {
  const method = { destination: registry, path: "/org/a11y/atspi/registry", interface: registry, member };
  // The first call starts the registry, which takes longer than a normal answer.
  await bus.call(method, "s", [event], { canStart: true, timeoutMs: 5000 });
}
