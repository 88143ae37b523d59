import { ToolError } from "../../base/errors.ts";
import { constants } from "./bindings/constants.ts";
import type { Pointer } from "./bindings/native.ts";
import { itemsOf, newArray, plainOf } from "./cf.ts";
import type { Mac, Own } from "./mac.ts";

/** An app that has not answered by then is busy or hangs. */
export const silenceMs = 1500;

const { kAXErrorSuccess, kAXErrorNoValue, kAXErrorAttributeUnsupported } = constants;

/** Why the accessibility interface refused. */
export function axFailure(code: number, what: string): ToolError {
  switch (code) {
    case constants.kAXErrorInvalidUIElement:
      return new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
    case constants.kAXErrorCannotComplete:
      return new ToolError("timeout", `The app did not answer (${what}).`, {
        hint: "It is busy or hangs; try again, or use another app.",
      });
    case constants.kAXErrorAPIDisabled:
      return new ToolError("permission_missing", "macOS has not allowed handsight to use accessibility.", {
        hint: "System Settings → Privacy & Security → Accessibility; then restart the app that started handsight.",
      });
    case constants.kAXErrorActionUnsupported:
    case constants.kAXErrorAttributeUnsupported:
    case constants.kAXErrorNotImplemented:
      return new ToolError("not_dispatchable", `The element does not support ${what} (AX error ${code}).`);
    default:
      return new ToolError("ax_error", `${what} failed with AX error ${code}.`);
  }
}

export function needSuccess(code: number, what: string): void {
  if (code !== kAXErrorSuccess) throw axFailure(code, what);
}

/** One attribute; null when the element does not have it. */
export function attribute(mac: Mac, own: Own, element: bigint, name: string): Pointer {
  const value = new BigUint64Array(1);
  const code = mac.native.AXUIElementCopyAttributeValue(element, mac.name(name), value);
  if (code === kAXErrorNoValue || code === kAXErrorAttributeUnsupported) return null;
  needSuccess(code, name);
  return own(pointerIn(value));
}

/** Many attributes in one round trip; null for those the element does not have. */
export function attributes(mac: Mac, own: Own, element: bigint, names: readonly string[]): readonly Pointer[] {
  const { native } = mac;
  const wanted = own(
    newArray(
      native,
      names.map((name) => mac.name(name)),
    ),
  );
  const values = new BigUint64Array(1);
  needSuccess(native.AXUIElementCopyMultipleAttributeValues(element, wanted, 0, values), "reading its attributes");
  return itemsOf(native, own(pointerIn(values))).map((item) => (isMissing(mac, item) ? null : item));
}

/** A missing attribute comes back as an AXValue that holds an error. */
function isMissing({ native }: Mac, item: Pointer): boolean {
  return (
    item === null ||
    (native.CFGetTypeID(item) === native.AXValueGetTypeID() &&
      native.AXValueGetType(item) === constants.kAXValueTypeAXError)
  );
}

export function pointerIn(out: BigUint64Array): Pointer {
  const [value = 0n] = out;
  return value === 0n ? null : value;
}

/** A CGPoint or CGSize that an attribute holds. */
export function pairOf({ native }: Mac, value: Pointer, type: 1 | 2): readonly [number, number] | undefined {
  if (value === null) return undefined;
  const pair = new Float64Array(2);
  return native.AXValueGetValue(value, type, pair) === 0 ? undefined : [pair[0] ?? 0, pair[1] ?? 0];
}

/** The caller's burst releases it. */
export function newPair({ native }: Mac, own: Own, type: 1 | 2, pair: readonly [number, number]): bigint {
  const value = own(native.AXValueCreate(type, Float64Array.from(pair)));
  if (value === null) throw new Error("AXValueCreate failed");
  return value;
}

export function setAttribute(mac: Mac, element: bigint, name: string, value: Pointer): void {
  needSuccess(mac.native.AXUIElementSetAttributeValue(element, mac.name(name), value), name);
}

export function performAction(mac: Mac, element: bigint, action: string): void {
  needSuccess(mac.native.AXUIElementPerformAction(element, mac.name(action)), action);
}

export const plain = (mac: Mac, value: Pointer): string | number | boolean | undefined => plainOf(mac.native, value);

export function booleanValue({ native }: Mac, value: boolean): Pointer {
  return native.variable("CoreFoundation", value ? "kCFBooleanTrue" : "kCFBooleanFalse");
}

/** An app's element, for the length of the burst. */
export function appElement({ native }: Mac, own: Own, pid: number): bigint {
  const app = own(native.AXUIElementCreateApplication(pid));
  if (app !== null) return app;
  throw new ToolError("process_not_running", `No app with the process id ${pid} is running.`);
}

export function pidOf({ native }: Mac, element: bigint): number | undefined {
  const pid = new Int32Array(1);
  return native.AXUIElementGetPid(element, pid) === kAXErrorSuccess ? pid[0] : undefined;
}

/** The window server's id of an AX window. The call is private, so it may be missing. */
export function windowIdOf({ native }: Mac, window: bigint): number | undefined {
  if (!native.has("_AXUIElementGetWindow")) return undefined;
  const id = new Uint32Array(1);
  return native._AXUIElementGetWindow(window, id) === kAXErrorSuccess ? id[0] : undefined;
}
