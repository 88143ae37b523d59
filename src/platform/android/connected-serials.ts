import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeOwn } from "../../base/runtime.ts";
import type { AdbAddress } from "./server.ts";

/** Remembers which devices of an adb server are connected, for the command line, where each call is a new process. */
export class ConnectedSerials {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string, { host, port }: AdbAddress) {
    this.#folder = folder;
    this.#file = join(folder, `${`${host}-${port}`.replaceAll(/[^\w.-]/g, "_")}.json`);
  }

  /** The most recently connected one is at the end. */
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

  /** Removes one, or all. */
  remove(serial: string | undefined): void {
    this.#write(serial === undefined ? [] : this.serials().filter((each) => each !== serial));
  }

  /** If it cannot be saved, every call has to connect for itself. */
  #write(serials: readonly string[]): void {
    try {
      if (makeOwn(this.#folder)) writeFileSync(this.#file, JSON.stringify(serials), { mode: 0o600 });
    } catch {
      // A full or read-only disk.
    }
  }
}
