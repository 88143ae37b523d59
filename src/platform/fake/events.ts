import type { Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { CallOptions, ElementEvent, ElementEventKind, Events } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";
import type { FakeElements } from "./elements.ts";

type Happening = Pick<ElementEvent, "kind" | "detail" | "runtimeId" | "pid">;

/** Reports every change of the elements, and of the windows as the elements of role "window". */
export class FakeEvents implements Events {
  readonly #desktop: FakeDesktop;
  readonly #elements: FakeElements;

  constructor(desktop: FakeDesktop, elements: FakeElements) {
    this.#desktop = desktop;
    this.#elements = elements;
  }

  async told({ signal }: CallOptions = {}): Promise<number> {
    await this.#desktop.enter("told", signal);
    return 1;
  }

  async watch(
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    { signal }: CallOptions = {},
  ): Promise<AsyncDisposable> {
    await this.#desktop.enter("watch", signal);
    const tell = (happenings: readonly Happening[]): void => {
      for (const each of happenings) if (kinds.includes(each.kind)) listener({ ...each, at: Date.now() });
    };
    const elements = this.#elements.onChange((before) => tell(compare(before, this.#elements.nodes)));
    const windows = this.#desktop.onWindow((detail, { id, pid }) =>
      tell([{ kind: "window", detail, runtimeId: `window ${id}`, pid }]),
    );
    return {
      async [Symbol.asyncDispose]() {
        elements[Symbol.dispose]();
        windows[Symbol.dispose]();
      },
    };
  }

  async damage(
    windowId: number | undefined,
    listener: (part: Rect) => void,
    { signal }: CallOptions = {},
  ): Promise<AsyncDisposable> {
    await this.#desktop.enter("damage", signal);
    const watch = this.#desktop.onPaint((id, part) => {
      if (windowId === undefined || windowId === id) listener(part);
    });
    return { [Symbol.asyncDispose]: async () => watch[Symbol.dispose]() };
  }
}

function compare(before: readonly UiNode[], after: readonly UiNode[]): readonly Happening[] {
  const old = new Map(before.map((node) => [node.runtimeId, node]));
  const now = new Set(after.map(({ runtimeId }) => runtimeId));
  const gone = before.filter(({ runtimeId }) => !now.has(runtimeId)).map((node) => childrenOf(node, "remove"));
  const rest = after.flatMap((node) => {
    const was = old.get(node.runtimeId);
    return was ? changesOf(was, node) : [childrenOf(node, "add")];
  });
  return [...gone, ...rest];
}

const childrenOf = ({ parent = "", pid }: UiNode, detail: string): Happening => ({
  kind: "children",
  detail,
  runtimeId: parent,
  pid,
});

function changesOf(was: UiNode, { runtimeId, pid, ...node }: UiNode): readonly Happening[] {
  if (was.states === node.states && was.name === node.name && was.value === node.value) return [];
  const tell = (kind: ElementEventKind, detail: string): Happening => ({ kind, detail, runtimeId, pid });
  const added = node.states.filter((state) => !was.states.includes(state));
  const lost = was.states.filter((state) => !node.states.includes(state));
  return [
    ...added.map((state) => (state === "focused" ? tell("focus", state) : tell("state", state))),
    ...lost.map((state) => tell("state", `!${state}`)),
    ...(was.name === node.name ? [] : [tell("property", "name")]),
    ...(was.value === node.value
      ? []
      : [typeof node.value === "number" ? tell("property", "value") : tell("text", "insert")]),
  ];
}
