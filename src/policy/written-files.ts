import { ToolError } from "../base/errors.ts";
import { replaceFile, writeNewFile } from "../base/named-file.ts";
import { isInside, resolveFile } from "./files.ts";

const mostRemembered = 10_000;

/**
 * The files that the tools of one session have written: the only ones they may replace, besides those a rule names.
 */
export class WrittenFiles {
  readonly #own = new Map<string, string>();
  readonly #replaceable: readonly string[];

  /** Any file below `replaceable` may be replaced. */
  constructor(replaceable: readonly string[] = []) {
    this.#replaceable = replaceable;
  }

  /** Writes to a real path, as `needFile` returns it. */
  async write(file: string, bytes: Uint8Array): Promise<void> {
    const identity = (await writeNewFile(file, bytes)) ?? (await this.#replace(file, bytes));
    if (identity === undefined) {
      throw new ToolError("denied", `"${file}" already exists, and this session did not write it.`, {
        hint: "Use another name. Only a person can allow it: by deleting the file, or by naming its folder under files.overwrite in the rule file.",
      });
    }
    this.#own.delete(file);
    this.#own.set(file, identity);
    for (const oldest of this.#own.keys()) {
      if (this.#own.size <= mostRemembered) break;
      this.#own.delete(oldest);
    }
  }

  async #replace(file: string, bytes: Uint8Array): Promise<string | undefined> {
    const isAllowed = await this.#isReplaceable(file);
    return replaceFile(file, bytes, (identity) => isAllowed || this.#own.get(file) === identity);
  }

  async #isReplaceable(file: string): Promise<boolean> {
    const roots = await Promise.all(this.#replaceable.map((root) => resolveFile(root).catch(() => undefined)));
    return roots.some((root) => root !== undefined && isInside(file, root));
  }
}
