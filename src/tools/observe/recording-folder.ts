import { constants } from "node:fs";
import { link, lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolError } from "../../base/errors.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** The folder of a recording: one file per frame, and one that lists them. */
export class RecordingFolder {
  readonly path: string;
  /** The file that lists the frames. */
  readonly index: string;
  #last: { readonly at: number; readonly file: string } | undefined;

  private constructor(path: string, index: string) {
    this.path = path;
    this.index = index;
  }

  /** Creates the folder inside an existing one, and checks that it is writable. */
  static async open(path: string, startedAt: number, index: object): Promise<RecordingFolder> {
    await makeFolder(path);
    try {
      const bytes = Buffer.from(JSON.stringify(index));
      const { file } = await atFreeMoment(
        startedAt,
        (at) => join(path, `recording-${at}.json`),
        (each) => writeNew(each, bytes),
      );
      return new RecordingFolder(path, file);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  /** Writes a frame and returns its path. A repeated frame becomes a hard link if the disk supports that. */
  async write(
    at: number,
    bytes: Uint8Array,
    isRepeat: boolean,
  ): Promise<{ readonly at: number; readonly file: string }> {
    const last = this.#last;
    await this.#needSameFolder();
    // The clock may be set back while recording; names and times must still increase.
    const from = last ? Math.max(at, last.at + 1) : at;
    this.#last = await atFreeMoment(
      from,
      (each) => join(this.path, `frame-${each}.jpg`),
      async (file) => {
        const isLinked = isRepeat && last !== undefined && (await isDone(link(last.file, file)));
        if (!isLinked) await writeNew(file, bytes);
      },
    );
    return this.#last;
  }

  /** Replaces the list of frames atomically. */
  async writeIndex(index: object): Promise<void> {
    await this.#needSameFolder();
    const draft = `${this.index}.new`;
    await writeNew(draft, Buffer.from(JSON.stringify(index)));
    await rename(draft, this.index);
  }

  /** Removes what a recording that could not start left behind. */
  async discard(): Promise<void> {
    await rm(this.index, { force: true });
  }

  /** A symbolic link in its place would lead out of the folders that may be written to. */
  async #needSameFolder(): Promise<void> {
    if ((await realpath(this.path)) !== this.path) {
      throw Object.assign(new Error(`${this.path} is another folder now`), { code: "another folder is in its place" });
    }
  }
}

export function cannotWrite(path: string, error: unknown): ToolError {
  return new ToolError("permission_missing", `Nothing can be written to "${path}": ${codeOf(error)}.`, {
    hint: "Use a folder this user may write to, on a disk with free space.",
    cause: error,
  });
}

async function makeFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (found) {
    throw new ToolError("invalid_argument", `"${path}" is not a folder.`, {
      hint: "Name a folder; every frame becomes a file in it.",
    });
  }
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT";
    throw new ToolError(
      isMissing ? "not_found" : "permission_missing",
      isMissing ? `The folder "${dirname(path)}" does not exist.` : `"${path}" cannot be created: ${codeOf(error)}.`,
      { hint: "The folder itself is created if missing; its parent must exist.", cause: error },
    );
  }
}

/** Another recording into the same folder may have used the name for this millisecond. */
async function atFreeMoment(
  at: number,
  nameOf: (at: number) => string,
  write: (file: string) => Promise<void>,
): Promise<{ readonly at: number; readonly file: string }> {
  const file = nameOf(at);
  try {
    await write(file);
    return { at, file };
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return atFreeMoment(at + 1, nameOf, write);
  }
}

/** Never overwrites: a tool that only looks must not be able to replace a file. */
async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(bytes);
  } catch (error) {
    // Half a picture is useless.
    await rm(file, { force: true });
    throw error;
  }
}

const isDone = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
