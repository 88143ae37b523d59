import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { CallOptions } from "../backend.ts";
import type { DeviceUser, UserOptions } from "../devices.ts";
import type { Connection } from "./connection.ts";
import { readComponent, readComponents, readPackages, readUsers } from "./facts.ts";
import { quote } from "./quote.ts";

const launcher = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER";

const queryLaunchable = (user: number | undefined): string =>
  `cmd package query-activities${forUser(user)} --brief ${launcher}`;

const forUser = (user: number | undefined): string => (user === undefined ? "" : ` --user ${user}`);

export async function listUsers(connection: Connection, { signal }: CallOptions): Promise<readonly DeviceUser[]> {
  return readUsers(await connection.read("pm list users", { signal, what: "Listing the users" }));
}

/** An unknown user number would list nobody's apps, or somebody else's. */
async function needUser(connection: Connection, { user, signal }: UserOptions): Promise<void> {
  if (user === undefined) return;
  const users = await listUsers(connection, { signal });
  if (users.some(({ id }) => id === user)) return;
  throw new ToolError("not_found", `${connection.serial} has no user ${user}.`, {
    hint: `Its users: ${users.map(({ id, name }) => `${id} (${name})`).join(" and ")}.`,
  });
}

/** Packages that can be started, or all. */
export async function listApps(
  connection: Connection,
  { all, user, signal }: UserOptions & { readonly all: boolean },
): Promise<readonly string[]> {
  await needUser(connection, { user, signal });
  const options = { signal, timeoutMs: 20_000, what: "Listing the apps" };
  if (!all) {
    const found = readPackages(await connection.read(queryLaunchable(user), options));
    if (found.length > 0) return found;
  }
  const text = await connection.read(`pm list packages${forUser(user)}`, options);
  const packages = readPackages(text);
  if (packages.length > 0) return packages;
  throw new ToolError("ax_error", `The device did not list its apps: ${text.trim().slice(0, 200)}`);
}

/** Starts the app as its icon does. Returns what was started. */
export async function launchApp(connection: Connection, name: string, { user, signal }: UserOptions): Promise<string> {
  await needUser(connection, { user, signal });
  const component = await findComponent(connection, name, { user, signal });
  if (component === undefined) throw await noApp(connection, name, { user, signal });
  const started = await connection.send(
    `am start${forUser(user)} -W ${launcher} -f 0x10200000 -n ${quote(component)}`,
    {
      signal,
      timeoutMs: 30_000,
      what: `Starting ${name}`,
    },
  );
  const said = `${started.stdout.toString("utf8")}\n${started.stderr}`;
  // Failures are reported as text; in older versions the exit code is 0 anyway.
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
  { user, signal }: UserOptions,
): Promise<string | undefined> {
  for (const category of ["LAUNCHER", "LEANBACK_LAUNCHER"]) {
    const command = `cmd package resolve-activity${forUser(user)} --brief -a android.intent.action.MAIN -c android.intent.category.${category} ${quote(name)}`;
    const found = readComponent(await connection.read(command, { signal, what: "Looking for the app" }));
    if (found?.startsWith(`${name}/`)) return found;
  }
  // For an app with two icons Android would ask a person to choose; the first will do.
  const all = await connection.read(queryLaunchable(user), { signal, what: "Looking for the app" });
  return readComponents(all).find((each) => each.startsWith(`${name}/`));
}

async function noApp(connection: Connection, name: string, { user, signal }: UserOptions): Promise<ToolError> {
  const known = await listApps(connection, { all: false, user, signal });
  const near = nearest(name, [...known]) ?? known.find((each) => each.toLowerCase().includes(name.toLowerCase()));
  const isThere = known.includes(name) || (await listApps(connection, { all: true, user, signal })).includes(name);
  if (isThere) return new ToolError("not_supported", `${name} has nothing to start: it has no launcher icon.`);
  const owner = await ownerOf(connection, name, { user, signal });
  return new ToolError("not_found", `There is no app ${name} on ${connection.serial}.`, {
    hint: owner
      ? `User ${owner.id} (${owner.name}) has it: pass user ${owner.id}.`
      : near
        ? `Did you mean ${near}?`
        : "android_list_apps lists the packages.",
    candidates: known
      .filter((each) => each.split(".").some((part) => name.includes(part) && part.length > 3))
      .slice(0, 10),
  });
}

/** Another user, or the work profile, that has the app. */
async function ownerOf(
  connection: Connection,
  name: string,
  { user = 0, signal }: UserOptions,
): Promise<DeviceUser | undefined> {
  for (const each of await listUsers(connection, { signal })) {
    if (each.id === user) continue;
    const apps = await listApps(connection, { all: true, user: each.id, signal }).catch((): readonly string[] => []);
    if (apps.includes(name)) return each;
  }
  return undefined;
}
