import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { contains, type ScreenPoint } from "../../base/geometry.ts";
import type { Chord } from "../../base/keys.ts";
import type { UiNode } from "../../base/node.ts";
import type { HeardEvent, WindowInfo } from "../../platform/backend.ts";
import { Activity } from "../../surface/activity.ts";
import { readFacts } from "../../surface/state.ts";
import type { Surface } from "../../surface/surface.ts";
import { findUnder, windowUnder, type Under } from "../../surface/under-pointer.ts";
import type { Expectation, StepTarget } from "../../tools/steps.ts";
import { expectFrom, type Seen } from "./evidence.ts";
import { targetWords } from "./target-words.ts";
import { isEditing, typed, wholeText, type Typing } from "./typing.ts";

/** One thing the person did, as a step. */
export interface Recorded {
  readonly surface: string;
  readonly verb: string;
  readonly value: unknown;
  /** The element it was done to, among all there were. */
  readonly node?: UiNode | undefined;
  readonly scene: Seen;
  readonly window?: Pick<WindowInfo, "pid" | "title" | "appName"> | undefined;
  readonly expect?: Expectation | undefined;
  /** Names of secrets that it uses. */
  readonly secret?: string | undefined;
  /** What the person called the part that begins here. */
  readonly mark?: string | undefined;
  /** When, on the clock of this process. */
  readonly at: number;
  /** Its element was not there yet when the step before had been done. */
  readonly isLate?: boolean | undefined;
}

export interface RecorderOptions {
  readonly signal: AbortSignal;
  /** Whether this window may be looked at. */
  readonly permits: (window: WindowInfo) => boolean;
  /** Whether another recorder hears what is done in this window. */
  readonly skips: (window: WindowInfo) => boolean;
  readonly onStep: (step: Recorded) => void;
  /** The person asked for the end. */
  readonly onStop: () => void;
}

type ButtonEvent = Extract<HeardEvent, { readonly kind: "down" | "up" }>;

/** What the person asks of the recorder itself. */
export const recorderKeys = { stop: "ctrl+alt+s", mark: "ctrl+alt+m", assert: "ctrl+alt+e" } as const;

// Two presses within this time, at the same place, are a double click.
const doubleClickMs = 450;
const dragUnits = 8;
// An app that takes longer would hold up everything that is done after it.
const answerMs = 1_000;
const restMs = 60;
const quietMs = 150;
const settleMs = 1_500;
const tickMs = 20;

/** A flow may expect no more than that. */
const longestExpected = 10_000;

/** What a person typed is no placeholder, whatever it looks like. */
const plainText = (text: string): string => text.replaceAll("${", "$${");

/** Listens to what a person does on one surface, and says it in steps. */
export class SurfaceRecorder implements AsyncDisposable {
  readonly #surface: Surface;
  readonly #options: RecorderOptions;
  readonly #stops: AsyncDisposable[] = [];
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** The last reading, and what has been done since. */
  #seen: Seen = { nodes: [], windows: [], windowId: undefined };
  #rested: { readonly at: ScreenPoint; readonly under: Under } | undefined;
  #restTimer: NodeJS.Timeout | undefined;
  #typing: Typing | undefined;
  #last: (Recorded & { readonly pressedMs?: number; readonly place?: ScreenPoint }) | undefined;
  #mark: string | undefined;
  #marks = 0;
  #pressed: { readonly event: ButtonEvent; readonly under: Promise<Under | undefined> } | undefined;
  /** Things done in windows that may not be looked at. */
  leftOut = 0;

