import { hostname } from "node:os";

/** Undefined when there is no display. */
export const displayOf = ({ DISPLAY: display }: NodeJS.ProcessEnv): string | undefined =>
  display === undefined ? undefined : displayName(display);

/**
 * The same name for the same display, however DISPLAY spells it: `:0`, `:0.1`, `unix:0`, `localhost:0`,
 * `/tmp/.X11-unix/X0`. The display of another machine keeps its name.
 */
export function displayName(display: string): string {
  const [, socket] = /^(?:unix:)?\/.*\/X(\d+)(?:\.\d+)?$/.exec(display) ?? [];
  if (socket !== undefined) return `:${Number(socket)}`;
  const [, host = "", number] = /^(?:(?:tcp|inet6?|local|unix)\/)?(.*?):(\d+)(?:\.\d+)?$/.exec(display) ?? [];
  if (number === undefined) return display;
  const name = host.toLowerCase().replace(/\/(unix|local)$/, "");
  return isHere(name) ? `:${Number(number)}` : `${name}:${Number(number)}`;
}

const isHere = (host: string): boolean =>
  ["", "unix", "localhost", "127.0.0.1", "::1", "[::1]", hostname().toLowerCase()].includes(host);
