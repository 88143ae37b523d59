import { screenPoint, type ScreenPoint } from "../../../base/geometry.ts";
import { ComError, ComObject, guid, holding, hresult, isGone, isSilent, succeed, type Address } from "./com.ts";
import { essential, pattern, property, type PatternName } from "./uia-names.ts";
import { emptyVariant, takeString, takeVariant, type OleMemory } from "./variant.ts";
import type { Properties } from "./uia-describe.ts";

const scope = { element: 1, children: 2, subtree: 7 } as const;
const elementMode = { full: 1 } as const;

/** IUIAutomation, IUIAutomationElement, … : the slots of their tables. */
const slot = {
  elementFromHandle: 6,
  elementFromPoint: 7,
  focusedElement: 8,
  createTreeWalker: 13,
  controlViewCondition: 18,
  createCacheRequest: 20,
  element: {
    setFocus: 3,
    findAllCached: 8,
    updatedCache: 9,
    currentValue: 11,
    cachedValue: 13,
    patternAs: 14,
    cachedChildren: 19,
    clickablePoint: 84,
    showContextMenu: 91,
  },
  array: { length: 3, item: 4 },
  walker: { parent: 3 },
  request: { addProperty: 3, setScope: 7, setFilter: 9, setMode: 11 },
} as const;

const element3 = guid("8471df34-aee0-4a01-a7de-7db9af12c296");

export interface UiaElement {
  readonly object: ComObject;
  /** Read with the cache that came with it. */
  readonly properties: Properties;
}

const isUnavailable = (result: number): boolean => result === hresult.notImplemented || result === hresult.notSupported;

/** UI Automation as a client uses it. Whoever gets elements releases them. */
export class Uia {
  readonly #automation: ComObject;
  readonly #memory: OleMemory;
  readonly #condition: ComObject;
  readonly #oneElement: ComObject;
  /** Undefined where a request cannot hold more than one element. */
  readonly #wholeSubtree: ComObject | undefined;
  #properties: readonly number[];

