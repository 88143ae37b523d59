import { poll } from "../../../base/async.ts";
import { contains } from "../../../base/geometry.ts";
import type { Eyes, SeenElement, SeenText } from "../../eyes.ts";
import { Refusal } from "../../stop.ts";
import { findPlainText, isText, resolve, type Purpose } from "./resolve.ts";
import type { Target } from "./target.ts";
import { describe } from "./words.ts";

// A menu or a dialog takes a moment to appear.
const patienceMs = 2_500;
// On a busy machine an app shows its window seconds before its elements can be read.
const startMs = 8_000;

export interface Means {
  readonly eyes: Eyes;
  readonly signal: AbortSignal;
}

interface Found {
  readonly ref: string | undefined;
  readonly found: string;
  readonly element: SeenElement;
}

export async function find(target: Target, purpose: Purpose, means: Means): Promise<Found & { readonly ref: string }>;
export async function find(target: Target, purpose: Purpose, means: Means, mayRead: true): Promise<Found>;
export async function find(target: Target, purpose: Purpose, { eyes, signal }: Means, mayRead = false): Promise<Found> {
  let near: readonly string[] = [];
  let isBlank = true;
  let onlyText: SeenElement | undefined;
  const look = async (): Promise<Found | undefined> => {
    const elements = await eyes.elements();
    isBlank = elements.length === 0;
    const seen = resolve(elements, target, purpose);
    if (seen.kind === "ambiguous") throw ambiguous(target, seen.candidates);
    if (seen.kind === "found") return { ref: seen.element.uid, found: describe(seen.element), element: seen.element };
    ({ near } = seen);
    onlyText = purpose === "click" ? findPlainText(elements, target) : undefined;
    return mayRead && !onlyText ? read(target, eyes, elements) : undefined;
  };
  const within = (timeoutMs: number) => poll(look, { timeoutMs, everyMs: 200, signal });
  const found = (await within(patienceMs)) ?? (isBlank ? await within(startMs) : undefined);
  if (!found && onlyText) {
    throw new Refusal(`${describe(onlyText)} is only a text: nothing says that it can be clicked.`, near);
  }
  if (!found) throw missing(target, near);
  const { element } = found;
  if (
    element.states.includes("showing") &&
    !element.states.includes("enabled") &&
    !["field", "drop"].includes(purpose)
  ) {
    throw new Refusal(`${found.found} is there but cannot be used now: it is disabled.`);
  }
  return found;
}

export function one(elements: readonly SeenElement[], target: Target, purpose: Purpose): SeenElement {
  const seen = resolve(elements, target, purpose);
  if (seen.kind === "ambiguous") throw ambiguous(target, seen.candidates);
  if (seen.kind === "missing") throw missing(target, seen.near);
  return seen.element;
}

/** Text that no element has, found in the picture; a line of a longer text is not meant. */
async function read(
  { name, ordinal }: Target,
  eyes: Eyes,
  elements: readonly SeenElement[],
): Promise<Found | undefined> {
  if (name === "" || ordinal !== undefined) return undefined;
  const isPart = ({ x, y }: SeenText): boolean =>
    elements.some((each) => isText(each) && each.bounds !== undefined && contains(each.bounds, { x, y }));
  const texts = (await eyes.textsLike(name)).filter(
    (seen) => seen.source === "ocr" && isSame(seen.text, name) && !isPart(seen),
  );
  const [only, ...others] = texts;
  if (!only) return undefined;
  if (others.length > 0) {
    const places = texts.map(({ text, x, y }) => `"${text}" at ${x},${y}`);
    throw new Refusal(`"${name}" was read in ${texts.length} places; say which.`, places);
  }
  const element = { uid: "", role: "text", name: only.text, states: ["showing", "enabled"], actions: [], depth: 0 };
  return { ref: undefined, found: `the text "${only.text}", read from the picture`, element };
}

const isSame = (read: string, wanted: string): boolean => read.trim().toLowerCase() === wanted.trim().toLowerCase();

export function ambiguous({ name, role }: Target, candidates: readonly SeenElement[]): Refusal {
  const what = [role, name === "" ? undefined : `"${name}"`].filter((part) => part !== undefined).join(" ");
  return new Refusal(
    `${candidates.length} things match ${what}. Say which: "the second …", "… in <the name of its row or group>".`,
    candidates.slice(0, 10).map(describe),
  );
}

export function missing({ name, role }: Target, near: readonly string[]): Refusal {
  return new Refusal(name === "" ? `No ${role ?? "thing"} is visible.` : `"${name}" is not visible.`, near);
}
