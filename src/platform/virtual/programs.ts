import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { ToolError } from "../../base/errors.ts";

/** Absolute paths of the programs that a desktop consists of. */
export interface Programs {
  readonly xvfb: string;
  readonly dbusDaemon: string;
  readonly atSpiLauncher: string;
  readonly openbox: string | undefined;
  /** Ends a child when its parent dies, even by SIGKILL. Without it only an orderly end is covered. */
  readonly setpriv: string | undefined;
}

// Debian and Ubuntu names. `dbus`, not `dbus-daemon`: Ubuntu 22.04 has no such package, and elsewhere `dbus` pulls it
// in.
const packages = { Xvfb: "xvfb", "dbus-daemon": "dbus", "at-spi-bus-launcher": "at-spi2-core", openbox: "openbox" };

/** Where distributions install it; it is never on PATH. */
const launcherPlaces = [
  "/usr/libexec",
  "/usr/lib/at-spi2-core",
  "/usr/lib/at-spi2",
  "/usr/libexec/at-spi2",
  "/usr/lib",
];

/** Finds every program, or fails naming all that are missing. */
export function needPrograms(env: NodeJS.ProcessEnv, windowManager: "openbox" | "none" = "openbox"): Programs {
  const missing: (keyof typeof packages)[] = [];
  const need = (name: keyof typeof packages, path: string | undefined): string => {
    if (path === undefined) missing.push(name);
    return path ?? "";
  };
  const programs: Programs = {
    xvfb: need("Xvfb", findProgram("Xvfb", env)),
    dbusDaemon: need("dbus-daemon", findProgram("dbus-daemon", env)),
    atSpiLauncher: need("at-spi-bus-launcher", findLauncher(env)),
    openbox: windowManager === "none" ? undefined : need("openbox", findProgram("openbox", env)),
    setpriv: findSetpriv(env),
  };
  if (missing.length > 0) throw missingPrograms(missing);
  return programs;
}

function missingPrograms(names: readonly (keyof typeof packages)[]): ToolError {
  const list = names.map((name) => `${name} (package ${packages[name]})`).join(", ");
  const install = `sudo apt-get install ${names.map((name) => packages[name]).join(" ")}`;
  return new ToolError("not_supported", `A virtual desktop needs programs that are not installed: ${list}.`, {
    hint: `Install them, on Debian or Ubuntu with: ${install}`,
  });
}

export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function findLauncher(env: NodeJS.ProcessEnv): string | undefined {
  const places = launcherPlaces.map((folder) => join(folder, "at-spi-bus-launcher"));
  return [...activatedLaunchers(env), ...places].find(isExecutable);
}

/** On systems with other folders, the D-Bus service file names the launcher. */
function activatedLaunchers(env: NodeJS.ProcessEnv): string[] {
  const folders = env["XDG_DATA_DIRS"] || "/usr/local/share:/usr/share";
  return folders.split(":").flatMap((folder) => {
    try {
      const service = readFileSync(join(folder, "dbus-1/services/org.a11y.Bus.service"), "utf8");
      return /^Exec=(\S+)/m.exec(service)?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

function findSetpriv(env: NodeJS.ProcessEnv): string | undefined {
  const path = findProgram("setpriv", env);
  // The one in busybox has no --pdeathsig and would refuse to start anything.
  return path !== undefined && basename(realpathSync(path)) !== "busybox" ? path : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
