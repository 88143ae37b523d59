import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import type { Forward } from "../devices.ts";
import { explained, type Connection } from "./connection.ts";
import { readText } from "./server.ts";
import { AdbFailure } from "./failure.ts";

/** Sockets on which browsers and web views of the device listen for debuggers. */
export function readBrowserSockets(text: string): readonly string[] {
  const names = [...text.matchAll(/@([\w.]*devtools_remote(?:_\d+)?)\s*$/gm)].flatMap(([, name]) => name ?? []);
  return [...new Set(names)].toSorted(
    (a, b) => Number(b === "chrome_devtools_remote") - Number(a === "chrome_devtools_remote"),
  );
}

export async function forwardBrowser(
  connection: Connection,
  wanted: string | undefined,
  { signal }: CallOptions,
): Promise<Forward> {
  const { server, serial } = connection;
  const sockets = readBrowserSockets(await connection.read("cat /proc/net/unix | grep devtools_remote", { signal }));
  const socket = wanted ?? sockets[0];
  if (socket === undefined || (wanted !== undefined && !sockets.includes(wanted))) {
    throw new ToolError(
      "not_found",
      `${wanted ?? "No browser"} ${wanted === undefined ? "listens" : "does not listen"} for debuggers on ${serial}.`,
      {
        hint: "Open Chrome on the device (android_launch_app com.android.chrome) and try again.",
        ...(sockets.length > 0 ? { candidates: sockets } : {}),
      },
    );
  }
  const port = await openPort();
  return { port, release: closePort };

  async function closePort(): Promise<void> {
    try {
      using link = await server.open(`host-serial:${serial}:killforward:tcp:${port}`, undefined);
      await link.exactly(4);
    } catch (error) {
      // If the device is gone, so are its forwards.
      if (!(error instanceof AdbFailure)) throw error;
    }
  }

  async function openPort(): Promise<number> {
    try {
      using link = await server.open(`host-serial:${serial}:forward:tcp:0;localabstract:${socket}`, signal);
      // One OKAY for the request, one for the opened port, then its number.
      const second = (await link.exactly(4)).toString("latin1");
      if (second !== "OKAY")
        throw new AdbFailure(second === "FAIL" ? await readText(link) : `protocol fault: ${second}`);
      return Number(await readText(link));
    } catch (error) {
      throw explained(error, serial);
    }
  }
}
