import { poll, sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { centre, contains, type Rect } from "../base/geometry.ts";
import { foldText } from "../base/match-text.ts";
import type { Arguments, Called } from "../tools/caller.ts";
import {
  aboutElement,
  durationOf,
  expectedWords,
  looksIn,
  placeOf,
  readExpectation,
  readStepTarget,
  wordsOf,
  type Expectation,
  type Step,
  type StepTarget,
} from "../tools/steps.ts";
import type { ToolImage } from "../tools/tool.ts";
import {
  awaitTarget,
  fieldArguments,
  onSurface,
  placeArguments,
  resolve,
  screenOf,
  windowArguments,
  type Scene,
} from "./places.ts";

/** The answer of any tool that acts. */
type Acted = Pick<
  Called<"click">["data"],
  "ok" | "effect" | "changes" | "arrived" | "warning" | "method" | "node_before" | "node_after"
> & {
  readonly expected?: Expected;
};
/** What became of an expectation. */
interface Expected {
  readonly met: boolean;
  readonly what: string;
  readonly seen?: string;
  readonly candidates?: string[];
}
type ActingTool =
  | "click"
  | "type_text"
  | "press_key"
  | "move_mouse"
  | "drag"
  | "scroll"
  | "act"
  | "ax_select"
  | "launch_app"
  | "quit_app"
  | "set_window"
  | "android_launch_app"
  | "cdp_navigate"
  | "cdp_new_page"
  | "android_press_key"
  | "android_swipe";

/** What a step came to. */
export interface Outcome {
  /** What was seen of an action; missing for steps that only look. */
  readonly acted?: Acted;
  readonly via?: string;
  readonly saw?: string;
  readonly note?: string;
  readonly read?: { readonly name: string | undefined; readonly text: string };
  readonly images?: readonly ToolImage[];
  /** Where the steps after it act. */
  readonly surface?: string;
  /** That nothing changed is no failure. */
  readonly mayChangeNothing?: boolean;
}

export interface Doing extends Scene {
  readonly expect: Expectation | undefined;
  /** The effect of the action before. */
  readonly lastEffect: Acted["effect"] | undefined;
  /** How long an action without an effect is watched; default: the session's limit. */
  readonly settleMs?: number | undefined;
}

type With<Verb extends Step["verb"]> = Extract<Step, { readonly verb: Verb }>["with"];

export async function performStep(step: Step, doing: Doing): Promise<Outcome> {
  switch (step.verb) {
    case "launch":
      return launch(step.with, doing);
    case "close":
      return close(step.with, doing);
    case "open":
      return open(step.with, doing);
    case "click":
      return click(step.with, doing);
    case "type":
      return type(step.with, doing);
    case "fill":
      return fill(step.with, doing);
    case "press": {
      const { key, times = 1 } = typeof step.with === "string" ? { key: step.with } : step.with;
      const pressed = await act(doing, "press_key", {
        key,
        repeat: times,
        ...windowArguments(doing),
        ...onSurface(doing),
      });
      const isUnseen = pressed.acted?.effect === "no_change" && caretKeys.test(key);
      return isUnseen ? { ...pressed, mayChangeNothing: true, note: "the text cursor may have been there" } : pressed;
    }
    case "select":
      return select(step.with, doing);
    case "check":
      return setChecked(step.with, true, doing);
    case "uncheck":
      return setChecked(step.with, false, doing);
    case "hover": {
      const target = step.with;
      const hovered = await patiently(target, doing, async () =>
        act(doing, "move_mouse", { ...(await placeArguments(target, doing)), ...onSurface(doing) }),
      );
      return { ...hovered, mayChangeNothing: true };
    }
    case "drag":
      return drag(step.with, doing);
    case "scroll":
      return scroll(step.with, doing);
    case "back":
      return back(doing);
    case "swipe":
      return swipe(step.with, doing);
    case "wait":
      return wait(step.with, doing);
    case "expect":
      return expectNow(step.with, doing);
    case "read":
      return read(step.with, doing);
    case "screenshot":
      return screenshot(step.with, doing);
  }
}

/** They move the text cursor, which may be there already, and which not every app reports. */
const caretKeys = /^(?:(?:ctrl|control|shift)\+)*(?:home|end)$/i;

const settling: ReadonlySet<ActingTool> = new Set<ActingTool>([
  "click",
  "type_text",
  "press_key",
  "drag",
  "scroll",
  "act",
  "ax_select",
]);

/** Calls a tool that acts; what the step expects is waited for by the tool itself. */
async function act(
  doing: Doing,
  tool: ActingTool,
  args: Arguments,
  more: Omit<Outcome, "acted"> = {},
): Promise<Outcome> {
  const settle = settling.has(tool) ? { settle_ms: doing.settleMs } : {};
  const { data } = await doing.call(tool, { ...args, ...settle, expect: doing.expect });
  return { ...more, acted: data };
}

const absent: ReadonlySet<string> = new Set(["not_found", "window_gone", "uid_not_found"]);

/** Acts at once, and waits only if the target is not there or not enabled yet; nothing has been done then. */
async function patiently(target: StepTarget, doing: Doing, attempt: () => Promise<Outcome>): Promise<Outcome> {
  const { form } = readStepTarget(target);
  const canWait = form === "element" && doing.timeoutMs > 0;
  try {
    const outcome = await attempt();
    if (!canWait || !wasDisabled(outcome)) return outcome;
    await awaitTarget(target, doing, "enabled");
  } catch (error) {
    if (!canWait || !(error instanceof ToolError)) throw error;
    const isRefused = error.code === "not_dispatchable";
    if (!isRefused && !absent.has(error.code)) throw error;
    await awaitTarget(target, doing, isRefused ? "enabled" : "visible").catch((late: unknown) => {
      if (!(late instanceof ToolError) || late.code !== "timeout") throw late;
      // That nothing fits, or why it was refused, says more than that the time is up.
      throw isRefused ? error : missing(target, error, doing.timeoutMs);
    });
  }
  return attempt();
}

/** It was not enabled and did nothing. That it became enabled is what a step before has done. */
function wasDisabled({ acted }: Outcome): boolean {
  if (acted?.node_before?.states.includes("enabled") !== false) return false;
  const { windows = [], tree = [] } = acted.changes ?? {};
  const isOnlyEnabled = windows.length === 0 && tree.length === 1 && /^~ .* \+enabled$/.test(tree[0] ?? "");
  return acted.effect === "no_change" || isOnlyEnabled;
}

function missing(target: StepTarget, { code, details: { hint, candidates } }: ToolError, ms: number): ToolError {
  return new ToolError(code, `${wordsOf(target)} did not appear within ${ms} ms.`, {
    ...(hint === undefined ? {} : { hint }),
    ...(candidates ? { candidates } : {}),
  });
}

async function launch(given: With<"launch">, doing: Doing): Promise<Outcome> {
  const { app, args = [] } = typeof given === "string" ? { app: given } : given;
  if (doing.surface.startsWith("android:")) {
    if (args.length > 0) throw new ToolError("invalid_argument", "An Android app takes no arguments.");
    return act(doing, "android_launch_app", { package: app, serial: doing.surface.slice("android:".length) });
  }
  return act(doing, "launch_app", { app_name: app, args }, { surface: "desktop" });
}

async function close(given: With<"close">, doing: Doing): Promise<Outcome> {
  const { app, window } = typeof given === "string" ? { app: given, window: undefined } : given;
  if (doing.surface !== "desktop") {
    throw new ToolError("not_supported", "Only apps and windows of the desktop can be closed.", {
      hint: "cdp_close_page closes a page; on a device press home.",
    });
  }
  return window === undefined
    ? act(doing, "quit_app", { app_name: app })
    : act(doing, "set_window", { action: "close", window_title: window });
}

async function open(given: With<"open">, doing: Doing): Promise<Outcome> {
  if (typeof given === "object" && "file" in given) {
    return act(doing, "launch_app", { app_name: given.with, args: [given.file] }, { surface: "desktop" });
  }
  const url = typeof given === "string" ? given : given.url;
  if (doing.surface.startsWith("page:")) return act(doing, "cdp_navigate", { url, ...onSurface(doing) });
  if (doing.surface.startsWith("android:")) {
    throw new ToolError("not_supported", "A page cannot be opened on a device.", { hint: "Launch its browser." });
  }
  try {
    const opened = await act(doing, "cdp_new_page", { url });
    return { ...opened, surface: surfaceOf(opened) };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "not_connected") throw error;
  }
  const { data } = await doing.call("cdp_launch", { url });
  const page = data.pages.find(({ selected }) => selected) ?? data.pages[0];
  if (!page) throw new ToolError("not_found", "The browser was started without a page.");
  const outcome: Outcome = { surface: page.surface, saw: `started ${data.product}` };
  if (doing.expect === undefined) return outcome;
  await expectNow(doing.expect, { ...doing, surface: page.surface });
  return outcome;
}

