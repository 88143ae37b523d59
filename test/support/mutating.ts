import { expect, type ExpectStatic } from "vitest";
import { startFixture, type Fixture } from "./fixture.ts";
import type { Handsight } from "./handsight.ts";

export const kinds = ["buttons", "rows", "cells"] as const;
export type Kind = (typeof kinds)[number];

/** What the app should do to its own tree; positions wrap around. */
export interface Mutation {
  readonly do: "insert" | "remove" | "replace" | "swap" | "rename" | "move" | "rebuild" | "nothing";
  readonly in: Kind;
  readonly at: number;
  readonly to: number;
  readonly name: string;
}

/** A ref, and the widget it belonged to when it was assigned. */
export interface Known {
  readonly kind: Kind;
  readonly ref: string;
  readonly id: number;
  readonly name: string;
}

type Thing = readonly [id: number, name: string];

/** Names say what a thing is; there are few of them, so that many things share one. */
export const names: Readonly<Record<Kind, readonly string[]>> = {
  buttons: ["Save", "Open", "Apply", "Discard"],
  rows: ["Alpha", "Beta", "Gamma", "Delta"],
  cells: ["One", "Two", "Three", "Four"],
};

const roles: Readonly<Record<Kind, readonly string[]>> = {
  buttons: ["button"],
  rows: ["listitem", "row"],
  // The items of a GTK 4 list have no name of their own, but a label inside.
  cells: ["cell", "text"],
};

interface ElementLine {
  readonly uid: string;
  readonly role: string;
  readonly name: string;
  readonly bounds?: { readonly y: number };
}

/**
 * `<toolkit>_mutating.py`: changes its tree on command, and reports which of its widgets were pressed or selected.
 */
export class MutatingApp implements AsyncDisposable {
  readonly title: string;
  readonly #fixture: Fixture;
  readonly #handsight: Handsight;
  #step = 0;

  private constructor(title: string, fixture: Fixture, handsight: Handsight) {
    this.title = title;
    this.#fixture = fixture;
    this.#handsight = handsight;
  }

  static async start(toolkit: string, title: string, env: NodeJS.ProcessEnv, handsight: Handsight) {
    const fixture = await startFixture(`${toolkit}_mutating`, { env });
    await fixture.waitFor(({ event }) => event === "ready", 20_000);
    await handsight.call("wait_for", { window_title: title, timeout_ms: 20_000 });
    return new MutatingApp(title, fixture, handsight);
  }

  /** Resolves when the app has confirmed that it is done. */
  async mutate(mutation: Mutation): Promise<void> {
    const step = ++this.#step;
    this.#fixture.tell(JSON.stringify({ ...mutation, step }));
    await this.#fixture.waitFor((event) => event.event === "state" && event["step"] === step, 20_000);
  }

  /** Resolves when everything sent before has reached the app. */
  async drained(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await this.mutate({ do: "nothing", in: "buttons", at: 0, to: 0, name: "" });
  }

  get reactions(): number {
    return this.#reached().length;
  }

  /** Ids of the widgets that were pressed or selected since. */
  reached(since: number): readonly number[] {
    return this.#reached().slice(since);
  }

  #reached(): readonly number[] {
    return this.#fixture.events
      .filter(({ event }) => event === "pressed" || event === "selected")
      .map((event) => Number(event["id"]));
  }

  things(kind: Kind): readonly Thing[] {
    const state = this.#fixture.events.findLast(({ event }) => event === "state");
    return (state?.[kind] ?? []) as readonly Thing[];
  }

  /**
   * A snapshot whose elements are, one by one, the widgets that the app says it has. A concurrent test passes the
   * `expect` of its context.
   */
  async snapshot(own: ExpectStatic = expect): Promise<readonly Known[]> {
    let known: readonly Known[] = [];
    await own
      .poll(
        async () => {
          const args = { window_title: this.title, format: "json", max_nodes: 5_000 };
          const { elements } = await this.#handsight.call("take_ax_snapshot", args);
          const seen = kinds.map((kind) => this.#pick(kind, elements as readonly ElementLine[]));
          known = seen.flatMap((lines, index) => this.#pair(kinds[index] ?? "buttons", lines));
          return seen.map((lines) => lines.map(({ name }) => name));
        },
        { timeout: 20_000, message: "the snapshot shows what the app has" },
      )
      .toEqual(kinds.map((kind) => this.things(kind).map(([, name]) => name)));
    return known;
  }

  #pick(kind: Kind, elements: readonly ElementLine[]): readonly ElementLine[] {
    const picked = elements.filter(({ role, name }) => roles[kind].includes(role) && names[kind].includes(name));
    // Qt lists widgets in order of creation, and has finished their layout when it answers.
    return this.title.startsWith("Qt") ? picked.sort((a, b) => (a.bounds?.y ?? 0) - (b.bounds?.y ?? 0)) : picked;
  }

  #pair(kind: Kind, lines: readonly ElementLine[]): readonly Known[] {
    const things = this.things(kind);
    return lines.map(({ uid, name }, index) => ({ kind, ref: uid, id: things[index]?.[0] ?? -1, name }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fixture.stop();
  }
}
