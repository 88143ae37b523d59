import { basename } from "node:path";
import type { RunningApp } from "../platform/backend.ts";
import type { Surface } from "./surface.ts";

/** The running apps with windows that are called so, by their own name or that of their program, or run as this process. */
export async function findRunning(
  surface: Surface,
  { name, pid }: { readonly name?: string | undefined; readonly pid?: number | undefined },
  signal: AbortSignal,
): Promise<readonly RunningApp[]> {
  const running = await surface.need("apps").running({ signal });
  if (name === undefined) return running.filter((app) => app.pid === pid);
  const wanted = basename(name).toLowerCase();
  return running.filter((app) => [app.name, basename(app.executable)].some((own) => own.toLowerCase() === wanted));
}
