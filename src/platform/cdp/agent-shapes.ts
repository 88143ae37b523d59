import {
  count,
  either,
  extent,
  flag,
  list,
  literal,
  nothing,
  number,
  object,
  optional,
  orNull,
  place,
  ratio,
  record,
  text,
  tuple,
  type Check,
} from "./checks.ts";
import type { Line } from "./inject/changes.ts";
import type { Collected, Found } from "./inject/collect.ts";
import type { FillPlan } from "./inject/fields.ts";
import type { Aimed } from "./inject/pointer.ts";
import type { PackedRow, Row } from "./inject/rows.ts";
import type { Box, SecretPlaces } from "./inject/secrets.ts";
import type { Agent } from "./inject/source.ts";
import type { Seen } from "./inject/watch.ts";

/*
 * What our agent in a document answers. It is our own code, but the browser it runs in may be none: what arrives here is
 * whatever listens on the port has sent.
 */

type AgentMethod = keyof Agent;
/** Their arguments or answers are objects of the page, which stay there. */
type ThingMethod =
  | "hear"
  | "ownDocument"
  | "takeRoots"
  | "elementOf"
  | "takeSuspects"
  | "takeUnsure"
  | "adopt"
  | "numberOf"
  | "knownNumber"
  | "knownParent";
/** Only called by other parts of the agent. */
type InnerMethod = "reaches" | "coverName" | "conclude";
type Notice = [kind: "focus" | "children" | "state" | "property" | "text", detail: string, local: number];
export type CalledMethod = Exclude<AgentMethod, ThingMethod | InnerMethod>;
export type AgentReply<M extends AgentMethod> = Awaited<ReturnType<Agent[M]>>;

const point = tuple<[number, number]>([place, place]);
const box = tuple<Box>([place, place, extent, extent]);
const value: Check<Row[6]> = orNull(either(text, number));
const more: Check<Row[7]> = orNull(
  object({
    description: optional(text),
    range: optional(object({ min: number, max: number })),
    id: optional(text),
    level: optional(number),
    placeholder: optional(text),
  }),
);
const row = tuple<Row>([count, number, text, text, box, text, value, more]);
const packedRow = tuple<PackedRow>([count, number, count, text, count, either(literal(0), box), value, more], 5);

const whereabouts = { url: text, title: text };
const about = {
  total: count,
  inventory: record(count),
  suspects: count,
  unsure: count,
  freshRoots: count,
  isPartial: flag,
  ...whereabouts,
};
const collected: Check<Collected> = object({ words: list(text), rows: list(packedRow), ...about });
const found: Check<Found & { readonly scores: number[] }> = object({
  rows: list(row),
  scores: list(number),
  ...about,
});
const seen: Check<Seen> = object({
  lines: list(tuple<Line>([text, count, text])),
  cut: count,
  focus: orNull(tuple<[string, string]>([text, text])),
  scrolled: flag,
  copied: flag,
  mayRun: literal("nothing", "numbers", "texts"),
  isQuiet: flag,
  row: optional(row),
  ...whereabouts,
});
const places: Check<SecretPlaces> = object({
  boxes: list(box),
  count,
  isStill: flag,
  hasScrolled: flag,
  suspects: count,
});
const problems = ["gone", "hidden", "closed", "disabled", "moving", "outside"] as const;
const aimed: Check<Aimed> = either(
  object({ at: point, isMoving: flag }),
  either(object({ problem: literal("covered"), by: text }), object({ problem: literal(...problems) })),
);
const plan: Check<FillPlan> = either(
  either(object({ how: literal("done"), holds: optional(text) }), object({ how: literal("type"), clear: flag })),
  either(
    object({ how: literal("click", "files", "open") }),
    object({ how: literal("problem"), problem: text, candidates: optional(list(text)) }),
  ),
);

export const agentShapes: { readonly [M in CalledMethod]: Check<AgentReply<M>> } = {
  collect: collected,
  search: found,
  learn: nothing,
  read: optional(row),
  activeId: count,
  hideFrames: nothing,
  isActive: flag,
  at: list(count),
  textOf: optional(text),
  contentBox: optional(box),
  aim: aimed,
  frame: nothing,
  coverOf: optional(text),
  guard: nothing,
  unguard: optional(object({ arrived: count, strayed: optional(text) })),
  begin: object({ row: optional(row), draws: flag, ...whereabouts }),
  settle: optional(seen),
  notice: nothing,
  place: object(whereabouts),
  end: nothing,
  waitText: optional(text),
  taken: tuple<[number, number]>([count, count]),
  fill: object({ plan, seen: optional(seen) }),
  pick: object({ isDone: flag, seen: optional(seen) }),
  isListOpen: flag,
  takesText: flag,
  holds: optional(text),
  focus: flag,
  scrollTo: nothing,
  scrollBox: flag,
  setDisclosure: flag,
  drawn: optional(box),
  measure: object({
    screenX: place,
    screenY: place,
    outerWidth: extent,
    outerHeight: extent,
    innerWidth: extent,
    innerHeight: extent,
    ratio,
    heard: optional(tuple<[number, number, number, number]>([place, place, place, place])),
  }),
  scrolled: point,
  hearMove: optional(tuple<[number, number, number, number]>([place, place, place, place])),
  followSecrets: places,
  secretsSince: optional(places),
};

const thing = object({ objectId: optional(text) });
const numbered = object({ value: count });

/** The same for objects that stay in the page, by the handle that the browser gives us. */
export const thingShapes = {
  hear: object({ value: flag }),
  ownDocument: thing,
  takeRoots: thing,
  elementOf: thing,
  takeSuspects: thing,
  takeUnsure: thing,
  adopt: thing,
  numberOf: numbered,
  knownNumber: numbered,
  knownParent: numbered,
} satisfies { readonly [M in ThingMethod]: Check<unknown> };

/** What a document reports without being asked. */
const notice = tuple<Notice>([literal("focus", "children", "state", "property", "text"), text, count]);
export const isNotice = (value: unknown): value is Notice => notice(value) === undefined;
