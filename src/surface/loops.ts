import { createHash } from "node:crypto";
import type { State } from "./state.ts";

// The third time in a row that the same action leaves the same state, it is not going to help.
const suspicious = 3;

/** Remembers what the last actions were and how they left things. */
export class Loops {
  #last: { readonly key: string; readonly count: number } | undefined;

  /** True when this very action has left this very state several times in a row. */
  note(signature: string, state: State): boolean {
    return this.noteSeen(signature, fingerprint(state));
  }

  /** The same where the state is told in a word; undefined when the action changed it. */
  noteSeen(signature: string, state: string | undefined): boolean {
    if (state === undefined) {
      this.#last = undefined;
      return false;
    }
    const key = createHash("sha1").update(`${signature}|${state}`).digest("base64");
    const count = this.#last?.key === key ? this.#last.count + 1 : 1;
    this.#last = { key, count };
    return count >= suspicious;
  }
}

/** Names, values and states; pixels only where there is nothing else, because a caret blinks. */
function fingerprint({ nodes, windows, picture }: State): string {
  const hash = createHash("sha1");
  for (const { id, title, isVisible } of windows) hash.update(`${id}|${title}|${isVisible}\n`);
  if (nodes)
    for (const { role, name, value, states } of nodes) hash.update(`${role}|${name}|${value ?? ""}|${states.join()}\n`);
  else if (picture) hash.update(picture.pixels.data);
  return hash.digest("base64");
}
