import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import { readComponent, readPackages } from "./facts.ts";
import { quote } from "./quote.ts";

const launcher = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER";

/** Packages that can be started, or all. */
export async function listApps(
  connection: Connection,
  { all, signal }: CallOptions & { readonly all: boolean },
): Promise<readonly string[]> {
  const options = { signal, timeoutMs: 20_000, what: "Listing the apps" };
  if (!all) {
    const found = readPackages(await connection.read(`cmd package query-activities --brief ${launcher}`, options));
    if (found.length > 0) return found;
  }
  const text = await connection.read("pm list packages", options);
  const packages = readPackages(text);
  if (packages.length > 0) return packages;
  throw new ToolError("ax_error", `The device did not list its apps: ${text.trim().slice(0, 200)}`);
}

/** Starts the app as its icon does. Says what was started. */
export async function launchApp(connection: Connection, name: string, { signal }: CallOptions): Promise<string> {
  const component = await findComponent(connection, name, signal);
  if (component === undefined) throw await noApp(connection, name, signal);
  const started = await connection.send(`am start -W ${launcher} -f 0x10200000 -n ${quote(component)}`, {
    signal,
    timeoutMs: 30_000,
    what: `Starting ${name}`,
  });
  const said = `${started.stdout.toString("utf8")}\n${started.stderr}`;
  // Failures are told in words; on older versions the exit code is 0 all the same.
  const [, problem] = /^\s*(Error.*|.*Exception.*|.*does not exist.*)$/m.exec(said) ?? [];
  if (problem === undefined && (started.exit ?? 0) === 0) return component;
  throw new ToolError(
    "not_dispatchable",
    `${name} could not be started: ${problem?.trim().slice(0, 200) ?? "am failed"}`,
  );
}

async function findComponent(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for (const category of ["LAUNCHER", "LEANBACK_LAUNCHER"]) {
    const command = `cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.${category} ${quote(name)}`;
    const found = readComponent(await connection.read(command, { signal, what: "Looking for the app" }));
    if (found?.startsWith(`${name}/`)) return found;
  }
  return undefined;
}

async function noApp(connection: Connection, name: string, signal: AbortSignal | undefined): Promise<ToolError> {
  const known = await listApps(connection, { all: false, signal });
  const near = nearest(name, [...known]) ?? known.find((each) => each.toLowerCase().includes(name.toLowerCase()));
  const isThere = known.includes(name) || (await listApps(connection, { all: true, signal })).includes(name);
  if (isThere) return new ToolError("not_supported", `${name} has nothing to start: no icon in the launcher.`);
  return new ToolError("not_found", `There is no app ${name} on ${connection.serial}.`, {
    hint: near ? `Did you mean ${near}?` : "android_list_apps has the packages.",
    candidates: known
      .filter((each) => each.split(".").some((part) => name.includes(part) && part.length > 3))
      .slice(0, 10),
  });
}