  constructor(surface: Surface, options: RecorderOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  /** Resolves once everything that happens is heard. */
  async begin(): Promise<void> {
    const input = this.#surface.need("input");
    const { signal } = this.#options;
    if (!input.listen) {
      throw new ToolError("not_supported", `What a person does on ${this.#surface.id} cannot be recorded.`);
    }
    await this.#look(undefined);
    this.#stops.push(await input.watchPointer(() => this.#moved(), { signal }));
    this.#stops.push(await input.listen((event) => this.#hear(event), { signal }));
  }

  /** Ends it once all that was heard has become steps. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#stops.map((stop) => stop[Symbol.asyncDispose]()));
    clearTimeout(this.#restTimer);
    await this.#work;
    await this.#attempt(() => this.#flush());
    this.#tell();
  }

  #hear(event: HeardEvent): void {
    if (event.kind === "lost") return this.#options.onStop();
    // What is there must be asked for now: the app may close it as soon as it reacts.
    const under = event.kind === "down" ? this.#underNow(event.at) : undefined;
    this.#enqueue(() => this.#handle(event, under));
  }

  #enqueue(work: () => Promise<void>): void {
    this.#waiting++;
    this.#work = this.#work.then(async () => {
      this.#waiting--;
      await this.#attempt(work);
    });
  }

  /** One thing that cannot be told must not end the recording. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }

  #moved(): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      if (this.#waiting === 0) this.#enqueue(() => this.#rest());
      else this.#moved();
    }, restMs);
  }

  /** Before a press, what is under the pointer and around it is still as the person sees it. */
  async #rest(): Promise<void> {
    if (this.#pressed) return;
    const at = await this.#surface.need("input").position({ signal: this.#options.signal });
    const under = await this.#find(at);
    this.#rested = under && { at, under };
    // Whoever takes the mouse has typed their text. Read it before the next click changes anything.
    await this.#flush();
    if (under) await this.#look(under.window);
  }

  async #underNow(at: ScreenPoint): Promise<Under | undefined> {
    const rested = this.#rested;
    if (rested && Math.hypot(at.x - rested.at.x, at.y - rested.at.y) <= 2) return rested.under;
    const found = await this.#find(at).catch(() => undefined);
    return found ?? (rested && contains(rested.under.bounds, at) ? rested.under : undefined);
  }

  async #find(at: ScreenPoint): Promise<Under | undefined> {
    const { signal, permits, skips } = this.#options;
    const window = await windowUnder(this.#surface, at, signal);
    if (!window || skips(window)) return undefined;
    if (!permits(window)) {
      this.leftOut++;
      return undefined;
    }
    return controlOf(await findUnder(this.#surface, at, window, { signal, readsText: false, timeoutMs: answerMs }));
  }

  /** Reads the app of the window, or of the one in front. */
  async #look(window: Pick<WindowInfo, "id" | "pid"> | undefined): Promise<Seen> {
    const { signal } = this.#options;
    const windows = (await this.#surface.backend.windows?.list({ signal })) ?? [];
    const front = window ?? windows.find(({ isForeground }) => isForeground);
    const facts = await readFacts(this.#surface, { pid: front?.pid, windowId: front?.id, node: undefined }, signal);
    this.#seen = { nodes: facts.nodes ?? [], windows: facts.windows, windowId: front?.id };
    return this.#seen;
  }

  async #handle(
    event: Exclude<HeardEvent, { kind: "lost" }>,
    under: Promise<Under | undefined> | undefined,
  ): Promise<void> {
    switch (event.kind) {
      case "key":
        return this.#key(event);
      case "wheel":
        return this.#wheel(event);
      case "down":
        await this.#flush();
        if (under) this.#pressed = { event, under };
        return;
      case "up":
        return this.#released(event);
    }
  }

  async #released(event: ButtonEvent): Promise<void> {
    const pressed = this.#pressed;
    this.#pressed = undefined;
    if (!pressed || pressed.event.button === undefined) return;
    const { at, button, held, ms } = pressed.event;
    const under = await pressed.under;
    if (!under) return;
    if (Math.hypot(event.at.x - at.x, event.at.y - at.y) > dragUnits) return this.#dragged(under, event.at);
    const last = this.#last;
    const isAgain =
      last?.verb === "click" &&
      last.pressedMs !== undefined &&
      last.place !== undefined &&
      ms - last.pressedMs <= doubleClickMs &&
      Math.hypot(at.x - last.place.x, at.y - last.place.y) <= 3;
    if (last && isAgain) {
      const { value } = last;
      const { count = 1, ...rest } = asObject(value as StepTarget);
      this.#last = { ...last, value: { ...rest, count: Math.min(3, Number(count) + 1) }, pressedMs: ms };
      await this.#settle(under);
      return;
    }
    this.#tell();
    const scene = this.#sceneFor(under);
    const target = this.#words(under, scene, at);
    const more = {
      ...(button === "left" ? {} : { button }),
      ...(held.length === 0 ? {} : { modifiers: [...held] }),
    };
    const value = Object.keys(more).length === 0 ? target : { ...asObject(target), ...more };
    this.#note({ verb: "click", value, node: under.node, scene, window: under.window }, { pressedMs: ms, place: at });
    await this.#settle(under);
  }

  async #dragged(under: Under, to: ScreenPoint): Promise<void> {
    this.#tell();
    const scene = this.#sceneFor(under);
    const from = this.#words(under, scene, undefined);
    const end = await this.#find(to);
    const target = end ? this.#words(end, scene, to) : pointWords(to, under.window.bounds);
    this.#note({ verb: "drag", value: { from, to: target }, node: under.node, scene, window: under.window });
    await this.#settle(under);
  }

