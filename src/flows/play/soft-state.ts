import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const state = z.object({
  file: z.string(),
  step: z.string(),
  read: z.record(z.string(), z.string()),
});

/** How far a flow came that did not pass: the step to go on with, and what its steps had read. */
export type SoftState = z.infer<typeof state>;

/** Remembers it in a folder, one small file for each flow, so that `--from failed` goes on even after a kill. */
export class SoftStates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #path(file: string): string {
    return join(this.#folder, `${createHash("sha256").update(file).digest("hex").slice(0, 24)}.json`);
  }

  save(given: SoftState): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(given.file);
    // Whoever is killed while writing must not leave half a file.
    writeFileSync(`${path}.new`, JSON.stringify(given), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  load(file: string): SoftState | undefined {
    try {
      const found = state.safeParse(JSON.parse(readFileSync(this.#path(file), "utf8")));
      return found.success ? found.data : undefined;
    } catch {
      return undefined;
    }
  }

  forget(file: string): void {
    rmSync(this.#path(file), { force: true });
  }
}
