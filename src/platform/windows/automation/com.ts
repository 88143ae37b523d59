import { ToolError } from "../../../base/errors.ts";
import { loadKoffi } from "../../native/ffi.ts";

type Koffi = NonNullable<ReturnType<typeof loadKoffi>>;
type Prototype = ReturnType<Koffi["proto"]>;

export function needKoffi(): Koffi {
  const ffi = loadKoffi();
  if (!ffi) throw new ToolError("not_supported", "koffi has no build for this machine.");
  return ffi;
}

export type Address = bigint;

/** Results that mean something to callers; anything else that is negative is a plain failure. */
export const hresult = {
  ok: 0,
  notImplemented: 0x80004001 | 0,
  noInterface: 0x80004002 | 0,
  fail: 0x80004005 | 0,
  notSupported: 0x80040204 | 0,
  notEnabled: 0x80040200 | 0,
  elementGone: 0x80040201 | 0,
} as const;

const gone: ReadonlySet<number> = new Set([
  hresult.elementGone,
  0x80010108 | 0, // RPC_E_DISCONNECTED
  0x80010012 | 0, // RPC_E_SERVER_DIED_DNE
  0x80010007 | 0, // RPC_E_SERVER_DIED
  0x800401fd | 0, // CO_E_OBJNOTCONNECTED
  0x800706ba | 0, // RPC_S_SERVER_UNAVAILABLE
  0x800706be | 0, // RPC_S_CALL_FAILED
  0x800706bf | 0, // RPC_S_CALL_FAILED_DNE
]);

const silent: ReadonlySet<number> = new Set([
  0x80131505 | 0, // UIA_E_TIMEOUT
  0x80010001 | 0, // RPC_E_CALL_REJECTED
  0x8001010a | 0, // RPC_E_SERVERCALL_RETRYLATER
  0x8001011f | 0, // RPC_E_TIMEOUT
]);

export const isGone = (result: number): boolean => gone.has(result);
export const isSilent = (result: number): boolean => silent.has(result);

export const showResult = (result: number): string => `0x${(result >>> 0).toString(16).padStart(8, "0")}`;

/** A call that failed. What it means is decided by whoever knows what was asked. */
export class ComError extends Error {
  override readonly name = "ComError";
  readonly result: number;

  constructor(what: string, result: number) {
    super(`${what} failed (${showResult(result)}).`);
    this.result = result;
  }
}

export function succeed(result: number, what: string): void {
  if (result < 0) throw new ComError(what, result);
}

const prototypes = new Map<string, Prototype>();
const functions = new Map<string, (...args: unknown[]) => number>();

/** Functions are few (one per method of a proxy class), however many objects there are. */
function methodAt(address: Address, parameters: string): (...args: unknown[]) => number {
  const key = `${address} ${parameters}`;
  const known = functions.get(key);
  if (known) return known;
  const ffi = needKoffi();
  let prototype = prototypes.get(parameters);
  if (!prototype) {
    // Prototypes are anonymous to koffi only when they have a name of their own.
    const name = `ComMethod${prototypes.size}`;
    prototype = ffi.proto(`int32 __stdcall ${name}(void *self${parameters === "" ? "" : `, ${parameters}`})`);
    prototypes.set(parameters, prototype);
  }
  const made = ffi.decode(address, prototype) as (...args: unknown[]) => number;
  functions.set(key, made);
  return made;
}

/** How many references this thread holds, in total. Flat when every answer has been given back. */
export const references = { live: 0 };

/** One reference to a COM object, given back exactly once. */
export class ComObject {
  readonly address: Address;
  #isReleased = false;

  /** Takes over a reference that a call has returned. */
  constructor(address: Address) {
    this.address = address;
    references.live += 1;
  }

  /** Calls the method in this slot of the object's table; returns its HRESULT. */
  call(slot: number, parameters: string, ...args: readonly unknown[]): number {
    if (this.#isReleased) throw new Error(`slot ${slot} of a released object was called`);
    const ffi = needKoffi();
    const table = ffi.decode(this.address, "void *") as Address;
    const method = ffi.decode(table, slot * 8, "void *") as Address;
    return methodAt(method, parameters)(this.address, ...args);
  }

  /** A method whose last parameter returns an object; undefined when it returns none. */
  object(slot: number, parameters: string, ...args: readonly unknown[]): ComObject | undefined {
    const out: [Address | null] = [null];
    const all = parameters === "" ? "_Out_ void **out" : `${parameters}, _Out_ void **out`;
    succeed(this.call(slot, all, ...args, out), `slot ${slot}`);
    return out[0] === null ? undefined : new ComObject(out[0]);
  }

  /** Another interface of the same object. */
  as(interfaceId: Buffer): ComObject | undefined {
    const out: [Address | null] = [null];
    const result = this.call(0, "void *id, _Out_ void **out", interfaceId, out);
    return result < 0 || out[0] === null ? undefined : new ComObject(out[0]);
  }

  addReference(): ComObject {
    this.call(1, "");
    return new ComObject(this.address);
  }

  release(): void {
    if (this.#isReleased) return;
    this.call(2, "");
    this.#isReleased = true;
    references.live -= 1;
  }
}

/** Runs the work, and gives back everything it was handed, whatever happens. */
export function holding<T>(work: (hold: <O extends ComObject | undefined>(object: O) => O) => T): T {
  const held: ComObject[] = [];
  try {
    return work((object) => {
      if (object) held.push(object);
      return object;
    });
  } finally {
    for (const object of held.toReversed()) object.release();
  }
}

/** The 16 bytes of an interface's id: the first three parts are little-endian. */
export function guid(text: string): Buffer {
  const digits = text.replaceAll("-", "");
  const bytes = Buffer.from(digits, "hex");
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}
