import { existsSync, readFileSync } from "node:fs";

/** From package.json, which is above this file whether it runs from src, dist or a build folder. */
export const version: string = readVersion(new URL("./package.json", import.meta.url));

function readVersion(candidate: URL): string {
  if (existsSync(candidate)) return (JSON.parse(readFileSync(candidate, "utf8")) as { version: string }).version;
  const above = new URL("../package.json", candidate);
  return above.href === candidate.href ? "0.0.0" : readVersion(above);
}
