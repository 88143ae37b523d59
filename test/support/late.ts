import type { Locator } from "../../src/api/locator.ts";
import { ToolError } from "../../src/base/errors.ts";

/** How a target becomes one. */
export type ComingWay = "appears" | "shows" | "enabled" | "moves" | "replaced" | "covered";
/** Why something never becomes a target. */
export type NeverWay = "never" | "disabled" | "hidden" | "twice" | "under" | "restless";
export type LateWay = ComingWay | NeverWay;
export type LateKind = "button" | "box" | "field" | "list";
export type LateAct =
  | "click"
  | "point and click"
  | "double click"
  | "fill"
  | "type"
  | "check"
  | "press"
  | "hover"
  | "focus"
  | "drag"
  | "select";

/** An app, page or device whose only control, "Target", comes late. */
export interface LateApp {
  readonly name: string;
  readonly target: (kind: LateKind) => Locator;
  /** Where it can be dragged to. */
  readonly bin?: Locator;
  readonly start: (way: LateWay, kind: LateKind, ms: number) => Promise<void>;
  /** What was done to the target since the start, in order. */
  readonly acts: () => Promise<readonly string[]>;
  /** Whether the pointer is over it, and whether it has the keyboard. */
  readonly isHovered?: () => Promise<boolean>;
  readonly isFocused?: () => Promise<boolean>;
}

interface Deed {
  readonly kind: LateKind;
  readonly perform: (target: Locator, options: { readonly timeoutMs: number }, app: LateApp) => Promise<unknown>;
  /** Whether it was done once, and to the right thing. */
  readonly isRight: (acts: readonly string[], app: LateApp) => boolean | Promise<boolean>;
}

const exactly =
  (...wanted: readonly string[]) =>
  (acts: readonly string[]): boolean =>
    acts.length === wanted.length && wanted.every((act, index) => acts[index] === act);
// An app may tell of every letter.
const lastly =
  (wanted: string) =>
  (acts: readonly string[]): boolean =>
    acts.at(-1) === wanted;

const deeds: Readonly<Record<LateAct, Deed>> = {
  click: { kind: "button", perform: (target, options) => target.click(options), isRight: exactly("clicked") },
  "point and click": {
    kind: "button",
    perform: (target, options) => target.click({ ...options, delivery: "foreground" }),
    isRight: exactly("clicked"),
  },
  "double click": {
    kind: "button",
    perform: (target, options) => target.dblclick(options),
    isRight: exactly("clicked", "clicked"),
  },
  fill: { kind: "field", perform: (target, options) => target.fill("late", options), isRight: lastly("text late") },
  type: { kind: "field", perform: (target, options) => target.type("late", options), isRight: lastly("text late") },
  check: {
    kind: "box",
    perform: (target, options) => target.check(options),
    isRight: (acts) => exactly("checked")(acts) || exactly("clicked")(acts),
  },
  press: { kind: "button", perform: (target, options) => target.press("Enter", options), isRight: exactly("clicked") },
  hover: {
    kind: "button",
    perform: (target, options) => target.hover(options),
    isRight: async (acts, app) => acts.length === 0 && (await app.isHovered?.()) === true,
  },
  focus: {
    kind: "field",
    perform: (target, options) => target.focus(options),
    isRight: async (acts, app) => acts.length === 0 && (await app.isFocused?.()) === true,
  },
  drag: {
    kind: "button",
    perform: (target, options, { bin }) => (bin ? target.drag(bin, options) : Promise.reject(new Error("no bin"))),
    isRight: exactly("dropped"),
  },
  select: { kind: "list", perform: (target, options) => target.select("Two", options), isRight: exactly("text Two") },
};

/** What a case must come to: done, or refused with this code. */
export interface LateCase {
  readonly way: LateWay;
  readonly act: LateAct;
  readonly ms: number;
  readonly wanted: string;
}

/** The cases of an app: each act on a target that comes in each way, after each time; and each way that never comes. */
export function lateCases(
  ways: Readonly<Record<string, readonly LateAct[]>>,
  never: Readonly<Record<string, readonly [LateAct, string][]>>,
  times: (index: number) => readonly number[],
): readonly LateCase[] {
  const coming = Object.entries(ways).flatMap(([way, acts]) =>
    acts.map((act) => ({ way: way as LateWay, act, wanted: "done" })),
  );
  return [
    ...coming.flatMap((each, index) => times(index).map((ms) => ({ ...each, ms }))),
    ...Object.entries(never).flatMap(([way, acts]) =>
      acts.map(([act, wanted]) => ({ way: way as LateWay, act, ms: 0, wanted })),
    ),
  ];
}

// The bench `waiting` tries every case after each of several times, up to three seconds.
export const shortTimes = (index: number): readonly number[] => [[350, 0, 150][index % 3] ?? 0];

/** For `test.each`. */
export const lateNames = (cases: readonly LateCase[]): readonly (readonly [string, LateCase])[] =>
  cases.map((each) => [`${each.act}: ${each.way} after ${each.ms} ms comes to ${each.wanted}`, each] as const);

const comesWithinMs = 10_000;
const neverComesMs = 400;

/** What went wrong in one case; undefined if nothing did. */
export async function tryLate(app: LateApp, { way, act, ms, wanted }: LateCase): Promise<string | undefined> {
  const { kind, perform, isRight } = deeds[act];
  await app.start(way, kind, ms);
  const timeoutMs = wanted === "done" ? comesWithinMs : neverComesMs;
  const [came, message] = await perform(app.target(kind), { timeoutMs }, app).then(
    () => ["done", ""],
    (error: unknown) => (error instanceof ToolError ? [error.code, error.message] : ["thrown", String(error)]),
  );
  const acts = await app.acts();
  const isDone = wanted === "done" ? await isRight(acts, app) : acts.length === 0;
  if (came === wanted && isDone) return undefined;
  return `${app.name}: ${act}, ${way} after ${ms} ms: ${came}, not ${wanted}; ${JSON.stringify(acts)} ${message}`;
}

/** How much of one processor this process uses while an action waits for a target that does not come, 0 to 1. */
export async function shareWhileWaiting(app: LateApp, ms: number): Promise<number> {
  await app.start("never", "button", 0);
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  await app
    .target("button")
    .click({ timeoutMs: ms })
    .catch(() => {});
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1_000 / (performance.now() - started);
}
