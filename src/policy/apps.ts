import { fits } from "./patterns.ts";

/** A program by every name it goes by. */
export interface Program {
  /** For rules that deny or ask: any of them counts. */
  readonly names: readonly string[];
  /** For rules that allow: what it was asked for by, and the real path where that was a path. */
  readonly ownNames: readonly string[];
  /** A word that is the name of no program here. */
  readonly isMaybe?: boolean;
}

interface OfApp {
  readonly window?: { readonly app: string; readonly aliases?: readonly string[] | undefined } | undefined;
  readonly app?: string | undefined;
  readonly programs?: readonly Program[] | undefined;
}

/**
 * Whether a rule with this `app` is about the call. One that denies or asks is about every program the call may run, by any
 * of its names. One that allows counts only when all of them are the one it names: a name is easily taken.
 */
export function fitsApp(pattern: string, verdict: "allow" | "ask" | "deny", about: OfApp): boolean {
  const { window, app, programs = [] } = about;
  if (verdict !== "allow") {
    const given = app === undefined ? [] : [app];
    const ofWindow = window ? [window.app, ...(window.aliases ?? [])] : [];
    return [...given, ...ofWindow, ...programs.flatMap(({ names }) => names)].some((name) => fits(pattern, name));
  }
  const certain = programs.filter(({ isMaybe }) => isMaybe !== true);
  if (certain.length > 0) return certain.every(({ ownNames }) => isOne(pattern, ownNames));
  const own = window?.app ?? app;
  return own !== undefined && fits(pattern, own);
}

/** A pattern without a slash is about names, so no star of it stands for a folder. */
const isOne = (pattern: string, names: readonly string[]): boolean =>
  /^\*+$/.test(pattern) || names.some((name) => name.includes("/") === pattern.includes("/") && fits(pattern, name));
