import type { Rect } from "../../../base/geometry.ts";
import { ComObject, guid, holding, isGone, type Address } from "./com.ts";
import { emptyVariant, Held, intVariant, readVariant, takeString, takeVariant, type OleMemory } from "./variant.ts";

const iAccessible = guid("618736e0-3c3d-11cf-810c-00aa00389b71");
const iUnknown = guid("00000000-0000-0000-c000-000000000046");
const objectClient = 0xfffffffc;
const self = 0;

const slot = {
  childCount: 8,
  child: 9,
  name: 10,
  value: 11,
  description: 12,
  role: 13,
  state: 14,
  defaultAction: 20,
  select: 21,
  location: 22,
  doDefaultAction: 25,
  setValue: 27,
} as const;

/** An object of its own, or a part of one that has only a number. */
export interface Accessible {
  readonly object: ComObject;
  readonly childId: number;
}

export interface AccessibleFacts {
  readonly role: number;
  readonly state: number;
  readonly name: string;
  readonly value: string | undefined;
  readonly description: string | undefined;
  readonly defaultAction: string | undefined;
  readonly bounds: Rect | undefined;
}

type FromWindow = (hwnd: number, object: number, id: Buffer, out: [Address | null]) => number;

/** Microsoft Active Accessibility as a client uses it. Whoever gets objects releases them. */
export class Msaa {
  readonly #fromWindow: FromWindow;
  readonly #memory: OleMemory;

  constructor(fromWindow: FromWindow, memory: OleMemory) {
    this.#fromWindow = fromWindow;
    this.#memory = memory;
  }

  /** The content of a window; undefined when it offers nothing. */
  client(hwnd: number): Accessible | undefined {
    const out: [Address | null] = [null];
    const result = this.#fromWindow(hwnd, objectClient, iAccessible, out);
    return result < 0 || out[0] === null ? undefined : { object: new ComObject(out[0]), childId: self };
  }

  /** Undefined when the object is gone, or is only a placeholder that answers nothing. */
  read({ object, childId }: Accessible): AccessibleFacts | undefined {
    const role = this.#number(object, slot.role, childId);
    const state = this.#number(object, slot.state, childId);
    if (role === undefined || state === undefined) return undefined;
    return {
      role,
      state,
      name: this.#text(object, slot.name, childId) ?? "",
      value: this.#text(object, slot.value, childId),
      description: this.#text(object, slot.description, childId),
      defaultAction: this.#text(object, slot.defaultAction, childId),
      bounds: this.#place(object, childId),
    };
  }

  children({ object, childId }: Accessible): readonly Accessible[] {
    if (childId !== self) return [];
    const count: [number] = [0];
    if (object.call(slot.childCount, "_Out_ int32 *count", count) < 0) return [];
    const found: Accessible[] = [];
    for (let number = 1; number <= count[0]; number++) {
      const child = this.#child(object, number);
      if (child) found.push(child);
    }
    return found;
  }

  /** The same for one object as long as somebody holds it: COM's own rule of identity. */
  identity({ object }: Accessible): bigint {
    return holding((hold) => hold(object.as(iUnknown))?.address ?? object.address);
  }

  act({ object, childId }: Accessible): number {
    return object.call(slot.doDefaultAction, "void *child", intVariant(childId));
  }

  select({ object, childId }: Accessible, flags: number): number {
    return object.call(slot.select, "int32 flags, void *child", flags, intVariant(childId));
  }

  setValue({ object, childId }: Accessible, text: string): number {
    const address = this.#memory.makeString(text);
    try {
      return object.call(slot.setValue, "void *child, void *text", intVariant(childId), address);
    } finally {
      this.#memory.freeString(address);
    }
  }

  #child(object: ComObject, number: number): Accessible | undefined {
    const out: [Address | null] = [null];
    const result = object.call(slot.child, "void *child, _Out_ void **out", intVariant(number), out);
    if (result < 0 && isGone(result)) return undefined;
    // No object of its own: it is asked about through its parent.
    if (result < 0 || out[0] === null) return { object: object.addReference(), childId: number };
    return holding((hold) => {
      const accessible = hold(new ComObject(out[0] as Address)).as(iAccessible);
      return accessible && { object: accessible, childId: self };
    });
  }

  #text(object: ComObject, method: number, childId: number): string | undefined {
    const out: [Address | null] = [null];
    const result = object.call(method, "void *child, _Out_ void **text", intVariant(childId), out);
    return result < 0 ? undefined : takeString(out[0], this.#memory);
  }

  #number(object: ComObject, method: number, childId: number): number | undefined {
    const variant = emptyVariant();
    if (object.call(method, "void *child, void *value", intVariant(childId), variant) < 0) return undefined;
    const isObject = readVariant(variant) instanceof Held;
    const value = takeVariant(variant, this.#memory);
    return !isObject && typeof value === "number" ? value : undefined;
  }

  #place(object: ComObject, childId: number): Rect | undefined {
    const [x, y, width, height]: [number][] = [[0], [0], [0], [0]] as [number][];
    const parameters = "_Out_ int32 *x, _Out_ int32 *y, _Out_ int32 *width, _Out_ int32 *height, void *child";
    const result = object.call(slot.location, parameters, x, y, width, height, intVariant(childId));
    const [w = 0, h = 0] = [width?.[0], height?.[0]];
    return result < 0 || w <= 0 || h <= 0 ? undefined : { x: x?.[0] ?? 0, y: y?.[0] ?? 0, width: w, height: h };
  }
}
