import { expect } from "vitest";

type Call = (tool: string, args?: unknown) => Promise<Record<string, unknown>>;

export interface StreamedEvent {
  readonly seq: number;
  readonly timestamp_ms: number;
  readonly kind: string;
  readonly surface: string;
  readonly app_name?: string;
  readonly window_id?: number;
  readonly title?: string;
  readonly was?: string;
  readonly uid?: string;
  readonly was_uid?: string;
  readonly parent?: string;
  readonly after?: string;
  readonly element?: string;
  readonly change?: string;
  readonly elements?: readonly Line[];
}

interface Line {
  readonly uid: string;
  readonly parent?: string;
  readonly element: string;
}

/** Knows what is there from the events of a watch alone, as a client does. */
export class StreamReader {
  readonly watch: string;
  /** Every event read so far. */
  readonly events: StreamedEvent[] = [];
  lines: readonly Line[] = [];
  missed = 0;
  readonly #call: Call;

  constructor(call: Call, watch: string) {
    this.#call = call;
    this.watch = watch;
  }

  static async start(call: Call, input: object): Promise<StreamReader> {
    const { watch } = await call("start_watching", input);
    return new StreamReader(call, watch as string);
  }

  /** Reads what there is; with a time, waits that long for the first event. */
  async read(waitMs = 0): Promise<readonly StreamedEvent[]> {
    const fresh: StreamedEvent[] = [];
    for (let more = 1, wait = waitMs; more > 0; wait = 0) {
      const input = { watch: this.watch, max_events: 500, max_nodes: 20_000, wait_ms: wait };
      const told = await this.#call("get_ui_events", input);
      this.missed += (told["missed"] as number | undefined) ?? 0;
      fresh.push(...(told["events"] as StreamedEvent[]));
      more = (told["more"] as number | undefined) ?? 0;
    }
    for (const event of fresh) this.#apply(event);
    this.events.push(...fresh);
    return fresh;
  }

  /** Reads until an event fits. */
  async until(fits: (event: StreamedEvent) => boolean, what: string): Promise<StreamedEvent> {
    let found = this.events.find(fits);
    await expect
      .poll(
        async () => {
          await this.read(1_000);
          found = this.events.find(fits);
          return found ? "told" : this.events.slice(-20);
        },
        { timeout: 20_000, message: what },
      )
      .toBe("told");
    return found as StreamedEvent;
  }

  #apply({ kind, uid = "", was_uid: wasUid = uid, parent, after, element = "", elements = [] }: StreamedEvent): void {
    const line = { uid, ...(parent === undefined ? {} : { parent }), element };
    if (kind === "snapshot") this.lines = elements;
    else if (kind === "element_removed") this.lines = this.lines.filter((each) => each.uid !== uid);
    else if (kind === "element_added") {
      const at = after === undefined ? 0 : this.lines.findIndex((each) => each.uid === after) + 1;
      this.lines = this.lines.toSpliced(at, 0, line);
    } else if (element !== "") this.lines = this.lines.map((each) => (each.uid === wasUid ? line : each));
  }

  /** One line per element, indented as deep as it is, without uids: a row that has got other texts has another one. */
  outline(): readonly string[] {
    const parents = new Map(this.lines.map(({ uid, parent }) => [uid, parent]));
    const depthOf = (uid: string | undefined): number =>
      uid === undefined || !parents.has(uid) ? 0 : 1 + depthOf(parents.get(uid));
    return this.lines.map(({ uid, parent, element }) => {
      const words = element.replace(new RegExp(`(^| )${uid}( |$)`), " ").trim();
      return `${"  ".repeat(depthOf(parent))}${words}`;
    });
  }

  /** Waits until what was told adds up to what a snapshot of the window shows. */
  async agrees(windowId: number): Promise<void> {
    await this.agreesWith(() => outlineOf(this.#call, windowId));
  }

  async agreesWith(snapshot: () => Promise<readonly string[]>): Promise<void> {
    const compare = async () => {
      await this.read(100);
      const [told, shown] = [this.outline(), await snapshot()];
      return told.join("\n") === shown.join("\n") ? "the same" : { told, shown };
    };
    await expect.poll(compare, { timeout: 20_000 }).toBe("the same");
  }

  async stop(): Promise<Record<string, unknown>> {
    return this.#call("stop_watching", { watch: this.watch });
  }
}

const quiet = new Set(["enabled", "showing", "focusable", "selectable", "checkable", "expandable"]);

interface Element {
  readonly role: string;
  readonly name: string;
  readonly automation_id?: string;
  readonly value?: string | number;
  readonly states: readonly string[];
  readonly depth: number;
}

/** The same from a snapshot of the window. */
export async function outlineOf(call: Call, windowId: number): Promise<readonly string[]> {
  const { elements } = await call("take_ax_snapshot", { window_id: windowId, format: "json", max_nodes: 20_000 });
  return (elements as Element[]).map(({ role, name, automation_id: id, value, states, depth }) => {
    const words = [
      role,
      name === "" ? (id === undefined ? "" : `#${id}`) : JSON.stringify(name.trim()),
      value === undefined || value === name ? "" : `=${JSON.stringify(value)}`,
      ...states.filter((state) => !quiet.has(state)),
    ];
    return `${"  ".repeat(depth)}${words.filter((word) => word !== "").join(" ")}`;
  });
}