  async #wheel({ at, notches }: Extract<HeardEvent, { kind: "wheel" }>): Promise<void> {
    await this.#flush();
    const direction = notches.y > 0 ? "down" : notches.y < 0 ? "up" : notches.x > 0 ? "right" : "left";
    const last = this.#last;
    const { direction: before, amount } = (last?.value ?? {}) as {
      readonly direction?: string;
      readonly amount?: number;
    };
    if (last?.verb === "scroll" && before === direction && amount !== undefined) {
      this.#last = { ...last, value: { ...(last.value as object), amount: Math.min(100, amount + 1) } };
      return;
    }
    this.#tell();
    const under = await this.#find(at);
    if (!under) return;
    const scene = this.#sceneFor(under);
    const place = this.#words(under, scene, at);
    this.#note({
      verb: "scroll",
      value: { direction, amount: 1, at: place },
      node: under.node,
      scene,
      window: under.window,
    });
  }

  async #key(event: Extract<HeardEvent, { kind: "key" }>): Promise<void> {
    const chord = event.chord.join("+");
    if (chord === recorderKeys.stop) return this.#options.onStop();
    if (chord === recorderKeys.mark) {
      await this.#flush();
      this.#mark = `Part ${++this.#marks}`;
      return;
    }
    if (chord === recorderKeys.assert) return this.#assert();
    const isNewLine = chord === "enter" && this.#typing?.field?.states.includes("multiline") === true;
    const key = isNewLine ? { chord: event.chord, text: "\n" } : event;
    const isWriting = key.text !== undefined || event.chord.length === 0;
    if (isWriting || (this.#typing && isEditing(event.chord))) {
      this.#typing = typed(this.#typing ?? (await this.#beginTyping()), key);
      return;
    }
    await this.#flush();
    this.#tell();
    const window = this.#seen.windows.find(({ isForeground }) => isForeground);
    if (window && this.#isNone(window)) return;
    this.#note({ verb: "press", value: pressWords(event.chord), scene: this.#seen, window });
    await this.#settle(undefined);
  }

  async #beginTyping(): Promise<Typing> {
    this.#tell();
    const field = await this.#surface.backend.elements?.focused({ timeoutMs: 3 * answerMs }).catch(() => undefined);
    const isField = field?.states.includes("editable") === true;
    const known = isField ? this.#seen.nodes.find(({ runtimeId }) => runtimeId === field.runtimeId) : undefined;
    if (isField && !known) await this.#attempt(async () => void (await this.#look(undefined)));
    const initial = String(known?.value ?? "");
    return {
      field: isField ? field : undefined,
      initial,
      written: "",
      isSecret: field?.states.includes("password") === true,
      isEdited: false,
    };
  }

  /** Text that was typed becomes one step. */
  async #flush(): Promise<void> {
    const typing = this.#typing;
    this.#typing = undefined;
    if (!typing || (typing.written === "" && !typing.isEdited && !typing.isSecret)) return;
    const { field } = typing;
    const scene = this.#seen;
    const window = scene.windows.find(({ id }) => id === (field?.windowId ?? scene.windowId));
    if (window && this.#isNone(window)) return;
    const into = field && targetWords(field, scene);
    if (!field || into === undefined) {
      // Keys that must not be known leave nothing to type.
      if (typing.written === "") return;
      this.#note({ verb: "type", value: plainText(typing.written), scene, window });
    } else if (typing.isSecret) {
      const secret = secretName(field);
      this.#note({ verb: "fill", value: { into, text: `\${secret:${secret}}` }, node: field, scene, window, secret });
    } else {
      const text = wholeText(typing, await this.#textOf(field));
      const value = { into, text: plainText(text) };
      const expect = text.length > longestExpected ? undefined : { value: plainText(text) };
      this.#note({ verb: "fill", value, node: field, scene, window, expect });
    }
    // What the field holds is all there is to expect. To wait for more would be to miss what is done next.
    await this.#look(undefined);
  }

  async #textOf({ runtimeId }: UiNode): Promise<string | undefined> {
    const { signal } = this.#options;
    const read = await this.#surface.backend.elements
      ?.text(runtimeId, { maxChars: 100_000, signal })
      .catch((): undefined => undefined);
    return read?.text;
  }

  /** What is under the pointer must be there, with what it shows. */
  async #assert(): Promise<void> {
    await this.#flush();
    this.#tell();
    const at = await this.#surface.need("input").position({ signal: this.#options.signal });
    const under = await this.#find(at);
    const scene = under && this.#sceneFor(under);
    const target = under?.node && scene && targetWords(under.node, scene);
    if (!under || !scene || target === undefined) return;
    const { value, states = [] } = under.node ?? {};
    const expect: Expectation =
      value !== undefined && value !== ""
        ? { value, of: target }
        : states.includes("checkable")
          ? { [states.includes("checked") ? "checked" : "unchecked"]: target }
          : { visible: target };
    this.#note({ verb: "expect", value: expect, node: under.node, scene, window: under.window });
    this.#tell();
  }

  /** Nothing that is typed there belongs into the flow. */
  #isNone(window: WindowInfo): boolean {
    return this.#options.skips(window) || !this.#options.permits(window);
  }

  /** The element among the others, even if these were read a moment earlier. */
  #sceneFor({ node, window }: Under): Seen {
    const { nodes } = this.#seen;
    const isKnown = node === undefined || nodes.some(({ runtimeId }) => runtimeId === node.runtimeId);
    return { ...this.#seen, nodes: isKnown ? nodes : [...nodes, node], windowId: window.id };
  }

  #words({ node, window, bounds }: Under, scene: Seen, at: ScreenPoint | undefined): StepTarget {
    const words = node && targetWords(node, scene);
    if (words !== undefined) return words;
    return pointWords(at ?? { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 }, window.bounds);
  }

  #note(
    step: Omit<Recorded, "surface" | "at" | "isLate" | "mark">,
    more: { readonly pressedMs?: number; readonly place?: ScreenPoint } = {},
  ): void {
    this.#tell();
    const { node } = step;
    const after = this.#last?.scene.nodes;
    const isLate =
      node !== undefined && after !== undefined && !after.some(({ runtimeId }) => runtimeId === node.runtimeId);
    const mark = this.#mark;
    this.#mark = undefined;
    this.#last = { ...step, ...more, surface: this.#surface.id, at: performance.now(), isLate, mark };
  }

  /** The step is final once the next one begins. */
  #tell(): void {
    const last = this.#last;
    this.#last = undefined;
    if (!last) return;
    const { pressedMs: _ms, place: _place, ...step } = last;
    this.#options.onStep(step);
  }

  /** Waits until what was done has had its effect, or the person goes on, and says what came of it. */
  async #settle(under: Under | undefined): Promise<void> {
    const last = this.#last;
    if (!last) return;
    const before = last.scene;
    const scope = { pid: under?.window.pid ?? last.window?.pid, windowId: under?.window.id ?? before.windowId };
    const expect = await this.#effect(before, last.node, scope);
    if (this.#last === last) this.#last = { ...last, expect };
    this.#rested = undefined;
  }

  /** What it was seen to do; apps react late, but nobody waits for them who goes on. */
  async #effect(
    before: Seen,
    node: UiNode | undefined,
    scope: { readonly pid: number | undefined; readonly windowId: number | undefined },
  ): Promise<Expectation | undefined> {
    const { signal } = this.#options;
    await using activity = await Activity.open(this.#surface, scope, signal);
    const until = performance.now() + settleMs;
    const hasTime = (): boolean => this.#waiting === 0 && performance.now() < until;
    for (;;) {
      while (hasTime() && performance.now() - activity.lastAt < quietMs) await sleep(tickMs, signal);
      const expect = expectFrom(before, ofSameApp(await this.#look(undefined), before), node);
      if (expect !== undefined || !hasTime()) return expect;
      const seenAt = activity.lastAt;
      while (hasTime() && activity.lastAt === seenAt) await sleep(tickMs, signal);
    }
  }
}

const controls: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "combobox",
  "link",
  "listitem",
  "menu",
  "menuitem",
  "radio",
  "switch",
  "tab",
]);
const inner: ReadonlySet<string> = new Set(["text", "label", "image", "unknown", "group"]);
// The text of a GTK 4 check box lies in boxes of its own.
const deepestPart = 3;

