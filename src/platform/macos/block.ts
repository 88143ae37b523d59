import type { Pointer } from "./bindings/native.ts";
import type { Mac } from "./mac.ts";

// Block_private.h: the block is not copied or counted, and says what it takes.
const isGlobal = 1 << 28;
const hasSignature = 1 << 30;
/** void (^)(id, NSError *) */
const signature = Buffer.from("v24@?0@8@16\0");
const blockBytes = 32;

const waiting = new Set<object>();

/**
 * A completion handler with a result and an error. macOS may call it from any thread; koffi brings the call to this one, so the
 * process must not wait for it without giving the event loop a turn.
 */
export class Block<T> {
  readonly pointer: Buffer;
  readonly called: Promise<T>;
  readonly #invoke: bigint;
  readonly #descriptor: Buffer;

  /** The two arguments are valid only during the call. */
  constructor(mac: Mac, take: (result: Pointer, error: Pointer) => T) {
    const { koffi } = mac.native;
    const type = koffi.pointer(koffi.proto("void", ["void *", "void *", "void *"]));
    let settle: { resolve: (value: T) => void; reject: (error: unknown) => void } | undefined;
    this.called = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
    // macOS did not copy the block, so it stays until it was called, even if nobody waits for that any more.
    waiting.add(this);
    void this.called
      .catch(() => {})
      .finally(() => {
        // The call itself has not returned yet.
        setImmediate(() => {
          waiting.delete(this);
          koffi.unregister(this.#invoke);
        });
      });
    this.#invoke = koffi.register((_block: Pointer, result: Pointer, error: Pointer) => {
      try {
        settle?.resolve(mac.burst(() => take(result, error)));
      } catch (failure) {
        settle?.reject(failure);
      }
    }, type);
    this.#descriptor = Buffer.alloc(24);
    this.#descriptor.writeBigUInt64LE(BigInt(blockBytes), 8);
    this.#descriptor.writeBigUInt64LE(koffi.address(signature), 16);
    this.pointer = Buffer.alloc(blockBytes);
    this.pointer.writeBigUInt64LE(mac.native.address("objc", "_NSConcreteGlobalBlock"), 0);
    this.pointer.writeInt32LE(isGlobal | hasSignature, 8);
    this.pointer.writeBigUInt64LE(this.#invoke, 16);
    this.pointer.writeBigUInt64LE(koffi.address(this.#descriptor), 24);
  }
}
