import { screenPoint } from "../../../base/geometry.ts";
import type { HeardEvent } from "../../backend.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { rawKinds, rawReader, type RawEvent } from "../x11/extensions.ts";
import { queryKeymap, queryPointer } from "../x11/requests.ts";
import { buttonNames, getLogicalButton } from "./buttons.ts";
import { HeardKeys, type Locked } from "./heard-keys.ts";
import { getMap, getState, isMappingChange, useXkb } from "./xkb.ts";

/** What `listenTo` needs to be selected. */
export const heardKinds: readonly number[] = [
  rawKinds.keyPress,
  rawKinds.keyRelease,
  rawKinds.buttonPress,
  rawKinds.buttonRelease,
];

/** The wheel is four buttons. */
const wheels: ReadonlyMap<number, { readonly x: number; readonly y: number }> = new Map([
  [4, { x: 0, y: -1 }],
  [5, { x: 0, y: 1 }],
  [6, { x: -1, y: 0 }],
  [7, { x: 1, y: 0 }],
]);

/** Reports what the keyboard and the pointer of the display do, in order; the returned function ends it. */
export async function listenTo(
  c: Connection,
  listener: (event: HeardEvent) => void,
  options?: RequestOptions,
): Promise<() => Promise<void>> {
  const [read, xkb] = await Promise.all([rawReader(c), useXkb(c)]);
  const readKeys = async (down: Iterable<number>): Promise<HeardKeys> => {
    const { rows, modifiers } = await getMap(c, options);
    return new HeardKeys(rows, modifiers, down);
  };
  const readLocked = async (): Promise<Locked> => {
    const { lockedModifiers, lockedGroup } = await getState(c);
    return { modifiers: lockedModifiers, group: lockedGroup };
  };
  let locked = await readLocked();
  let keys = await readKeys(bitsOf(await queryKeymap(c, options)));
  let isStale = false;

  const hear = async (raw: RawEvent, pointer: ReturnType<typeof queryPointer>): Promise<HeardEvent | undefined> => {
    const isDown = raw.kind === rawKinds.keyPress || raw.kind === rawKinds.buttonPress;
    if (raw.kind === rawKinds.buttonPress || raw.kind === rawKinds.buttonRelease) {
      const [{ x, y }, number] = await Promise.all([pointer, getLogicalButton(c, raw.detail)]);
      const at = screenPoint(x, y);
      const notches = wheels.get(number);
      if (notches) return isDown ? { kind: "wheel", at, notches, ms: raw.time } : undefined;
      return { kind: isDown ? "down" : "up", at, button: buttonNames.get(number), held: keys.held, ms: raw.time };
    }
    if (isStale) {
      isStale = false;
      keys = await readKeys(keys.down);
    }
    if (!isDown) {
      keys.release(raw.detail);
      // A lock or another layout takes effect with this key.
      if (keys.isModifier(raw.detail)) locked = await readLocked();
      return undefined;
    }
    const heard = keys.press(raw.detail, locked);
    return heard && { kind: "key", ...heard, ms: raw.time };
  };

  let before: Promise<unknown> = Promise.resolve();
  const stop = c.on((event) => {
    if (isMappingChange(event, xkb)) isStale = true;
    const raw = read(event);
    if (!raw || !heardKinds.includes(raw.kind) || (raw.isDerived && raw.kind !== rawKinds.keyPress)) return;
    // Asked at once: by the time the events before it are read, the pointer may be elsewhere.
    const pointer = queryPointer(c);
    pointer.catch(() => {});
    before = before
      .then(async () => {
        const heard = await hear(raw, pointer);
        if (heard) listener(heard);
      })
      .catch(() => {});
  });
  const stopWaiting = c.onClose(() => listener({ kind: "lost" }));
  return async () => {
    stop();
    stopWaiting();
    // What was done before the end counts.
    await before;
  };
}

const bitsOf = (keymap: Buffer): number[] =>
  Array.from({ length: keymap.length * 8 }, (_, code) => code).filter(
    (code) => ((keymap[code >> 3] ?? 0) & (1 << (code & 7))) !== 0,
  );
