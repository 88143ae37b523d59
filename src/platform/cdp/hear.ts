import { throwIfCancelled } from "../../base/async.ts";
import { screenPoint } from "../../base/geometry.ts";
import { isModifier, keyNames, parseChord, type Chord } from "../../base/keys.ts";
import { ToolError } from "../../base/errors.ts";
import type { Button, HeardEvent, Input } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { Frame } from "./frames.ts";
import { frameOffset } from "./geometry.ts";
import { PageReports } from "./reports.ts";

/**
 * Reports trusted input alone. Of a key in a password field it reports that there was one: what must not be kept must
 * not leave the page.
 */
const tellInput = `
  const held = (event) => ["ctrl", "shift", "alt", "meta"].filter((name) => event[name + "Key"]);
  const onButton = (event) => event.isTrusted &&
    tell([event.type === "mousedown" ? "down" : "up", event.clientX, event.clientY, event.button, held(event), event.timeStamp]);
  const notchesOf = (pixels, mode) => Math.sign(pixels) * Math.max(1, Math.round(Math.abs(pixels) / (mode === 0 ? 100 : 1)));
  const onWheel = (event) => event.isTrusted && tell(["wheel", event.clientX, event.clientY,
    event.deltaX && notchesOf(event.deltaX, event.deltaMode), event.deltaY && notchesOf(event.deltaY, event.deltaMode), event.timeStamp]);
  const isSecret = (event) => event.composedPath().some((node) => node.localName === "input" && node.type === "password");
  const onKey = (event) => event.isTrusted && tell(isSecret(event)
    ? ["key", "", [], event.timeStamp]
    : ["key", event.key, held(event), event.timeStamp]);
  const heard = [["mousedown", onButton], ["mouseup", onButton], ["wheel", onWheel], ["keydown", onKey]];
  for (const [type, listener] of heard) addEventListener(type, listener, { capture: true, passive: true });
  return () => {
    for (const [type, listener] of heard) removeEventListener(type, listener, { capture: true });
  };`;

const buttons: readonly Button[] = ["left", "middle", "right", "back", "forward"];

/** What a report says, in the coordinates of its frame. */
export function readReport(report: unknown): HeardEvent | undefined {
  if (!Array.isArray(report)) return undefined;
  const [kind, ...rest] = report as readonly unknown[];
  if (kind === "key") {
    const [key, held, ms] = rest;
    return typeof key === "string" && isHeld(held) && isNumber(ms) ? heardKey(key, held, ms) : undefined;
  }
  const [x, y] = rest;
  if (!isNumber(x) || !isNumber(y)) return undefined;
  const at = screenPoint(x, y);
  if (kind === "wheel") {
    const [, , right, down, ms] = rest;
    return isNumber(right) && isNumber(down) && isNumber(ms)
      ? { kind, at, notches: { x: right, y: down }, ms }
      : undefined;
  }
  const [, , button, held, ms] = rest;
  if ((kind !== "down" && kind !== "up") || !isNumber(button) || !isHeld(held) || !isNumber(ms)) return undefined;
  return { kind, at, button: buttons[button], held, ms };
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isHeld = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && isModifier(each));

function heardKey(key: string, held: Chord, ms: number): HeardEvent | undefined {
  if (key === "") return { kind: "key", chord: [], ms };
  const name = nameOf(key);
  if (name === undefined || isModifier(name)) return undefined;
  const isShortcut = held.some((each) => each !== "shift");
  const isCharacter = [...key].length === 1;
  if (isCharacter && !isShortcut) return { kind: "key", chord: [name], text: key, ms };
  return { kind: "key", chord: [...held, isShortcut ? name.toLowerCase() : name], ms };
}

/** The browser's names are those of the standard; what no key is called, as "Process", is none. */
function nameOf(key: string): string | undefined {
  try {
    const [name] = parseChord({ key: [key] });
    return name !== undefined && (keyNames.includes(name) || [...name].length === 1) ? name : undefined;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** Reports buttons, wheel and keys of the page. */
export function hearInput(page: AttachedPage): NonNullable<Input["listen"]> {
  const listeners = new Set<(event: HeardEvent) => void>();
  const reports = new PageReports(page, { name: "handsightInput", source: tellInput });
  let before: Promise<unknown> = Promise.resolve();
  const placed = async (event: HeardEvent, frame: Frame | undefined): Promise<HeardEvent> => {
    if (!("at" in event) || !frame) return event;
    const { x, y } = await frameOffset(page, frame, {});
    return { ...event, at: screenPoint(event.at.x + x, event.at.y + y) };
  };
  reports.read((report, frame) => {
    const event = readReport(report);
    if (!event) return false;
    // In order, although asking where a frame is takes time.
    before = before
      .then(async () => {
        const heard = await placed(event, frame);
        for (const listener of listeners) listener(heard);
      })
      .catch(() => {});
    return true;
  });
  return async (listener, { signal } = {}) => {
    throwIfCancelled(signal);
    const own = (event: HeardEvent): void => listener(event);
    const reporting = await reports.listen(() => {});
    listeners.add(own);
    return {
      async [Symbol.asyncDispose]() {
        await reporting[Symbol.asyncDispose]();
        // What was done before the end counts.
        await before;
        listeners.delete(own);
      },
    };
  };
}
