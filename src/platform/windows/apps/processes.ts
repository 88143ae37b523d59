import { win32, type Handle } from "../win32.ts";

const queryLimited = 0x1000;
const synchronize = 0x100000;
const terminateRight = 0x1;
const stillRunning = 0x102;

/** Runs the work on an open process; undefined when it has ended or may not be opened. */
export function withProcess<T>(pid: number, access: number, work: (process: Handle) => T): T | undefined {
  const handle = pid === 0 ? 0 : win32().openProcess(access, 0, pid);
  if (handle === 0) return undefined;
  try {
    return work(handle);
  } finally {
    win32().closeHandle(handle);
  }
}

/** The program it runs. */
export function processFile(pid: number): string | undefined {
  return withProcess(pid, queryLimited, (process) => {
    const name = Buffer.alloc(2 * 1024);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(name.length / 2);
    return win32().imageOf(process, 0, name, length) === 0
      ? undefined
      : name.toString("utf16le", 0, length.readUInt32LE() * 2);
  });
}

/** While it is held, Windows gives the number to no other process. */
export interface HeldProcess extends Disposable {
  isRunning(): boolean;
  end(): void;
}

export function holdProcess(pid: number): HeldProcess | undefined {
  const api = win32();
  const handle = api.openProcess(synchronize | queryLimited | terminateRight, 0, pid);
  if (handle === 0) return undefined;
  return {
    isRunning: () => api.waitFor(handle, 0) === stillRunning,
    end: () => void api.terminate(handle, 1),
    [Symbol.dispose]: () => void api.closeHandle(handle),
  };
}

/** IO_COUNTERS: the bytes written are the fifth of six counters. */
export function bytesWritten(pid: number): number | undefined {
  return withProcess(pid, queryLimited, (process) => {
    const counters = Buffer.alloc(48);
    return win32().ioOf(process, counters) === 0 ? undefined : Number(counters.readBigUInt64LE(32));
  });
}