const surfaceOf = ({ acted }: Outcome): string =>
  (acted as { readonly surface?: string } | undefined)?.surface ?? "desktop";

async function click(given: With<"click">, doing: Doing): Promise<Outcome> {
  const target = placeOf(given);
  const { button, count, modifiers } = (typeof given === "string" ? {} : given) as Readonly<Record<string, unknown>>;
  const how = { button, clicks: count, modifiers };
  const clicked = await patiently(target, doing, async () =>
    act(doing, "click", { ...(await placeArguments(target, doing)), ...how, ...onSurface(doing) }),
  );
  return hadFocus(clicked) ? { ...clicked, mayChangeNothing: true, note: "had the focus already" } : clicked;
}

/** A click into the field that one types into anyway need not change anything. */
function hadFocus({ acted }: Outcome): boolean {
  const states = acted?.node_before?.states ?? [];
  return acted?.effect === "no_change" && states.includes("focused") && states.includes("editable");
}

async function type(given: With<"type">, doing: Doing): Promise<Outcome> {
  const { text, into } = typeof given === "string" ? { text: given, into: undefined } : given;
  if (into === undefined) return act(doing, "type_text", { text, ...windowArguments(doing), ...onSurface(doing) });
  return patiently(into, doing, () =>
    act(doing, "type_text", { text, ...fieldArguments(into, doing), ...onSurface(doing) }),
  );
}

