import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder for one task, removed when it is over. */
export function openFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "handsight-task-"));
  // Programs that were just killed may still be writing.
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

const parts = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
};

/** An empty home with these files in it. */
export function makeHome(home: string, files: Readonly<Record<string, string>>): void {
  for (const part of Object.values(parts)) mkdirSync(join(home, part), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

/** The environment for programs with this home. They get no keys: what a terminal shows goes to a model. */
export function homeEnvironment(base: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(([name]) => !/KEY|TOKEN|SECRET|PASSW|^HANDSIGHT_|^XDG_.*_HOME$/i.test(name));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, join(home, part)])),
    HOME: home,
    // Settings go to a file in the home, where they can be read after the app has ended.
    GSETTINGS_BACKEND: "keyfile",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    LANGUAGE: "en",
  };
}
