import { promisify } from "node:util";
import { loadKoffi, loadLibrary } from "./ffi.ts";

// igzip_lib.h: FULL_FLUSH, and ISAL_DEF_LVL1_DEFAULT
const fullFlush = 2;
const level = 1;
const levelBufferBytes = 282_624;
/** Room for the private part of struct isal_zstream: 82 320 bytes in version 2.30, plus a reserve. */
const privateBytes = 128 * 1024;

/** Offsets of the public fields of struct isal_zstream, on any machine with 64-bit pointers. */
const field = {
  nextIn: 0,
  availIn: 8,
  nextOut: 16,
  availOut: 24,
  totalOut: 28,
  level: 40,
  levelBufferSize: 44,
  levelBuffer: 48,
  flush: 58,
  internal: 64,
} as const;

type Deflate = (bytes: Uint8Array) => Promise<{ readonly blocks: Uint8Array; readonly adler: number }>;
let codec: Deflate | undefined | false;

/**
 * Deflate by Intel's ISA-L if it is installed: three to five times as fast as zlib's lowest level for the same size.
 * The blocks end on a byte boundary and are not final. Runs on a worker thread.
 */
export function openDeflateCodec(): Deflate | undefined {
  codec ??= load() ?? false;
  return codec === false ? undefined : codec;
}

function load(): Deflate | undefined {
  const koffi = loadKoffi();
  const library = loadLibrary(["libisal.so.2"]);
  if (!koffi || !library) return undefined;
  const init = library.func("void isal_deflate_stateless_init(void *stream)");
  const compress = library.func("int isal_deflate_stateless(void *stream)");
  const checksum = library.func("uint32_t isal_adler32(uint32_t start, const void *bytes, uint64_t length)");
  const compressAsync = promisify(compress.async) as (stream: Buffer) => Promise<number>;

  return async (bytes) => {
    // Filled in by hand: koffi crashes when it converts such a structure back into an object after an asynchronous
    // call.
    const stream = Buffer.alloc(field.internal + privateBytes);
    init(stream);
    // Stored blocks, the worst case, add a few bytes per 64 kB.
    const out = Buffer.allocUnsafeSlow(bytes.length + (bytes.length >> 8) + 4096);
    const scratch = Buffer.allocUnsafeSlow(levelBufferBytes);
    stream.writeBigUInt64LE(koffi.address(bytes), field.nextIn);
    stream.writeUInt32LE(bytes.length, field.availIn);
    stream.writeBigUInt64LE(koffi.address(out), field.nextOut);
    stream.writeUInt32LE(out.length, field.availOut);
    stream.writeUInt32LE(level, field.level);
    stream.writeBigUInt64LE(koffi.address(scratch), field.levelBuffer);
    stream.writeUInt32LE(scratch.length, field.levelBufferSize);
    stream.writeUInt16LE(fullFlush, field.flush);
    const status = await compressAsync(stream);
    const written = stream.readUInt32LE(field.totalOut);
    if (status !== 0) throw new Error(`isal_deflate_stateless failed with ${status} for ${bytes.length} bytes`);
    // Only their addresses were passed on; using them here, after the call, keeps them from being collected during
    // it.
    keepAlive(scratch);
    return { blocks: out.subarray(0, written), adler: Number(checksum(1, bytes, bytes.length)) };
  };
}

/** A use that no optimiser can remove. */
const kept = new WeakSet<object>();
const keepAlive = (object: object): void => void kept.add(object);
