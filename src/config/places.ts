import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Places } from "./options.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The XDG folders; on Windows, which sets none of them, the two AppData folders. */
export function findPlaces(env: Environment): Places {
  // The XDG specification: a relative path is invalid and must be ignored.
  const folder = (...names: string[]) => names.map((name) => env[name]).find((value) => value && isAbsolute(value));
  return {
    config: folder("XDG_CONFIG_HOME", "APPDATA") ?? join(home(env), ".config"),
    state: folder("XDG_STATE_HOME", "LOCALAPPDATA") ?? join(home(env), ".local", "state"),
  };
}

const home = (env: Environment): string => env["HOME"] ?? env["USERPROFILE"] ?? homedir();
