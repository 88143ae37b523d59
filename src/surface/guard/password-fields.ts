import type { UiNode } from "../../base/node.ts";

// More than any desktop shows; ids of elements that are gone stay among them.
const most = 2_000;

/** A password field that shows its content on request is still the field it was: nobody is told what it holds. */
export class PasswordFields {
  /** Their names by id: toolkits give the id of an element that is gone to another one. */
  readonly #names = new Map<string, string>();

  /** The element, without its value if it is or was a password field. */
  conceal(node: UiNode): UiNode {
    const { runtimeId, name, states } = node;
    if (states.includes("password")) {
      this.#remember(runtimeId, name);
      return node;
    }
    if (this.#names.get(runtimeId) !== name) return node;
    const { value: _, ...rest } = node;
    return { ...rest, states: [...states, "password"] };
  }

  has(runtimeId: string): boolean {
    return this.#names.has(runtimeId);
  }

  #remember(id: string, name: string): void {
    this.#names.delete(id);
    this.#names.set(id, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > most && oldest !== undefined) this.#names.delete(oldest);
  }
}
