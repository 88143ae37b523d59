import { ToolError } from "../../../base/errors.ts";
import type { XDisplay } from "../display.ts";
import type { Bus } from "../dbus/bus.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { openBus } from "../dbus/open.ts";
import { getProperty } from "../x11/requests.ts";

/**
 * Finds and opens the accessibility bus: by AT_SPI_BUS_ADDRESS, by the AT_SPI_BUS property of the X root window, or
 * by asking the session bus, which starts it if necessary.
 */
export async function openAccessibilityBus(env: NodeJS.ProcessEnv, display: XDisplay): Promise<Bus> {
  const failures: string[] = [];
  const ways = [
    async () => env["AT_SPI_BUS_ADDRESS"],
    () => readRootProperty(display),
    () => askSessionBus(env["DBUS_SESSION_BUS_ADDRESS"], env),
  ];
  for (const findAddress of ways) {
    try {
      const address = await findAddress();
      if (address) return await openBus(address, { env });
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new ToolError("not_connected", `There is no accessibility bus. ${failures.join(" ")}`.trim(), {
    hint: "Install at-spi2-core and run inside a session with D-Bus, or use --desktop virtual, which brings its own.",
  });
}

async function readRootProperty(display: XDisplay): Promise<string | undefined> {
  const c = await display.connect();
  const property = await getProperty(c, c.root, await c.atom("AT_SPI_BUS"));
  return property?.value.toString("utf8").replace(/\0+$/, "");
}

const launcher = { destination: "org.a11y.Bus", path: "/org/a11y/bus" } as const;

async function askSessionBus(address: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!address) return undefined;
  const session = await openBus(address, { env });
  try {
    const options: BusCallOptions = { canStart: true, timeoutMs: 5000 };
    const method = { ...launcher, interface: "org.a11y.Bus", member: "GetAddress" };
    return (await session.call<[string]>(method, "", [], options))[0];
  } finally {
    session.close();
  }
}
