import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UiNode } from "../../base/node.ts";
import { EventStream, happeningsOf, type Numbered } from "./event-stream.ts";
import { applyDelta, diffTrees } from "./tree-delta.ts";

const element = (id: number, name: string): UiNode => ({
  runtimeId: `n${id}`,
  role: "button",
  nativeRole: "button",
  name,
  states: [],
  actions: [],
});

const tree = fc.uniqueArray(fc.tuple(fc.nat(12), fc.constantFrom("Save", "Open")), {
  selector: ([id]) => id,
  maxLength: 10,
});

/** What can be known from the stream alone. */
class Reader {
  nodes: readonly UiNode[] = [];
  seq = 0;
  missed = 0;

  read(events: readonly Numbered<string>[], missed: number): void {
    this.missed += missed;
    for (const { seq, what } of events) {
      expect(seq).toBe(this.seq + 1 + this.missed);
      this.seq = seq - this.missed;
      if (typeof what === "string") continue;
      const none = { removed: [], added: [], changed: [], moved: [] };
      if (what.kind === "snapshot") this.nodes = what.nodes;
      else if (what.kind === "element_removed") this.nodes = applyDelta(this.nodes, { ...none, removed: [what.node] });
      else if (what.kind === "element_added") this.nodes = applyDelta(this.nodes, { ...none, added: [what] });
      else {
        expect(this.nodes.map(({ runtimeId }) => runtimeId)).toContain(what.node.runtimeId);
        this.nodes = applyDelta(this.nodes, { ...none, changed: [what] });
      }
    }
  }
}

/** A tree that changes, and how many events are read after each change. */
const story = fc.array(fc.tuple(tree, fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }), fc.boolean()), {
  maxLength: 12,
});

describe("a stream of events", () => {
  test("leads to the tree as it is, however slowly it is read and however few are kept", () => {
    fc.assert(
      fc.property(story, fc.integer({ min: 1, max: 30 }), (steps, most) => {
        let nodes: readonly UiNode[] = [];
        const stream = new EventStream<string>(most, () => nodes);
        const reader = new Reader();
        stream.restart(0);
        for (const [next, reads, isOther] of steps) {
          const now = next.map(([id, name]) => element(id, name));
          const happenings = happeningsOf(diffTrees(nodes, now));
          nodes = now;
          stream.tell(happenings, 0);
          if (isOther) stream.note("a window has opened", 0);
          if (reads === undefined) continue;
          const { events, missed } = stream.drain(reads);
          reader.read(events, missed);
        }
        const { events, missed, more } = stream.drain(Number.POSITIVE_INFINITY);
        reader.read(events, missed);
        expect(more).toBe(0);
        expect(reader.nodes).toEqual(nodes);
      }),
    );
  });

  test("says how many are left, and how many were left out", () => {
    let nodes: readonly UiNode[] = [];
    const stream = new EventStream<string>(3, () => nodes);
    stream.restart(0);
    expect(stream.drain(10).events).toHaveLength(1);
    const add = (id: number) => {
      const now = [...nodes, element(id, "Save")];
      const happenings = happeningsOf(diffTrees(nodes, now));
      nodes = now;
      stream.tell(happenings, 0);
    };
    for (const id of [1, 2, 3]) add(id);
    expect(stream.drain(1)).toMatchObject({ more: 2, missed: 0 });
    for (const id of [4, 5, 6]) add(id);
    const { events, missed } = stream.drain(10);
    expect(missed).toBe(5);
    expect(events).toEqual([{ seq: 8, at: expect.any(Number) as number, what: { kind: "snapshot", nodes } }]);
  });

  test("tells several changes of one element as one, and none when it is back as it was", () => {
    const stream = new EventStream<string>(10, () => []);
    const change = (from: string, to: string) =>
      stream.tell([{ kind: "element_changed", node: element(1, to), before: element(1, from) }], 0);
    change("a", "b");
    change("b", "c");
    expect(stream.drain(10).events.map(({ what }) => what)).toEqual([
      { kind: "element_changed", node: element(1, "c"), before: element(1, "a") },
    ]);
    change("c", "d");
    change("d", "c");
    expect(stream.drain(10).events).toEqual([]);
  });

  test("keeps the latest of other events when nobody reads them", () => {
    const stream = new EventStream<string>(2, () => []);
    for (let number = 1; number <= 9; number++) stream.note(`window ${number}`, 0);
    const { events, missed } = stream.drain(10);
    expect(events.map(({ what }) => what)).toEqual(["window 6", "window 7", "window 8", "window 9"]);
    expect(missed).toBe(5);
  });
});
