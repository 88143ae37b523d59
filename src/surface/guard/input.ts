import { ToolError } from "../../base/errors.ts";
import type { Elements, HeardEvent, Input } from "../../platform/backend.ts";
import type { BlockedWindows } from "./blocked.ts";

// A frozen app must not hold up what is heard after it.
const answerMs = 500;

/** Listening that leaves out what happens in blocked windows, and what is typed into password fields. */
export function guardInput(input: Input, windows: BlockedWindows, elements: Elements | undefined): Input {
  const listen = input.listen?.bind(input);
  if (!listen) return input;
  const grabPointer = input.grabPointer?.bind(input);
  return {
    position: (options) => input.position(options),
    watchPointer: (listener, options) => input.watchPointer(listener, options),
    ...(grabPointer ? { grabPointer } : {}),
    async listen(listener, options) {
      let before: Promise<unknown> = Promise.resolve();
      const focus = new FocusQuestions(elements);
      /** Whether the key before went into a password field. */
      let wasSecret: Promise<boolean> = Promise.resolve(false);
      const hear = (event: HeardEvent): void => {
        // Asked at once, not when the events before it have been dealt with: the focus may be elsewhere by then.
        const isOpen = isOpenFor(event, windows);
        const isSecret = writes(event) ? focus.isPassword() : Promise.resolve(false);
        const isConcealed = Promise.all([wasSecret, isSecret]).then(
          (answers) => writes(event) && answers.includes(true),
        );
        wasSecret = isSecret;
        before = before.then(async () => {
          const [open, concealed] = await Promise.all([isOpen, isConcealed]);
          if (open) listener(concealed ? conceal(event) : event);
        });
      };
      const listening = await listen(hear, options);
      return {
        async [Symbol.asyncDispose]() {
          await listening[Symbol.asyncDispose]();
          // What was done before the end counts.
          await before;
        },
      };
    },
  };
}

const writes = (event: HeardEvent): boolean => event.kind === "key" && event.text !== undefined;

const conceal = (event: HeardEvent): HeardEvent =>
  event.kind === "key" ? { kind: "key", chord: [], ms: event.ms } : event;

async function isOpenFor(event: HeardEvent, windows: BlockedWindows): Promise<boolean> {
  if (event.kind === "lost") return true;
  try {
    if (event.kind === "key") await windows.needOpenFocus({});
    else await windows.needOpenAt(event.at, {});
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}

/** Asks what has the focus, once for all keys that were pressed while the question before was open. */
class FocusQuestions {
  readonly #elements: Elements | undefined;
  #asking: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  constructor(elements: Elements | undefined) {
    this.#elements = elements;
  }

  /** As it is after this call. */
  isPassword(): Promise<boolean> {
    if (!this.#asking) return this.#ask();
    this.#next ??= this.#asking.then(() => {
      this.#next = undefined;
      return this.#ask();
    });
    return this.#next;
  }

  #ask(): Promise<boolean> {
    const asking = isPasswordFocused(this.#elements).finally(() => {
      if (this.#asking === asking) this.#asking = undefined;
    });
    this.#asking = asking;
    return asking;
  }
}

/** An app that does not answer may have one. An app without elements has none that anybody could know of. */
async function isPasswordFocused(elements: Elements | undefined): Promise<boolean> {
  try {
    return (await elements?.focused({ timeoutMs: answerMs }))?.states.includes("password") ?? false;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.code === "timeout";
  }
}
