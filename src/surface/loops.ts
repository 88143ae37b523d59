import { createHash } from "node:crypto";
import type { State } from "./state.ts";

// When the same action leaves the same state three times in a row, repeating it will not help.
const suspicious = 3;

/** Remembers the last action and the state it left. */
export class Loops {
  #last: { readonly key: string; readonly count: number } | undefined;

  /** True when the same action has left the same state several times in a row. */
  note(signature: string, state: State): boolean {
    return this.noteSeen(signature, fingerprint(state));
  }

  /** Like `note`, with the state as a string; undefined when the action changed something. */
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

/** Names, values and states. Pixels only if there are no elements, because a caret blinks. */
function fingerprint({ nodes, windows, picture }: State): string {
  const hash = createHash("sha1");
  for (const { id, title, isVisible } of windows) hash.update(`${id}|${title}|${isVisible}\n`);
  if (nodes)
    for (const { role, name, value, states } of nodes) hash.update(`${role}|${name}|${value ?? ""}|${states.join()}\n`);
  else if (picture) hash.update(picture.pixels.data);
  return hash.digest("base64");
}
