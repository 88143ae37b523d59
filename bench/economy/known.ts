import type { Target } from "./agent.ts";

/** What a model remembers of the answers: the newest is asked first, and what a new look makes old is forgotten. */
export class Known {
  #texts: string[] = [];

  add(text: string): void {
    this.#texts.unshift(text);
  }

  /** The screen has changed, and the server has not said how. */
  forget(): void {
    this.#texts = [];
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    return this.first((text) => pattern.exec(text) ?? undefined);
  }

  first<T>(find: (text: string) => T | undefined): T | undefined {
    for (const text of this.#texts) {
      const found = find(text);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

export const escaped = (words: string): string => words.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** A role and a name as a listing has them: `button "Save"`, the name perhaps with spaces around it. */
export const roleAndName = ({ role = "[A-Za-z]\\w*", name }: Target): string => `\\b${role} " ?${escaped(name)}[ :]*"`;

export function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is not in what was read`);
  return value;
}
