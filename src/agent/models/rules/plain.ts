import { foldText } from "../../../base/match-text.ts";

/** Without decorations: case, a colon, the dots of "opens a dialog", a shortcut's underscore. */
export function plain(name: string): string {
  return foldText(name)
    .replace(/(?<=.)(?:\.\.\.|…|:|\*)$/, "")
    .trim();
}