/** Sets the value natively, and types where that is not possible. */
async function fill({ into, text }: With<"fill">, doing: Doing): Promise<Outcome> {
  const named = readStepTarget(asField(into));
  const value = String(text);
  if (named.form === "region") {
    const region = typeof named.region === "number" ? { region: named.region } : { region_id: named.region };
    return how(
      await act(doing, "act", { action: "set_value", ...region, value, fallback: "type", ...onSurface(doing) }),
    );
  }
  const element = await resolve(asField(into), doing);
  if (element.value !== undefined && String(element.value) === value)
    return already(element.uid, doing, "has it already");
  const args = { action: "set_value", uid: element.uid, value, fallback: "type", ...onSurface(doing) };
  return how(await act(doing, "act", args));
}

/** The words beside a field are its name, so a text means the field. */
const asField = (target: StepTarget): StepTarget =>
  typeof target === "string" ? { label: target } : target.text === undefined ? target : renamed(target);

function renamed({ text: label, ...rest }: Exclude<StepTarget, string>): StepTarget {
  return { ...rest, label };
}

const how = (outcome: Outcome): Outcome => ({
  ...outcome,
  via: outcome.acted?.method === "input" ? "typed" : "set natively",
});

/** Nothing needs to be done; what the step expects must hold all the same. */
async function already(uid: string, doing: Doing, note: string): Promise<Outcome> {
  return expectOf({ note }, uid, doing);
}

/** What the step expects, once it is done. The effect of the step before is none of its own. */
async function expectOf(done: Outcome, uid: string | undefined, doing: Doing): Promise<Outcome> {
  const { expect } = doing;
  if (expect === undefined) return done;
  const { acted } = done;
  await expectNow(uid === undefined ? expect : aboutElement(expect, uid), { ...doing, lastEffect: acted?.effect });
  return acted ? { ...done, acted: { ...acted, expected: { met: true, what: expectedWords(expect) } } } : done;
}

const noNativeWay: ReadonlySet<string> = new Set([
  "not_dispatchable",
  "pattern_unsupported",
  "ax_error",
  "not_supported",
  "no_row_ancestor",
  "not_found",
]);

const hasNoNativeWay = (error: unknown): boolean => error instanceof ToolError && noNativeWay.has(error.code);

