import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { filesWanted, type WitnessOptions, type Witnessed } from "../page-acts.ts";
import type { PageDocument } from "./document.ts";
import type { Frame } from "./frames.ts";
import {
  always,
  goneError,
  ignoreGone,
  never,
  settled,
  type Done,
  type Expected,
  witness,
  type Watched,
} from "./witness.ts";
import { takesText, withoutClocks } from "./clocks.ts";
import { chainOf, frameOffset, frameOwner, isRemote } from "./geometry.ts";
import type { Aimed } from "./inject/pointer.ts";
import type { PageInput } from "./input.ts";
import type { AttachedPage } from "./attached-page.ts";

type Owner = ReturnType<AttachedPage["owner"]> & { readonly ref: string };

const ownerOf = (page: AttachedPage, ref: string): Owner => ({ ...page.owner(ref), ref });

// Hit testing in another process uses its last frame; three equal readings were always enough, two were not.
const stillReadings = { own: 1, remote: 3 } as const;

export async function click(
  page: AttachedPage,
  input: PageInput,
  ref: string,
  options: WitnessOptions & { readonly double: boolean },
): Promise<Witnessed<undefined>> {
  const owner = ownerOf(page, ref);
  const expected: Expected = { focus: isField, scroll: false, quietMs: settled, drawn: "canvas" };
  const seen = await witness(page, owner, expected, options, (watched) =>
    pressElement(page, input, owner, options.double ? 2 : 1, watched, options),
  );
  return seen.mayRun ? withoutClocks(page, seen, options) : seen;
}

const isField = (node: UiNode | undefined): boolean =>
  node !== undefined && (node.states.includes("editable") || node.role === "combobox");

async function pressElement(
  page: AttachedPage,
  input: PageInput,
  owner: Owner,
  clicks: number,
  watched: Watched,
  options: WitnessOptions,
): Promise<Done<undefined>> {
  let strayed: string | undefined;
  for (let attempt = 0; attempt < 3; attempt++) {
    const at = await findPoint(page, owner, options, { force: false, guard: true });
    if ("problem" in at) {
      if (at.problem === "closed") return pickOption(input, owner, options);
      throw problem(at, owner.ref);
    }
    // No other frame must see anything of the click: one that scrolled away a moment ago still catches what is sent to
    // its old place.
    const others = (await page.blocked.open(options)).filter((frame) => frame !== owner.frame);
    const around = await documentsOf(others);
    await Promise.all(around.map((document) => document.call("guard", [undefined], options).catch(ignoreGone)));
    await watched({ via: "mouse", at });
    await input.click(at, clicks, { signal: options.signal });
    const results = await Promise.all(
      [owner.document, ...around].map((document, index) => {
        const answer = document.call("unguard", [], options);
        return index === 0 ? answer : answer.catch(ignoreGone);
      }),
    );
    strayed = results.find((result) => result?.strayed !== undefined)?.strayed;
    const arrived = results[0]?.arrived ?? 0;
    if (strayed === undefined && (arrived > 0 || !isRemote(page, owner.frame))) {
      const warning = arrived > 0 ? undefined : "It is not known whether the click arrived.";
      return { value: undefined, via: "mouse", at, warning };
    }
  }
  throw new ToolError(
    "not_dispatchable",
    strayed === undefined
      ? `The click did not reach ${owner.ref}.`
      : `The click hit ${strayed} instead of ${owner.ref}, and was stopped.`,
    { hint: "Something is moving or in the way; take a new snapshot, or wait until it stops." },
  );
}

async function pickOption(
  input: PageInput,
  owner: Owner,
  { signal, settleMs }: WitnessOptions,
): Promise<Done<undefined>> {
  await closeList(input, owner, signal);
  const asked = [owner.local, settleMs > 0] as const;
  const { isDone, seen } = await owner.document.call("pick", [...asked], { signal, isByUser: true });
  if (!isDone) throw problem({ problem: "hidden" }, owner.ref);
  return { value: undefined, via: "value", seen };
}

/** A list that somebody has opened closes with the choice. */
async function closeList(input: PageInput, owner: Owner, signal: AbortSignal | undefined): Promise<void> {
  if (await owner.document.call("isListOpen", [owner.local], { signal })) await input.closeList({ signal });
}

async function documentsOf(frames: readonly Frame[]): Promise<readonly PageDocument[]> {
  const found = await Promise.all(frames.map((frame) => frame.document().catch(ignoreGone)));
  return found.filter((document) => document !== undefined);
}

type Point = { readonly x: number; readonly y: number };
type Problem = Exclude<Aimed, { at: unknown }>;
type Aiming = { readonly force: boolean; readonly guard: boolean };

