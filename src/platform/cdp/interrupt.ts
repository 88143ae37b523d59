import type { PageDialog } from "../page-acts.ts";

/** A dialog stops all scripts of a page: requests are not answered until somebody closes the dialog. */
export class DialogOpened extends Error {
  override readonly name = "DialogOpened";
  readonly dialog: PageDialog;

  constructor(dialog: PageDialog) {
    super(`a dialog opened: ${dialog.message}`);
    this.dialog = dialog;
  }
}

/** The document was replaced before it answered. */
export class DocumentGone extends Error {
  override readonly name = "DocumentGone";
}

/** Stops waiting for answers that will not come. */
export class Interrupts {
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #standing: () => Error | undefined;

  /** `standing` returns why no answer can come at the moment. It may have been raised before anyone was waiting. */
  constructor(standing: () => Error | undefined) {
    this.#standing = standing;
  }

  /** Answers that come within `graceMs` still count. */
  raise(error: Error, graceMs = 0): void {
    const end = (waiting: Iterable<(error: Error) => void>) => {
      for (const reject of waiting) reject(error);
    };
    if (graceMs === 0) end(this.#waiting);
    else setTimeout(end, graceMs, [...this.#waiting]);
  }

  async race<T>(work: Promise<T>): Promise<T> {
    let stop: ((error: Error) => void) | undefined;
    const raised = new Promise<never>((_resolve, reject) => {
      stop = reject;
      this.#waiting.add(reject);
    });
    // The loser of the race must not end the process as an unhandled rejection.
    work.catch(() => {});
    raised.catch(() => {});
    const standing = this.#standing();
    if (standing) stop?.(standing);
    try {
      return await Promise.race([work, raised]);
    } finally {
      if (stop) this.#waiting.delete(stop);
    }
  }
}