async function select(given: With<"select">, doing: Doing): Promise<Outcome> {
  if (typeof given === "object" && "option" in given) {
    const { option, from } = given as { readonly option: string; readonly from: StepTarget };
    const { uid, pid, value } = await resolve(asField(from), doing);
    if (value === option) return already(uid, doing, "has it already");
    try {
      return await act(doing, "act", { action: "set_value", uid, value: option, ...onSurface(doing) });
    } catch (error) {
      if (!hasNoNativeWay(error)) throw error;
    }
    const where = doing.surface === "desktop" && pid !== undefined ? { pid } : windowArguments(doing);
    const before = new Set((await entriesShown(option, where, doing)).map((each) => each.uid));
    await doing.call("click", { uid, ...onSurface(doing) });
    const entry = await entryAppeared({ option, from, where, before }, doing);
    return act(doing, "click", { uid: entry.uid, ...onSurface(doing) }, { via: "chosen from the open list" });
  }
  const target = given;
  const { uid, states } = await resolve(target, doing);
  if (states.includes("selected")) return already(uid, doing, "is selected already");
  try {
    return await act(doing, "ax_select", { uid, ...onSurface(doing) });
  } catch (error) {
    if (!hasNoNativeWay(error)) throw error;
    return act(doing, "click", { uid, ...onSurface(doing) }, { via: "clicked" });
  }
}

type Element = Awaited<ReturnType<typeof resolve>>;

/** The entries of lists and menus; an option of a page is a listitem, Android has boxes in lists to choose from. */
const entryRoles: ReadonlySet<string> = new Set(["listitem", "menuitem", "radio"]);
const mostFound = 500;

async function entriesShown(option: string, where: Arguments, doing: Doing): Promise<readonly Element[]> {
  const args = { name: option, max_results: mostFound, ...where, ...onSurface(doing) };
  const { data } = await doing.call("find_elements", args);
  return data.elements.filter(
    ({ role, native_role = "", name, states }) =>
      (entryRoles.has(role) || native_role.endsWith("CheckedTextView")) &&
      states.includes("showing") &&
      foldText(name) === foldText(option),
  );
}

const listEveryMs = 100;

/** The one entry of this name that the open list has. Anything else of the same name was there before. */
async function entryAppeared(
  {
    option,
    from,
    where,
    before,
  }: {
    readonly option: string;
    readonly from: StepTarget;
    readonly where: Arguments;
    readonly before: ReadonlySet<string>;
  },
  doing: Doing,
): Promise<Element> {
  const look = async (): Promise<readonly Element[] | undefined> => {
    const fresh = (await entriesShown(option, where, doing)).filter(({ uid }) => !before.has(uid));
    return fresh.length > 0 ? fresh : undefined;
  };
  const { timeoutMs, signal } = doing;
  const [entry, ...others] = (await poll(look, { timeoutMs, everyMs: listEveryMs, signal })) ?? [];
  const name = JSON.stringify(option);
  if (!entry) {
    throw new ToolError("not_found", `No entry ${name} appeared when ${wordsOf(from)} was opened.`, {
      hint: "Look at the entries; a list that is still open is closed with escape.",
    });
  }
  if (others.length === 0) return entry;
  throw new ToolError("ambiguous_target", `${others.length + 1} entries ${name} appeared.`, {
    hint: "Click one of the candidates by its uid.",
    candidates: [entry, ...others].slice(0, 10).map(({ uid, role }) => `${uid} ${role} ${name}`),
  });
}

async function setChecked(target: StepTarget, wanted: boolean, doing: Doing): Promise<Outcome> {
  const box = await resolve(target, doing);
  const { uid } = box;
  if (!isBox(box)) {
    throw new ToolError("pattern_unsupported", `${wordsOf(target)} is a ${box.role}, which cannot be checked.`, {
      hint: "Name the box itself, or click.",
    });
  }
  if (isChecked(box) === wanted) return already(uid, doing, `is ${wanted ? "" : "not "}checked already`);
  const click = { uid, ...onSurface(doing) };
  // What a click makes of a mixed box depends on the app.
  if (isChecked(box) === undefined) {
    const done = await act({ ...doing, expect: undefined }, "click", click);
    if (isChecked(await resolve({ uid }, doing)) === wanted) return expectOf(done, uid, doing);
  }
  const own = { [wanted ? "checked" : "unchecked"]: { uid }, timeout_ms: doing.timeoutMs };
  const done = await act({ ...doing, expect: own }, "click", click);
  return isMet(done) ? expectOf(done, uid, doing) : done;
}

