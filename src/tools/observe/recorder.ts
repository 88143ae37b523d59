import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { Recording, type RecordingOptions } from "./recording.ts";

/** Holds the one recording of a session. */
export class Recorder implements AsyncDisposable {
  readonly #log: Log;
  #current: Recording | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The current recording, or one that has ended and was not collected yet. */
  get current(): Recording | undefined {
    return this.#current;
  }

  /** Resolves when the first frame was taken, or could have been. */
  async start(options: RecordingOptions, signal: AbortSignal): Promise<Recording> {
    if (this.#current?.isGoingOn) throw alreadyRecording(this.#current);
    // Set before the first await: if two start at the same time, one is refused.
    const recording = new Recording(options, this.#log);
    this.#current = recording;
    const onAbort = (): void => recording.end("stopped");
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await recording.begin();
      if (signal.aborted) throw cancelled(signal);
      return recording;
    } catch (error) {
      await this.#drop(recording);
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the recording, if it is still running, and returns it. */
  async stop(): Promise<Recording> {
    const recording = this.#current;
    if (!recording || recording.isAbandoned) {
      throw new ToolError("not_active", "There is no recording in this session.", {
        hint: "Call start_recording first. One that was started in a terminal ends with Ctrl-C there.",
      });
    }
    await this.#drop(recording);
    return recording;
  }

  async #drop(recording: Recording): Promise<void> {
    if (this.#current === recording) this.#current = undefined;
    recording.end("stopped");
    await recording.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const recording = this.#current;
    recording?.end("disconnected");
    await recording?.done;
  }
}

function alreadyRecording({ folder, startedAt }: Recording): ToolError {
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  return new ToolError("already_active", `A recording into "${folder}" has been running for ${seconds} s.`, {
    hint: "Call stop_recording first; there is one recording at a time.",
  });
}
