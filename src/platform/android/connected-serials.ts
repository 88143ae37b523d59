import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeOwn } from "../../base/runtime.ts";
import type { AdbAddress } from "./server.ts";

/** Which devices of an adb server are connected, for command lines: each of their calls is a process of its own. */
export class ConnectedSerials {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string, { host, port }: AdbAddress) {
    this.#folder = folder;
    this.#file = join(folder, `${`${host}-${port}`.replaceAll(/[^\w.-]/g, "_")}.json`);
  }

  /** The one connected last is at the end. */
  serials(): readonly string[] {
    try {
      const found: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
    } catch {
      return [];
    }
  }

  add(serial: string): void {
    this.#write([...this.serials().filter((each) => each !== serial), serial]);
  }

  /** One, or all. */
  remove(serial: string | undefined): void {
    this.#write(serial === undefined ? [] : this.serials().filter((each) => each !== serial));
  }

  /** Where nothing can be kept, every call has to connect by itself. */
  #write(serials: readonly string[]): void {
    try {
      if (makeOwn(this.#folder)) writeFileSync(this.#file, JSON.stringify(serials), { mode: 0o600 });
    } catch {
      // A full or read-only disk.
    }
  }
}