/** Not every app says of its boxes that they can be checked. */
const isBox = ({ role, native_role = "", states }: Element): boolean =>
  states.includes("checkable") || /check|radio|switch|toggle/i.test(`${role} ${native_role}`);

/** Undefined for a mixed box, which is neither. */
const isChecked = ({ states }: Element): boolean | undefined =>
  states.includes("mixed") ? undefined : states.includes("checked");

const isMet = ({ acted }: Outcome): boolean => acted?.expected?.met !== false;

async function drag({ from, to }: With<"drag">, doing: Doing): Promise<Outcome> {
  const end = async (target: StepTarget): Promise<Arguments> => {
    const named = readStepTarget(target);
    return named.form === "element" ? { uid: (await resolve(target, doing)).uid } : placeArguments(target, doing);
  };
  const [start, stop] = [await end(from), await end(to)];
  const ends = {
    uid: start["uid"],
    region: start["region"],
    region_id: start["region_id"],
    start_x: start["x"],
    start_y: start["y"],
    to_uid: stop["uid"],
    to_region: stop["region"],
    to_region_id: stop["region_id"],
    end_x: stop["x"],
    end_y: stop["y"],
  };
  return act(doing, "drag", { ...ends, ...onSurface(doing) });
}

async function back(doing: Doing): Promise<Outcome> {
  return act(doing, "android_press_key", { key: "KEYCODE_BACK", serial: needDevice("back", doing) });
}

const serialOf = ({ surface }: Pick<Doing, "surface">): string => surface.slice("android:".length);

function needDevice(verb: string, doing: Doing): string {
  if (doing.surface.startsWith("android:")) return serialOf(doing);
  throw new ToolError("not_supported", `Only a device can ${verb === "back" ? "go back" : verb}.`, {
    hint: verb === "swipe" ? "Use scroll, or drag." : "On the desktop press alt+left; in a page open the address.",
  });
}

/** How far a finger moves in a direction, as parts of the screen. */
const swipes = {
  up: { from: { x: 0.5, y: 0.7 }, to: { x: 0.5, y: 0.25 } },
  down: { from: { x: 0.5, y: 0.3 }, to: { x: 0.5, y: 0.75 } },
  left: { from: { x: 0.85, y: 0.5 }, to: { x: 0.15, y: 0.5 } },
  right: { from: { x: 0.15, y: 0.5 }, to: { x: 0.85, y: 0.5 } },
} as const;

async function swipe(given: With<"swipe">, doing: Doing): Promise<Outcome> {
  const serial = needDevice("swipe", doing);
  const screen = await screenOf(doing);
  const part = ({ x, y }: { readonly x: number; readonly y: number }) => ({
    x: Math.round(screen.x + (screen.width - 1) * x),
    y: Math.round(screen.y + (screen.height - 1) * y),
  });
  const place = async (target: StepTarget) => {
    if (readStepTarget(target).form === "point") {
      const { x, y } = await placeArguments(target, doing);
      return { x: Number(x), y: Number(y) };
    }
    const { bounds } = await resolve(target, doing);
    if (bounds) return centre(bounds);
    throw new ToolError("not_found", `${wordsOf(target)} has no place on the screen.`);
  };
  const [start, end] =
    typeof given === "string"
      ? [part(swipes[given].from), part(swipes[given].to)]
      : [await place(given.from), await place(given.to)];
  const ends = { start_x: start.x, start_y: start.y, end_x: end.x, end_y: end.y };
  return act(doing, "android_swipe", { ...ends, serial });
}

// More notches than the longest list of a person's patience has.
const mostScrolls = 100;