  /** Takes over the reference. `sample` is any window: it shows which properties the platform answers at all. */
  constructor(automation: ComObject, memory: OleMemory, sample: number) {
    this.#automation = automation;
    this.#memory = memory;
    this.#condition = need(automation.object(slot.controlViewCondition, ""), "the control view");
    const answered = this.#answered(sample);
    this.#properties = answered;
    this.#wholeSubtree = this.#subtreeRequest();
    // Where requests hold one element, each of its properties is a call to the app too.
    if (!this.#wholeSubtree) this.#properties = answered.filter((key) => essential.has(key));
    this.#oneElement = this.#request(scope.element);
  }

  get readsSubtrees(): boolean {
    return this.#wholeSubtree !== undefined;
  }

  /** Undefined when there is no such window. */
  fromWindow(hwnd: number): UiaElement | undefined {
    const found = this.#ask(slot.elementFromHandle, "uintptr_t hwnd", hwnd);
    return found && this.#refreshed(found);
  }

  /** The platform's own idea of what is there; undefined when it has none. */
  fromPoint({ x, y }: ScreenPoint): UiaElement | undefined {
    // POINT by value is one 64-bit register.
    const packed = (BigInt.asUintN(32, BigInt(Math.round(y))) << 32n) | BigInt.asUintN(32, BigInt(Math.round(x)));
    const found = this.#ask(slot.elementFromPoint, "uint64 point", packed);
    return found && this.#refreshed(found);
  }

  focused(): UiaElement | undefined {
    const found = this.#ask(slot.focusedElement, "");
    return found && this.#refreshed(found);
  }

  parent(element: ComObject): UiaElement | undefined {
    return holding((hold) => {
      const walker = hold(this.#ask(slot.createTreeWalker, "void *condition", this.#condition.address));
      const found = walker?.object(slot.walker.parent, "void *element", element.address);
      return found && this.#refreshed(found);
    });
  }

  /** The element as it is now; undefined when it is gone. */
  refresh(element: ComObject): UiaElement | undefined {
    try {
      const updated = element.object(slot.element.updatedCache, "void *request", this.#oneElement.address);
      if (!updated) return undefined;
      return { object: updated, properties: this.#cached(updated) };
    } catch (error) {
      if (error instanceof ComError && (isGone(error.result) || error.result === hresult.fail)) return undefined;
      throw error;
    }
  }

  /** One level: a call for the children, none for each of them. */
  children(element: ComObject): readonly UiaElement[] {
    const parameters = "int32 scope, void *condition, void *request";
    const array = holding(() =>
      element.object(
        slot.element.findAllCached,
        parameters,
        scope.children,
        this.#condition.address,
        this.#oneElement.address,
      ),
    );
    return this.#unpack(array);
  }

  /** The element with everything below it in one call; undefined where that is not possible. */
  withSubtree(element: ComObject): ComObject | undefined {
    if (!this.#wholeSubtree) return undefined;
    try {
      return element.object(slot.element.updatedCache, "void *request", this.#wholeSubtree.address);
    } catch (error) {
      // A provider that is too slow for all of it may be fast enough for one level.
      if (error instanceof ComError && (isSilent(error.result) || isUnavailable(error.result))) return undefined;
      throw error;
    }
  }

  /** Children that came with a subtree. */
  cachedChildren(element: ComObject): readonly UiaElement[] {
    return this.#unpack(element.object(slot.element.cachedChildren, ""));
  }

  /** Where the app says a click reaches the element. */
  clickablePoint(element: ComObject): ScreenPoint | undefined {
    const [point, has]: [Int32Array, [number]] = [new Int32Array(2), [0]];
    const result = element.call(slot.element.clickablePoint, "_Out_ int32 *point, _Out_ int32 *has", point, has);
    return result < 0 || has[0] === 0 ? undefined : screenPoint(point[0] ?? 0, point[1] ?? 0);
  }

  setFocus(element: ComObject): number {
    return element.call(slot.element.setFocus, "");
  }

  showContextMenu(element: ComObject): number {
    return holding((hold) => {
      const third = hold(element.as(element3));
      return third ? third.call(slot.element.showContextMenu, "") : hresult.noInterface;
    });
  }

  /** A pattern of the element; undefined when it has none. Not for trees: every call goes to the app. */
  pattern(element: ComObject, name: PatternName): ComObject | undefined {
    const { id, interface: text } = pattern[name];
    const out: [Address | null] = [null];
    const parameters = "int32 pattern, void *interface, _Out_ void **out";
    const result = element.call(slot.element.patternAs, parameters, id, guid(text), out);
    if (isUnavailable(result) || result === hresult.noInterface) return undefined;
    succeed(result, `pattern ${name}`);
    return out[0] === null ? undefined : new ComObject(out[0]);
  }

  /** One property, asked for now. */
  current(element: ComObject, key: number): unknown {
    const { result, value } = this.#value(element, slot.element.currentValue, key);
    return result < 0 ? undefined : value;
  }

  makeString(text: string): Address {
    return this.#memory.makeString(text);
  }

  freeString(address: Address): void {
    this.#memory.freeString(address);
  }

  takeString(address: Address | null): string | undefined {
    return takeString(address, this.#memory);
  }

  release(): void {
    for (const object of [this.#wholeSubtree, this.#oneElement, this.#condition, this.#automation]) object?.release();
  }

  /** Elements as found have nothing cached yet. */
  #refreshed(found: ComObject): UiaElement | undefined {
    try {
      return this.refresh(found);
    } finally {
      found.release();
    }
  }

  /** Missing abilities and missing elements are the same to callers: not available. */
  #ask(method: number, parameters: string, ...args: readonly unknown[]): ComObject | undefined {
    try {
      return this.#automation.object(method, parameters, ...args);
    } catch (error) {
      const isNothing =
        error instanceof ComError &&
        (isUnavailable(error.result) || isGone(error.result) || error.result === hresult.fail);
      if (isNothing) return undefined;
      throw error;
    }
  }

  #unpack(array: ComObject | undefined): readonly UiaElement[] {
    if (!array) return [];
    try {
      const length: [number] = [0];
      succeed(array.call(slot.array.length, "_Out_ int32 *length", length), "length");
      const found: UiaElement[] = [];
      for (let index = 0; index < length[0]; index++) {
        const object = array.object(slot.array.item, "int32 index", index);
        if (object) found.push({ object, properties: this.#cached(object) });
      }
      return found;
    } finally {
      array.release();
    }
  }

  #cached(object: ComObject): Properties {
    const read = new Map<number, unknown>();
    for (const key of this.#properties) {
      const { result, value } = this.#value(object, slot.element.cachedValue, key);
      if (result >= 0 && value !== undefined) read.set(key, value);
    }
    return read;
  }

  #value(object: ComObject, method: number, key: number): { readonly result: number; readonly value: unknown } {
    const variant = emptyVariant();
    const result = object.call(method, "int32 property, int32 ignoreDefault, void *value", key, 0, variant);
    return { result, value: result < 0 ? undefined : takeVariant(variant, this.#memory) };
  }

  /** Wine answers a handful; asking for any other in a cache request would fail the whole request. */
  #answered(sample: number): readonly number[] {
    const found = this.#ask(slot.elementFromHandle, "uintptr_t hwnd", sample);
    if (!found) return Object.values(property);
    const known = Object.values(property).filter(
      (key) => !isUnavailable(this.#value(found, slot.element.currentValue, key).result),
    );
    found.release();
    return known;
  }

  #request(treeScope: number): ComObject {
    const request = need(this.#automation.object(slot.createCacheRequest, ""), "a cache request");
    for (const key of this.#properties) request.call(slot.request.addProperty, "int32 property", key);
    request.call(slot.request.setMode, "int32 mode", elementMode.full);
    const result = request.call(slot.request.setScope, "int32 scope", treeScope);
    if (result < 0) {
      request.release();
      throw new ComError(`cache scope ${treeScope}`, result);
    }
    return request;
  }

  #subtreeRequest(): ComObject | undefined {
    try {
      const request = this.#request(scope.subtree);
      request.call(slot.request.setFilter, "void *condition", this.#condition.address);
      return request;
    } catch (error) {
      if (error instanceof ComError && isUnavailable(error.result)) return undefined;
      throw error;
    }
  }
}

function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new ComError(what, hresult.fail);
  return value;
}

/** The element's identity as text; undefined when it has none. */
export function runtimeIdOf(properties: Properties): string | undefined {
  const parts = properties.get(property.runtimeId) as readonly number[] | undefined;
  return parts && parts.length > 0 ? parts.join(".") : undefined;
}
