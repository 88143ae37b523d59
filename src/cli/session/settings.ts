import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { openRules } from "../../app.ts";
import type { Config } from "../../config/options.ts";
import { displayOf } from "../../platform/open.ts";

/** What a session is opened with; none of it can change while it is open. */
export interface SessionSettings {
  readonly desktop: Config["desktop"];
  readonly idleMs: number;
  readonly values: Readonly<Record<string, unknown>>;
  /** The content of the rules and secrets; not what each command may choose, its policy and its folder. */
  readonly rules: string;
}

const fixed = [
  "desktop",
  "journal",
  "runsDir",
  "browserDir",
  "ocrWeights",
  "logLevel",
  "logFile",
  "secrets",
  "rules",
] as const;
const ofPrivateDesktop = ["size", "monitors", "scale"] as const;

/** What a new session in the place of this one is opened with. */
export const toRemember = (config: Config): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...fixed, ...ofPrivateDesktop, "sessionIdle" as const].map((name) => [name, config[name]]));

export function settingsOf(config: Config, { env }: { readonly env: NodeJS.ProcessEnv }): SessionSettings {
  const names = config.desktop === "virtual" ? [...fixed, ...ofPrivateDesktop] : fixed;
  const own: readonly [string, unknown][] = names.map((name) => [name, config[name]]);
  const display: readonly [string, unknown][] = config.desktop === "real" ? [["display", displayOf(env)]] : [];
  return {
    desktop: config.desktop,
    idleMs: config.sessionIdle * 60_000,
    values: Object.fromEntries([...own, ...display]),
    rules: fingerprint(config, env),
  };
}

function fingerprint(config: Config, env: NodeJS.ProcessEnv): string {
  // The mode decides about more than itself, and each command chooses its own.
  const { files, ...rules } = openRules({ ...config, policy: "ask" }, env);
  // A file that cannot be read is reported where it is loaded.
  const secrets =
    config.secrets !== undefined && existsSync(config.secrets) ? readFileSync(config.secrets, "utf8") : "";
  return createHash("sha256")
    .update(JSON.stringify([rules, files.overwrite, secrets]))
    .digest("hex");
}

/** What a command asks for that this session does not have. */
export function differences(
  opened: SessionSettings,
  now: SessionSettings,
  isGiven: (name: string) => boolean,
): { readonly names: readonly string[]; readonly rules: boolean } {
  const differ = (name: string): boolean => JSON.stringify(opened.values[name]) !== JSON.stringify(now.values[name]);
  const names = Object.keys({ ...opened.values, ...now.values }).filter((name) =>
    // A command that does not mention them means the session as it is; a display is mentioned by its environment.
    name === "display" ? opened.desktop === "real" && differ(name) : isGiven(name) && differ(name),
  );
  return { names, rules: names.length === 0 && opened.rules !== now.rules };
}
