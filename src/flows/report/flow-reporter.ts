import type { RunRecord, StepRecord } from "../play/run-record.ts";
import { renderFlowReport } from "./flow-report.ts";

/** Where the files of a report are kept. */
export interface Shelf {
  /** Returns the name that it is read by. */
  save(name: string, bytes: Uint8Array): string;
  read(name: string): Uint8Array | undefined;
}

export const reportFile = "report.html";
const runsFile = "flows.json";
// A step takes longer than that; writing the page for each of hundreds would slow the flow down.
const everyMs = 400;

/**
 * Writes the report while a flow is played, so that a run that is killed can be read up to where it was. Until the end
 * the page links to its pictures; then it contains them.
 */
export class FlowReporter {
  readonly #shelf: Shelf;
  readonly #conceal: <T>(value: T) => T;
  readonly #ended: RunRecord[] = [];
  #pictures = 0;
  #writtenAt = 0;

  constructor(shelf: Shelf, conceal: <T>(value: T) => T = (value) => value) {
    this.#shelf = shelf;
    this.#conceal = conceal;
  }

  /** Keeps a picture and returns its name. */
  readonly keep = (bytes: Uint8Array, mimeType: string): string => {
    const name = `flow-${String(++this.#pictures).padStart(4, "0")}.${mimeType.split("/")[1] ?? "webp"}`;
    return this.#shelf.save(name, bytes);
  };

  readonly onStep = (step: StepRecord, run: RunRecord): void => {
    const now = performance.now();
    if (step.status === "running" && now - this.#writtenAt < everyMs) return;
    this.#writtenAt = now;
    this.#write([...this.#ended, run], (file) => file);
  };

  /** A run has ended; of several attempts the last one counts. */
  ended(run: RunRecord): void {
    const before = this.#ended.findIndex((each) => each.file === run.file && each.row === run.row);
    if (before >= 0) this.#ended[before] = run;
    else this.#ended.push(run);
    this.#write(this.#ended, (file) => file);
  }

  finish(): readonly RunRecord[] {
    this.#write(this.#ended, (file) => {
      const bytes = this.#shelf.read(file);
      return bytes && `data:image/${file.split(".").at(-1)};base64,${Buffer.from(bytes).toString("base64")}`;
    });
    return this.#ended;
  }

  #write(runs: readonly RunRecord[], picture: (file: string) => string | undefined): void {
    const shown = this.#conceal(structuredClone(runs) as RunRecord[]);
    this.#shelf.save(runsFile, Buffer.from(`${JSON.stringify({ runs: shown }, null, 1)}\n`));
    this.#shelf.save(reportFile, Buffer.from(renderFlowReport(shown, picture)));
  }
}
