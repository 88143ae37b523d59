import type { Rect } from "../../../base/geometry.ts";
import { attributes, pairOf, plain } from "../ax.ts";
import { constants } from "../bindings/constants.ts";
import type { Pointer } from "../bindings/native.ts";
import { itemsOf, textOf } from "../cf.ts";
import type { Mac, Own } from "../mac.ts";
import { needSuccess, pointerIn } from "../ax.ts";

const wanted = [
  "AXRole",
  "AXSubrole",
  "AXTitle",
  "AXDescription",
  "AXValue",
  "AXPosition",
  "AXSize",
  "AXEnabled",
  "AXFocused",
  "AXSelected",
  "AXExpanded",
  "AXDisclosing",
  "AXIdentifier",
  "AXMinValue",
  "AXMaxValue",
  "AXHelp",
  "AXPlaceholderValue",
  "AXModal",
  "AXElementBusy",
  "AXTitleUIElement",
  "AXChildren",
] as const;
type Name = (typeof wanted)[number];

type Plain = string | number | boolean | undefined;

/** What an app says about one element, read in two round trips. Pointers are borrowed from the burst. */
export interface Facts {
  readonly role: string;
  readonly subrole: string;
  readonly bounds: Rect | undefined;
  readonly actions: readonly string[];
  readonly children: readonly bigint[];
  readonly label: Pointer;
  readonly get: (name: Name) => Plain;
}

export function readFacts(mac: Mac, own: Own, element: bigint): Facts {
  const { native } = mac;
  const values = attributes(mac, own, element, wanted);
  const raw = (name: Name): Pointer => values[wanted.indexOf(name)] ?? null;
  const get = (name: Name): Plain => plain(mac, raw(name));
  const [x, y] = pairOf(mac, raw("AXPosition"), constants.kAXValueTypeCGPoint) ?? [];
  const [width, height] = pairOf(mac, raw("AXSize"), constants.kAXValueTypeCGSize) ?? [];
  const isPlaced = x !== undefined && y !== undefined && width !== undefined && height !== undefined;
  return {
    role: String(get("AXRole") ?? ""),
    subrole: String(get("AXSubrole") ?? ""),
    bounds: isPlaced ? { x, y, width, height } : undefined,
    actions: actionsOf(mac, own, element),
    children: itemsOf(native, raw("AXChildren")).filter((child) => child !== null),
    label: raw("AXTitleUIElement"),
    get,
  };
}

function actionsOf(mac: Mac, own: Own, element: bigint): readonly string[] {
  const names = new BigUint64Array(1);
  const code = mac.native.AXUIElementCopyActionNames(element, names);
  if (code === constants.kAXErrorAttributeUnsupported || code === constants.kAXErrorNoValue) return [];
  needSuccess(code, "reading its actions");
  return itemsOf(mac.native, own(pointerIn(names))).map((name) => textOf(mac.native, name));
}