/** A point of the page that reaches the element. */
export async function aimAt(
  page: AttachedPage,
  owner: Owner,
  options: { readonly signal?: AbortSignal | undefined },
  aiming: Aiming,
): Promise<Point> {
  const found = await findPoint(page, owner, options, aiming);
  if ("problem" in found) throw problem(found, owner.ref);
  return found;
}

/** In view, at rest, and not covered. */
async function findPoint(
  page: AttachedPage,
  owner: Owner,
  options: { readonly signal?: AbortSignal | undefined },
  { force, guard }: Aiming,
): Promise<Point | Problem> {
  const remote = isRemote(page, owner.frame);
  const still = remote ? stillReadings.remote : stillReadings.own;
  for (let attempt = 0; attempt < 3; attempt++) {
    const aimed = await owner.document.call("aim", [owner.local, { still, force, guard }], options);
    if (!("at" in aimed)) return aimed;
    const offset = await restingOffset(page, owner, options);
    const at = { x: aimed.at[0] + offset.x, y: aimed.at[1] + offset.y };
    const cover = await coverAbove(page, owner, at, options);
    if (cover === undefined) return at;
    if (cover !== "outside") return { problem: "covered", by: cover };
    for (const frame of chainOf(page, owner.frame).toReversed()) {
      if (frame.parentId === undefined) continue;
      const { document, id } = await frameOwner(page, frame, options);
      await document.call("scrollTo", [id], options);
    }
    await owner.document.call("scrollTo", [owner.local], options);
  }
  return { problem: "outside" };
}

