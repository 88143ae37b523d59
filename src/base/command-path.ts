import { foldText } from "./match-text.ts";

/** What callers put between the menus on the way to a command. */
export const pathSeparator = " > ";

/** A name of a command as it is compared: whatever the case, and with or without the dots that announce a dialog. */
export const foldName = (name: string): string => foldText(name).replace(/\s*(?:…|\.{2,})$/u, "");

export const foldPath = (path: readonly string[]): string => path.map(foldName).join(pathSeparator);

/** `File > Save As…`, also with other arrows and spaces, as the names on the way. */
export const splitPath = (text: string): readonly string[] =>
  text
    .split(/\s*(?:>|→|›|▸|\|)\s*/u)
    .map((part) => part.trim())
    .filter((part) => part !== "");