async function scroll(given: With<"scroll">, doing: Doing): Promise<Outcome> {
  const { direction = "down", amount, at, until } = typeof given === "string" ? { direction: given } : given;
  const turn = async (): Promise<Outcome> => {
    const place = at === undefined ? {} : await placeArguments(at, doing);
    // With `until`, what is expected comes after the last turn.
    const expect = until === undefined ? doing.expect : undefined;
    return act({ ...doing, expect }, "scroll", { direction, amount, ...place, ...onSurface(doing) });
  };
  if (until === undefined) return at === undefined ? turn() : patiently(at, doing, turn);
  const screen = await screenOf(doing);
  let last: Outcome = { note: "is in view already" };
  for (let turns = 0; ; turns++) {
    const found = await inView(until, screen, doing);
    if (found) return expectOf(last, found.uid, doing);
    if (turns === mostScrolls)
      throw new ToolError("not_found", `${wordsOf(until)} is not in view after ${mostScrolls} turns of the wheel.`);
    last = await turn();
    if (last.acted?.effect === "no_change") {
      throw new ToolError("not_found", `${wordsOf(until)} is not in view, and nothing scrolls any further.`);
    }
  }
}

/** To be there is not enough: most of what is below the fold of a page or list has a place too. */
async function inView(
  target: StepTarget,
  screen: Rect,
  doing: Doing,
): Promise<{ readonly uid: string | undefined } | undefined> {
  try {
    const { element, match } = await awaitTarget(target, { ...doing, timeoutMs: 0 }, "visible");
    const { bounds, uid } = element ?? match ?? {};
    const isShown = element?.states.includes("showing") !== false;
    return isShown && (!bounds || contains(screen, centre(bounds))) ? { uid } : undefined;
  } catch (error) {
    if (error instanceof ToolError && error.code === "timeout") return undefined;
    throw error;
  }
}

async function wait(given: With<"wait">, doing: Doing): Promise<Outcome> {
  const ms = typeof given === "number" ? given : typeof given === "string" ? durationOf(given) : undefined;
  if (ms === undefined) return expectNow(given as Expectation, doing);
  await sleep(ms, doing.signal);
  return {};
}

/** Waits until it is as expected; throws with what is there instead. */
async function expectNow(expect: Expectation, doing: Doing): Promise<Outcome> {
  const expected = readExpectation(expect);
  const own = typeof expect === "string" ? undefined : expect.timeout_ms;
  const timeoutMs = own ?? doing.timeoutMs;
  if (expected.is === "changed") {
    if (doing.lastEffect === "confirmed") return {};
    throw new ToolError(
      "timeout",
      `The action before was seen to change nothing (${doing.lastEffect ?? "there was none"}).`,
    );
  }
  if (expected.is === "clipboard") return expectClipboard(expected.text, timeoutMs, doing);
  const { data } = await doing.call("wait_for", {
    expect,
    timeout_ms: timeoutMs,
    ...windowArguments(doing),
    ...(looksIn(expect).surface === undefined ? onSurface(doing) : {}),
  });
  const { element, match } = data;
  const saw = element
    ? `${element.role} ${JSON.stringify(element.name)} ${element.uid}`
    : match
      ? JSON.stringify(match.text)
      : undefined;
  return saw === undefined ? {} : { saw };
}

const clipboardEveryMs = 100;

async function expectClipboard(text: string, timeoutMs: number, { call, signal }: Doing): Promise<Outcome> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { data } = await call("get_clipboard", {});
    if (data.text === text) return {};
    if (performance.now() >= end)
      throw new ToolError("timeout", `The clipboard did not hold the text within ${timeoutMs} ms.`);
    await sleep(clipboardEveryMs, signal);
  }
}

const longestSaw = 200;

async function read(given: With<"read">, doing: Doing): Promise<Outcome> {
  const target = placeOf(given);
  const { as: name } = (typeof given === "string" ? {} : given) as { readonly as?: string };
  const named = readStepTarget(target);
  if (named.form === "point" || named.form === "image")
    throw new ToolError("invalid_argument", `A ${named.form} has no text to read.`);
  const attempt = async (): Promise<Outcome> => {
    const { data } = await doing.call("read_text", { ...(await placeArguments(target, doing)), ...onSurface(doing) });
    return { read: { name, text: data.text }, saw: JSON.stringify(data.text.slice(0, longestSaw)) };
  };
  return patiently(target, doing, attempt);
}

async function screenshot(given: With<"screenshot">, doing: Doing): Promise<Outcome> {
  const file = given === true ? undefined : typeof given === "string" ? given : given.file;
  const args = { file_path: file, include_ocr: false, ...windowArguments(doing), ...onSurface(doing) };
  const { data, images } = await doing.call("take_screenshot", args);
  return { images, saw: data.file_path ?? data.screenshot_id };
}
