import { access, readdir, readFile } from "node:fs/promises";
import { basename, extname, isAbsolute, join } from "node:path/win32";
import type { InstalledApp } from "../../backend.ts";
import { subkeys, textValue } from "./registry.ts";
import { readShortcut } from "./shortcut.ts";

/** An entry of the Start menu, or of the list that the Run dialog uses. */
export interface MenuApp extends InstalledApp {
  readonly args: readonly string[];
  /** From a place that any program of the person can write. */
  readonly isPersonal: boolean;
}

export interface FoundApp {
  readonly executable: string;
  readonly args: readonly string[];
  readonly entry?: MenuApp | undefined;
}

const appPaths = "Software\\Microsoft\\Windows\\CurrentVersion\\App Paths";
const menu = "Microsoft\\Windows\\Start Menu\\Programs";
/** Run by cmd.exe, which reads its arguments as a shell does: not started at all. */
const programs = [".exe", ".com"];

export async function listInstalled(env: NodeJS.ProcessEnv): Promise<readonly MenuApp[]> {
  const folders = [
    { folder: env["ProgramData"] ?? env["ALLUSERSPROFILE"], isPersonal: false },
    { folder: env["APPDATA"], isPersonal: true },
  ];
  const shortcuts = await Promise.all(
    folders.map(async ({ folder, isPersonal }) =>
      folder === undefined ? [] : fromMenu(join(folder, menu), isPersonal, env),
    ),
  );
  const listed = [...shortcuts.flat(), ...fromRegistry("machine"), ...fromRegistry("user")];
  const there = await Promise.all(listed.map(async (app) => ((await isFile(app.executable)) ? [app] : [])));
  const byId = new Map(
    there
      .flat()
      .toReversed()
      .map((app) => [app.id, app]),
  );
  return [...byId.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

async function fromMenu(folder: string, isPersonal: boolean, env: NodeJS.ProcessEnv): Promise<readonly MenuApp[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const apps = await Promise.all(
    files
      .filter((file) => extname(file).toLowerCase() === ".lnk")
      .map(async (file) => {
        const bytes = await readFile(join(folder, file)).catch(() => Buffer.alloc(0));
        const shortcut = readShortcut(bytes, env);
        if (!shortcut || !programs.includes(extname(shortcut.target).toLowerCase())) return [];
        const name = basename(file, extname(file));
        return [{ id: name, name, executable: shortcut.target, args: splitArguments(shortcut.arguments), isPersonal }];
      }),
  );
  return apps.flat();
}

function fromRegistry(root: "machine" | "user"): readonly MenuApp[] {
  return subkeys(root, appPaths).flatMap((id) => {
    const executable = textValue(root, `${appPaths}\\${id}`)?.replaceAll('"', "");
    if (executable === undefined || executable === "") return [];
    return [{ id, name: basename(id, extname(id)), executable, args: [], isPersonal: root === "user" }];
  });
}

/** As CommandLineToArgvW does, without the corner cases of backslashes before quotes. */
export function splitArguments(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word);
}

/** A path, a command on PATH, an entry by its id or name. */
export async function findApp(
  app: string,
  installed: readonly MenuApp[],
  env: NodeJS.ProcessEnv,
): Promise<FoundApp | undefined> {
  if (app === "") return undefined;
  if (/[\\/]/.test(app) || isAbsolute(app)) {
    const file = await withExtension(app);
    return file === undefined ? undefined : { executable: file, args: [] };
  }
  const wanted = app.toLowerCase();
  const entry = installed.find(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted);
  if (entry) return { executable: entry.executable, args: entry.args, entry };
  for (const folder of (env["Path"] ?? env["PATH"] ?? "").split(";").filter((each) => each !== "")) {
    const file = await withExtension(join(folder, app));
    if (file !== undefined) return { executable: file, args: [] };
  }
  return undefined;
}

async function withExtension(path: string): Promise<string | undefined> {
  const names = programs.includes(extname(path).toLowerCase()) ? [path] : programs.map((end) => `${path}${end}`);
  for (const name of names) if (await isFile(name)) return name;
  return undefined;
}

const isFile = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
