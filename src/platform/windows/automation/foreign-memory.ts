import type { WindowFacts } from "./window.ts";

const access = 0x0008 | 0x0010 | 0x0020 | 0x0400;
const [commit, release, readWrite] = [0x1000 | 0x2000, 0x8000, 4];

/**
 * A piece of another process's memory. Messages of the common controls above WM_USER take addresses that only their own
 * process can read.
 */
export class ForeignMemory {
  readonly #facts: WindowFacts;
  readonly #process: number;
  readonly place: bigint;
  readonly #size: number;

  private constructor(facts: WindowFacts, process: number, place: bigint, size: number) {
    this.#facts = facts;
    this.#process = process;
    this.place = place;
    this.#size = size;
  }

  /** Runs the work with memory in the process of a window; undefined when that process does not allow it. */
  static lend<T>(facts: WindowFacts, hwnd: number, size: number, work: (memory: ForeignMemory) => T): T | undefined {
    const { win32 } = facts;
    const process = win32.openProcess(access, 0, facts.pidOf(hwnd) ?? 0);
    if (process === 0) return undefined;
    const place = win32.allocateIn(process, 0, size, commit, readWrite);
    let isTaken = false;
    try {
      const result = place === 0 ? undefined : work(new ForeignMemory(facts, process, BigInt(place), size));
      isTaken = true;
      return result;
    } finally {
      // A slow app still gets the message it was sent, and would use memory that is gone; so it keeps this page.
      if (place !== 0 && isTaken) win32.freeIn(process, place, 0, release);
      win32.closeHandle(process);
    }
  }

  write(data: Buffer, offset = 0): void {
    this.#facts.win32.writeIn(this.#process, this.place + BigInt(offset), data, data.length, null);
  }

  read(length: number, offset = 0): Buffer {
    const data = Buffer.alloc(Math.min(length, this.#size - offset));
    this.#facts.win32.readIn(this.#process, this.place + BigInt(offset), data, data.length, null);
    return data;
  }
}
