import { readFile } from "node:fs/promises";
import { ToolError } from "../../base/errors.ts";
import type { Connection } from "./x11/connection.ts";
import { findClientPid } from "./x11/extensions.ts";

export const onlyX11 = "Only X11 programs can be seen and used here: the desktop itself runs on Wayland.";
export const wayOut =
  'Let handsight start its own desktop with "--desktop virtual", or start the program for X11 (GDK_BACKEND=x11, QT_QPA_PLATFORM=xcb).';

/**
 * Whether the X server shows its windows among those of a Wayland compositor. It then knows nothing of the others, and its
 * own picture of the screen is black.
 */
export function isInWayland(c: Connection, env: NodeJS.ProcessEnv): Promise<boolean> {
  return c.memo("is in Wayland", async () => {
    const server = await findServer(c);
    // Xwayland can also show a whole X desktop in one window; there nothing is hidden from it.
    if (server) return server.name === "Xwayland" && server.words.includes("-rootless");
    if (await c.extension("XWAYLAND")) return true;
    return c.isLocal && (Boolean(env["WAYLAND_DISPLAY"]) || env["XDG_SESSION_TYPE"] === "wayland");
  });
}

/** The X server's own process, which made the root window. */
async function findServer(
  c: Connection,
): Promise<{ readonly name: string; readonly words: readonly string[] } | undefined> {
  const pid = c.isLocal ? await findClientPid(c, c.root).catch(() => undefined) : undefined;
  if (pid === undefined) return undefined;
  const [name, line] = await Promise.all(
    ["comm", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
  );
  return name && line ? { name: name.trimEnd(), words: line.split("\0") } : undefined;
}

/** Refuses what needs the whole screen: it would be black, or hit a window that is not known. */
export function needX11Screen(isPartial: boolean, what: string): void {
  if (!isPartial) return;
  throw new ToolError("not_supported", `${what} ${onlyX11}`, {
    hint: `Name an X11 window (window_id) or an element in one. ${wayOut}`,
  });
}
