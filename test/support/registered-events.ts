import { openBus } from "../../src/platform/linux/dbus/open.ts";
import { busAddressOf } from "./watch-bus.ts";

/** What the programs on the accessibility bus have asked all apps to report, by bus name, as the registry tells anybody. */
export async function registeredEvents(env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, readonly string[]>> {
  const bus = await openBus(await busAddressOf(env), { env });
  try {
    const [all] = await bus.call<[readonly (readonly [string, string])[]]>(
      {
        destination: "org.a11y.atspi.Registry",
        path: "/org/a11y/atspi/registry",
        interface: "org.a11y.atspi.Registry",
        member: "GetRegisteredEvents",
      },
      "",
      [],
      { canStart: true },
    );
    const events = new Map<string, string[]>();
    for (const [name, event] of all) events.set(name, [...(events.get(name) ?? []), event].sort());
    return events;
  } finally {
    bus.close();
  }
}