/** Of a text inside a control, the control, also where it offers no action. */
function controlOf(under: Under): Under {
  if (!under.node || !inner.has(under.node.role)) return under;
  const at = under.ancestors.slice(0, deepestPart).findIndex(({ role }) => controls.has(role));
  const node = under.ancestors[at];
  if (!node?.bounds) return under;
  const { bounds, role, name } = node;
  return { ...under, node, bounds, role, name, ancestors: under.ancestors.slice(at + 1) };
}

/** Elements of another app are no change of this one. */
const ofSameApp = (after: Seen, before: Seen): Seen => {
  const pidOf = ({ windows, windowId }: Seen) => windows.find(({ id }) => id === windowId)?.pid;
  return pidOf(after) === pidOf(before) ? after : { ...after, nodes: before.nodes };
};

const asObject = (target: StepTarget): Readonly<Record<string, unknown>> =>
  typeof target === "string" ? { text: target } : target;

function pointWords(at: { readonly x: number; readonly y: number }, bounds: WindowInfo["bounds"]): StepTarget {
  const part = (value: number, start: number, size: number): string =>
    `${Math.round(((value - start) / Math.max(1, size - 1)) * 1_000) / 10}%`;
  return { point: `${part(at.x, bounds.x, bounds.width)},${part(at.y, bounds.y, bounds.height)}` };
}

const pressWords = (chord: Chord): string => chord.map((key) => (key === "+" ? "plus" : key)).join("+");

/** `API key:` → `API_KEY`. */
function secretName({ name, automationId }: UiNode): string {
  const plain = (name || automationId || "")
    .normalize("NFD")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toUpperCase();
  return /^[A-Z]/.test(plain) ? plain.slice(0, 40) : "PASSWORD";
}
