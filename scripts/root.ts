import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The repository, whether this runs as source or compiled into .build/. */
export function findRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, "package.json"))) return from;
  const above = dirname(from);
  if (above === from) throw new Error("no package.json above the scripts");
  return findRoot(above);
}
