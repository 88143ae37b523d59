import { constants } from "./bindings/constants.ts";
import type { Mac } from "./mac.ts";

/** How a character is typed on the current keyboard layout. */
export interface Stroke {
  readonly code: number;
  readonly flags: number;
}

// Carbon's modifier bits, shifted as UCKeyTranslate takes them.
const shiftBit = 2;
const optionBit = 8;

const combinations: readonly (readonly [bits: number, flags: number])[] = [
  [0, 0],
  [shiftBit, constants.kCGEventFlagMaskShift],
  [optionBit, constants.kCGEventFlagMaskAlternate],
  [shiftBit | optionBit, constants.kCGEventFlagMaskShift | constants.kCGEventFlagMaskAlternate],
];
const mostUnits = 4;
/** The digits and signs of the number pad come last, so that a digit is typed where people type it. */
const mostCodes = 0x40;

/**
 * Every character that one key types. Asked on the main thread only: macOS ends a process that asks for its layouts on
 * another.
 */
export function readLayout({ native, burst }: Mac): ReadonlyMap<string, Stroke> {
  return burst((own) => {
    const key = native.variable("HIToolbox", "kTISPropertyUnicodeKeyLayoutData");
    const dataOf = (source: bigint | null) => (source === null ? null : native.TISGetInputSourceProperty(source, key));
    // An input method has no layout of its own.
    const data =
      dataOf(own(native.TISCopyCurrentKeyboardLayoutInputSource())) ??
      dataOf(own(native.TISCopyCurrentASCIICapableKeyboardLayoutInputSource()));
    const strokes = new Map<string, Stroke>();
    if (data === null) return strokes;
    const layout = native.CFDataGetBytePtr(data);
    const [dead, length, units] = [new Uint32Array(1), new BigUint64Array(1), new Uint16Array(mostUnits)];
    for (const [bits, flags] of combinations) {
      for (let code = 0; code < mostCodes; code++) {
        dead[0] = 0;
        const status = native.UCKeyTranslate(
          layout,
          code,
          constants.kUCKeyActionDown,
          bits,
          native.LMGetKbdType(),
          constants.kUCKeyTranslateNoDeadKeysMask,
          dead,
          mostUnits,
          length,
          units,
        );
        const text = String.fromCharCode(...units.subarray(0, Number(length[0])));
        if (status === 0 && isTyped(text) && !strokes.has(text)) strokes.set(text, { code, flags });
      }
    }
    return strokes;
  });
}

const isTyped = (text: string): boolean => [...text].length === 1 && text >= " " && text !== "\u007F";
