// @ts-check

const asWords = (/** @type {string} */ text) => text.split(" ");

/**
 * The command line that runs a program inside the root of Wine, where `/prefix` is the Windows, `/handsight` the checkout with
 * the node modules for Windows, and `/tmp` the machine's own, with its X servers.
 * @param {{ root: string, prefix: string, checkout?: string, modules?: string }} folders
 * @param {readonly string[]} command
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {[string, ...string[]]}
 */
export function inWine({ root, prefix, checkout, modules }, command, env = {}) {
  const variables = {
    PATH: "/usr/lib/wine:/usr/bin",
    HOME: "/prefix",
    LANG: "C.UTF-8",
    WINEPREFIX: "/prefix",
    WINEARCH: "win64",
    WINEDEBUG: "-all",
    WINESERVER: "/usr/lib/wine/wineserver64",
    // Neither Mono nor Gecko, which ask to be downloaded, and no menu files.
    WINEDLLOVERRIDES: "mscoree,mshtml=;winemenubuilder.exe=d",
    // Else Wine starts a bus that stays.
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    ...env,
  };
  return [
    "bwrap",
    "--die-with-parent",
    "--clearenv",
    ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
    "--ro-bind",
    root,
    "/",
    ...asWords("--dev-bind /dev /dev --proc /proc --ro-bind /sys /sys --bind /tmp /tmp"),
    "--bind",
    prefix,
    "/prefix",
    ...(checkout === undefined ? [] : ["--ro-bind", checkout, "/handsight", "--chdir", "/handsight"]),
    ...(modules === undefined ? [] : ["--ro-bind", `${modules}/node_modules`, "/handsight/node_modules"]),
    ...command,
  ];
}