/** Where the frame is once it is at rest: scrolling it into view happens in its parent, which takes its own time. */
async function restingOffset(
  page: AttachedPage,
  owner: Owner,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<{ readonly x: number; readonly y: number }> {
  let last = await frameOffset(page, owner.frame, options);
  if (!isRemote(page, owner.frame)) return last;
  const main = await page.mainDocument(options);
  for (let equal = 0, looks = 0; equal < stillReadings.remote && looks < 40; looks++) {
    await main.call("frame", [], options);
    const now = await frameOffset(page, owner.frame, options);
    equal = now.x === last.x && now.y === last.y ? equal + 1 : 0;
    last = now;
  }
  return last;
}

/** What covers the element's frame in the frames around it; "outside" when the point is out of their view. */
async function coverAbove(
  page: AttachedPage,
  owner: Owner,
  at: { readonly x: number; readonly y: number },
  options: { readonly signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  for (const frame of chainOf(page, owner.frame)) {
    if (frame.parentId === undefined) return undefined;
    const parent = page.frames.get(frame.parentId);
    if (!parent) return undefined;
    const [{ document, id }, outer] = await Promise.all([
      frameOwner(page, frame, options),
      frameOffset(page, parent, options),
    ]);
    const cover = await document.call("coverOf", [id, at.x - outer.x, at.y - outer.y], options);
    if (cover !== undefined) return cover;
  }
  return undefined;
}

function problem(aimed: Problem, ref: string): ToolError {
  switch (aimed.problem) {
    case "gone":
      return goneError(ref);
    case "covered":
      return new ToolError("not_dispatchable", `${ref} is covered by ${aimed.by}.`, {
        hint: "Close or move what covers it, or act on that instead.",
      });
    case "disabled":
      return new ToolError("not_dispatchable", `${ref} is disabled.`, {
        hint: "Something else has to be done first; look at what the page wants.",
      });
    case "moving":
      return new ToolError("not_dispatchable", `${ref} keeps moving.`, { hint: "Wait until it stops moving." });
    case "outside":
      return new ToolError("not_dispatchable", `${ref} cannot be scrolled into view.`, {
        hint: "Something around it on the page hides it; open or scroll that first.",
      });
    case "closed":
      return new ToolError("not_dispatchable", `${ref} is in a closed list.`, {
        hint: "Click it to choose it, or give the list its text with cdp_fill.",
      });
    case "hidden":
      return new ToolError("not_dispatchable", `${ref} is not visible.`, {
        hint: "Open what contains it first, then take a new snapshot.",
      });
  }
}

export async function hover(
  page: AttachedPage,
  input: PageInput,
  ref: string,
  options: WitnessOptions,
): Promise<Witnessed<undefined>> {
  const owner = ownerOf(page, ref);
  return witness(
    page,
    owner,
    { focus: never, scroll: false, hover: true, quietMs: settled, drawn: "element" },
    options,
    async (watched) => {
      const at = await aimAt(page, owner, options, { force: true, guard: false });
      await watched({ via: "mouse", at });
      await input.move(at, { signal: options.signal });
      return { value: undefined, via: "mouse", at };
    },
  );
}

// The value is there as soon as it is set; only the page's reaction takes a moment.
const fillQuietMs = 4;

export async function fill(
  page: AttachedPage,
  input: PageInput,
  ref: string,
  { value, files }: { readonly value: string; readonly files?: readonly string[] },
  options: WitnessOptions,
): Promise<Witnessed<typeof filesWanted | undefined>> {
  const owner = ownerOf(page, ref);
  const { signal, settleMs } = options;
  const quiet = { scroll: false, quietMs: fillQuietMs };
  return witness(page, owner, { ...quiet, focus: never, mayBeQuiet: true }, options, async (watched) => {
    // The value is the effect; the page's immediate reaction is reported with it.
    const ask = () => owner.document.call("fill", [owner.local, value, settleMs > 0], { signal, isByUser: true });
    let { plan, seen } = await ask();
    if (plan.how === "open") {
      await closeList(input, owner, signal);
      ({ plan, seen } = await ask());
    }
    switch (plan.how) {
      case "problem":
        if (plan.problem === "gone") throw goneError(ref);
        throw new ToolError("pattern_unsupported", `${ref} ${plan.problem}.`, {
          hint: plan.candidates
            ? "Use one of the candidates."
            : "Use the uid of the field itself and a value it accepts.",
          ...(plan.candidates ? { candidates: plan.candidates } : {}),
        });
      case "done":
        return { value: undefined, via: "value", seen, warning: differing(plan.holds, value) };
      case "open":
        throw new ToolError("not_dispatchable", `The list of ${ref} does not close.`, { hint: "Press Escape first." });
      case "click":
        return pressElement(page, input, owner, 1, watched, options);
      case "files":
        return files ? setFiles(page, owner, files, options) : { value: filesWanted, via: "none" };
      case "type": {
        if (value !== "") await input.insert(value, { signal });
        else if (plan.clear) await input.chord(["delete"], { signal });
        // Reads the value back while the page settles.
        return { value: undefined, via: "keyboard", warning: readBack(owner, value, signal) };
      }
    }
  });
}

async function readBack(owner: Owner, value: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  const holds = await owner.document.call("holds", [owner.local], { signal }).catch(() => undefined);
  return differing(holds, value);
}

const differing = (holds: string | undefined, value: string): string | undefined =>
  holds === undefined || normal(holds) === normal(value)
    ? undefined
    : "The field's value differs from what was entered.";

const normal = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

async function setFiles(
  page: AttachedPage,
  owner: Owner,
  files: readonly string[],
  options: WitnessOptions,
): Promise<Done<undefined>> {
  const handle = await owner.document.handle("elementOf", [{ value: owner.local }], options);
  if (handle.objectId === undefined) throw goneError(owner.ref);
  await page.interrupts.race(
    owner.document.session.send("DOM.setFileInputFiles", { files: [...files], objectId: handle.objectId }, options),
  );
  return { value: undefined, via: "files" };
}

export async function press(
  page: AttachedPage,
  input: PageInput,
  chord: readonly string[],
  options: WitnessOptions,
): Promise<Witnessed<undefined>> {
  const isHeld = await takesText(page, options);
  const effect = await witness(
    page,
    undefined,
    { focus: always, scroll: true, caret: true, quietMs: settled, drawn: "canvas" },
    options,
    async (watched) => {
      await watched({ via: "keyboard" });
      await input.chord(chord, { signal: options.signal });
      return { value: undefined, via: "keyboard" };
    },
  );
  return isHeld ? effect : withoutClocks(page, effect, options);
}

/** Returns how many characters were typed; the submit key counts as one more. */
export async function type(
  page: AttachedPage,
  input: PageInput,
  text: string,
  submit: readonly string[] | undefined,
  options: WitnessOptions,
): Promise<Witnessed<number>> {
  const { signal } = options;
  const all = [...text].length + (submit ? 1 : 0);
  let typed = 0;
  const isHeld = await takesText(page, options);
  const seen = await witness(
    page,
    undefined,
    { focus: submit === undefined ? never : always, scroll: false, quietMs: settled, drawn: "canvas" },
    options,
    async (watched) => {
      await watched({ via: "keyboard" });
      await input.type(text, { signal, onEach: () => typed++ });
      if (submit) {
        typed++;
        await input.chord(submit, { signal });
      }
      return { value: undefined, via: "keyboard" };
    },
  );
  const effect = isHeld ? seen : await withoutClocks(page, seen, options);
  const isLost = !isHeld && effect.lines.length === 0 && !effect.hasLeft && !effect.dialog;
  const missed = isLost ? "Nothing that takes text has the focus." : undefined;
  const isCut = effect.dialog && typed < all;
  const warning = isCut ? "The dialog cut it short: the rest was not typed." : (effect.warning ?? missed);
  return { ...effect, value: typed, warning };
}
