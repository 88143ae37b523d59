import { setMaxListeners } from "node:events";
import { basename } from "node:path";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { keepPace } from "../../base/pace.ts";
import type { Film, FilmFrame, Gap } from "../../surface/film.ts";
import { pixelsPerUnit } from "../../surface/view.ts";
import { cannotWrite, codeOf, RecordingFolder } from "./recording-folder.ts";
import type { Lasting } from "../tool.ts";

/** Why a recording has ended. */
export const endings = [
  "stopped",
  "max_duration",
  "emergency_stop",
  "disconnected",
  "screen_lost",
  "disk_full",
  "write_failed",
  "failed",
] as const;
export type Ending = (typeof endings)[number];

export interface RecordedFrame {
  readonly timestamp_ms: number;
  readonly path: string;
  readonly app_name: string;
  readonly window_id: number;
  readonly origin_x: number;
  readonly origin_y: number;
  readonly scale: number;
  readonly pixel_width: number;
  readonly pixel_height: number;
}

export interface RecordingOptions {
  readonly film: Film;
  /** A resolved path; it may not exist yet. */
  readonly folder: string;
  readonly fps: number;
  readonly maxDurationMs: number;
  readonly lasting: Lasting;
  /** Removes secrets from text that is written to the folder. */
  readonly conceal: (text: string) => string;
}

const explanations: Record<Ending, string> = {
  stopped: "It was stopped.",
  max_duration: "It reached max_duration_ms.",
  emergency_stop: "The emergency stop ended it.",
  disconnected: "The client that started it, or the server, went away.",
  screen_lost: "The screen was lost.",
  disk_full: "There was no room left for more frames.",
  write_failed: "A frame could not be written.",
  failed: "A frame could not be taken.",
};

/** Pictures of the window in front, one file each, until something ends it. */
export class Recording {
  startedAt = Date.now();
  readonly frames: RecordedFrame[] = [];
  /** Turns that were skipped because the previous frame took too long. */
  dropped = 0;
  readonly skipped: Record<Gap, number> = { blocked: 0, no_window: 0, failed: 0 };
  /** Frames with something painted over, and frames covered entirely because it kept moving. */
  masked = 0;
  covered = 0;
  /** Settles when everything has been written; never rejects. */
  done: Promise<void> = Promise.resolve();
  readonly #options: RecordingOptions;
  readonly #log: Log;
  readonly #controller = new AbortController();
  #files: RecordingFolder | undefined;
  #why: Ending | undefined;
  #error: unknown;
  #endedAt: number | undefined;

  constructor(options: RecordingOptions, log: Log) {
    this.#options = options;
    this.#log = log;
    // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
    setMaxListeners(0, this.#controller.signal);
  }

  get folder(): string {
    return this.#options.folder;
  }

  get isGoingOn(): boolean {
    return this.#why === undefined;
  }

  /** Nobody is left to collect it. */
  get isAbandoned(): boolean {
    return this.#why === "disconnected";
  }

  get ending(): { readonly why: Ending; readonly message: string } {
    const why = this.#why ?? "stopped";
    const detail = this.#error instanceof ToolError ? ` ${this.#error.message}` : "";
    return { why, message: `${explanations[why]}${detail}` };
  }

  get durationMs(): number {
    return Math.round((this.#endedAt ?? Date.now()) - this.startedAt);
  }

  /** The file that lists the frames. */
  get index(): string {
    return this.#needFiles().index;
  }

  /** Why a frame could not be taken. */
  get failure(): string | undefined {
    return this.#options.film.failure;
  }

  /**
   * Resolves after the first turn, and counts time from there: the first look at an app takes longer than others.
   * Throws when recording is impossible.
   */
  async begin(): Promise<void> {
    try {
      this.#files = await RecordingFolder.open(this.folder, this.startedAt, this.#toIndex());
      await this.#turn();
      this.startedAt = this.frames[0]?.timestamp_ms ?? Date.now();
      this.done = this.#run();
    } catch (error) {
      this.#why ??= "failed";
      await this.#files?.discard();
      throw this.#error ?? error;
    }
  }

  end(why: Ending): void {
    if (!this.isGoingOn) return;
    this.#why = why;
    this.#controller.abort();
  }

  async #run(): Promise<void> {
    const { fps, maxDurationMs, lasting } = this.#options;
    const { signal } = this.#controller;
    const ends = [
      { signal: lasting.stopping, end: () => this.end("emergency_stop") },
      { signal: lasting.connection, end: () => this.end("disconnected") },
    ];
    for (const { signal: each, end } of ends) {
      if (each?.aborted) end();
      each?.addEventListener("abort", end, { once: true });
    }
    try {
      const pace = { everyMs: 1_000 / fps, forMs: maxDurationMs, signal };
      const turn = (): Promise<void> => this.#turn();
      await keepPace(pace, turn, (count) => (this.dropped += count));
      this.#why ??= "max_duration";
    } catch (error) {
      // An error after the recording was ended from outside does not matter.
      if (this.isGoingOn) this.#fail(endingOf(error), error);
    }
    for (const { signal: each, end } of ends) each?.removeEventListener("abort", end);
    this.#endedAt = Date.now();
    await this.#needFiles()
      .writeIndex(this.#toIndex())
      .catch((error: unknown) => this.#log.debug("the list of a recording's frames could not be written", error));
  }

  async #turn(): Promise<void> {
    const taken = await this.#options.film.take(this.#controller.signal);
    if (typeof taken === "string") this.skipped[taken]++;
    else await this.#keep(taken);
  }

  async #keep({ at, window, picture, image, isRepeat }: FilmFrame): Promise<void> {
    const { bounds, masked = 0, isCovered = false } = picture;
    const written = await this.#write(at, image.bytes, isRepeat);
    this.frames.push({
      timestamp_ms: written.at,
      path: written.file,
      app_name: window.appName,
      window_id: window.id,
      origin_x: bounds.x,
      origin_y: bounds.y,
      scale: pixelsPerUnit({ bounds, image }),
      pixel_width: image.width,
      pixel_height: image.height,
    });
    if (masked > 0) this.masked++;
    if (isCovered) this.covered++;
  }

  async #write(at: number, bytes: Uint8Array, isRepeat: boolean) {
    try {
      return await this.#needFiles().write(at, bytes, isRepeat);
    } catch (error) {
      this.#fail(
        ["ENOSPC", "EDQUOT"].includes(codeOf(error)) ? "disk_full" : "write_failed",
        cannotWrite(this.folder, error),
      );
      throw error;
    }
  }

  #fail(why: Ending, error: unknown): void {
    this.#why = why;
    this.#error = error;
    if (why === "failed") this.#log.error("a recording has failed", error);
  }

  #needFiles(): RecordingFolder {
    if (this.#files) return this.#files;
    throw new Error("a recording that has not begun has no files");
  }

  #toIndex(): object {
    const { conceal } = this.#options;
    return {
      started_at: this.startedAt,
      ended: this.isGoingOn ? null : this.ending.why,
      frames: this.frames.map((frame) => ({ ...frame, path: basename(frame.path), app_name: conceal(frame.app_name) })),
      dropped: this.dropped,
      skipped: this.skipped,
      masked: this.masked,
      covered: this.covered,
    };
  }
}

const endingOf = (error: unknown): Ending =>
  error instanceof ToolError && error.code === "not_connected" ? "screen_lost" : "failed";
