import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { makeFolders } from "../base/named-file.ts";
import { eventsFile } from "./read.ts";
import { ownerFile, ownerText } from "./retention.ts";

/** The files of one run. Nothing is created before the first write; everything is readable by this user only. */
export class RunFiles {
  readonly folder: string;
  readonly #artifactLimit: number;
  readonly #artifacts: { readonly name: string; readonly bytes: number }[] = [];
  #artifactBytes = 0;
  #events: number | undefined;

  constructor(folder: string, artifactLimit: number) {
    this.folder = folder;
    this.#artifactLimit = artifactLimit;
  }

  appendLine(line: string): void {
    const events = this.#open();
    const bytes = Buffer.from(`${line}\n`);
    for (let written = 0; written < bytes.length;) written += writeSync(events, bytes, written);
  }

  saveArtifact(name: string, bytes: Uint8Array): void {
    this.#open();
    // Atomic: a process killed in between leaves the previous content.
    const unfinished = join(this.folder, `${name}.part`);
    writeFileSync(unfinished, bytes, { mode: 0o600 });
    renameSync(unfinished, join(this.folder, name));
    const known = this.#artifacts.findIndex((each) => each.name === name);
    if (known >= 0) this.#artifactBytes -= this.#artifacts.splice(known, 1)[0]?.bytes ?? 0;
    this.#artifacts.push({ name, bytes: bytes.length });
    this.#artifactBytes += bytes.length;
    // A server that runs for days must not fill the disk; the newest pictures are the ones people look at.
    while (this.#artifactBytes > this.#artifactLimit && this.#artifacts.length > 1) {
      const oldest = this.#artifacts.shift();
      if (oldest === undefined) return;
      this.#artifactBytes -= oldest.bytes;
      rmSync(join(this.folder, oldest.name), { force: true });
    }
  }

  readArtifact(name: string): Uint8Array | undefined {
    try {
      return readFileSync(join(this.folder, name));
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#events !== undefined) closeSync(this.#events);
    this.#events = undefined;
  }

  #open(): number {
    if (this.#events === undefined) {
      for (const kind of artifactFolders) makeFolders(join(this.folder, kind));
      writeFileSync(join(this.folder, ownerFile), ownerText(), { mode: 0o600 });
      this.#events = openSync(join(this.folder, eventsFile), "a", 0o600);
    }
    return this.#events;
  }
}

const artifactFolders = ["frames", "trees", "agent", "files"] as const;
const report = /^(?:report(-\d+)?|flow-\d+-report)\.html$/;

/**
 * `frames/s3-1.jpg` for a picture, `trees/…` for JSON, `agent/…` for an agent's notes; the report is at the top
 * level. Never a path that leads out of the run.
 */
export function artifactName(wanted: string): string {
  const safe = basename(wanted.replaceAll("\\", "/"))
    .replaceAll(/[^\w.-]/g, "_")
    .replace(/^\.+/, "_")
    .slice(-120);
  if (report.test(safe)) return safe;
  const extension = extname(safe).toLowerCase();
  const kind =
    safe.startsWith("agent-") && extension === ".json"
      ? "agent"
      : [".jpg", ".jpeg", ".png", ".webp"].includes(extension)
        ? "frames"
        : extension === ".json"
          ? "trees"
          : "files";
  return `${kind}/${safe || "_"}`;
}

export const isArtifactName = (name: string): boolean => artifactName(name) === name;
