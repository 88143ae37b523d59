import type { CallOptions, ElementEvent, ElementEventKind, Events } from "../backend.ts";
import type { AutomationChannel } from "./automation/channel.ts";

const patienceMs = 2000;

/** What apps report about their windows and elements. There is no event for painting: pixels are compared. */
export class WindowsEvents implements Events {
  readonly #channel: AutomationChannel;
  readonly #watches = new Set<ReadonlySet<ElementEventKind>>();

  constructor(channel: AutomationChannel) {
    this.#channel = channel;
  }

  async watch(
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    { signal }: CallOptions = {},
  ): Promise<AsyncDisposable> {
    const wanted = new Set(kinds);
    this.#watches.add(wanted);
    const hearing = this.#channel.onEvent((event) => {
      if (wanted.has(event.kind)) listener(event);
    });
    const end = (): void => {
      hearing[Symbol.dispose]();
      this.#watches.delete(wanted);
    };
    try {
      await this.#listen({ signal });
    } catch (error) {
      end();
      throw error;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        end();
        await this.#listen().catch(() => {});
      },
    };
  }

  /** The thread looks into its queue before it answers. */
  async told({ signal }: CallOptions = {}): Promise<number> {
    await this.#listen({ signal });
    return this.#channel.replaced;
  }

  /** A new thread hears nothing until it is told what to listen to. */
  resume(): void {
    if (this.#watches.size > 0) void this.#listen().catch(() => {});
  }

  #listen(options: CallOptions = {}): Promise<undefined> {
    const kinds = [...new Set([...this.#watches].flatMap((each) => [...each]))];
    return this.#channel.ask("listen", { kinds, timeoutMs: patienceMs }, options);
  }
}
