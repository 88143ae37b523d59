import { basename } from "node:path";
import type { RunningApp } from "../platform/backend.ts";
import type { Surface } from "./surface.ts";

/**
 * The running apps with windows that are called so, by their own name, that of their program or the one they were launched
 * by, or run as this process or were started as it.
 */
export async function findRunning(
  surface: Surface,
  { name, pid }: { readonly name?: string | undefined; readonly pid?: number | undefined },
  signal: AbortSignal,
): Promise<readonly RunningApp[]> {
  const running = await surface.need("apps").running({ signal });
  if (name === undefined) {
    const own = running.filter((app) => app.pid === pid);
    return own.length > 0 ? own : running.filter((app) => pid !== undefined && app.launchedBy?.includes(pid));
  }
  const wanted = basename(name).toLowerCase();
  return running.filter((app) =>
    [app.name, basename(app.executable), ...(app.launchedAs ?? [])].some((own) => own.toLowerCase() === wanted),
  );
}
