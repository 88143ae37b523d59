import type { Session } from "../tools/session.ts";
import { noUsage, type AgentLimits, type Budget } from "./budget.ts";
import type { Decided } from "./decide.ts";
import type { Look } from "./look.ts";
import type { ActedRecord, RunRecord, StepRecord, Verdict } from "./record.ts";
import { renderReport } from "./report/report.ts";
import type { AgentOptions, AgentResult } from "./run.ts";
import { toShotRecord, toUsage } from "./to-record.ts";

/**
 * Writes down what happens while it happens, so that a run that is killed can be read up to where it was. Everything goes
 * through the session's secrets: what was typed, and what has a name in the secrets file, is in no file.
 */
export class Recorder {
  readonly #session: Session;
  readonly #onStep: (step: StepRecord) => void;
  readonly #steps: StepRecord[] = [];
  #run: RunRecord;
  #clock = performance.now();
  #acting = 0;

  constructor(session: Session, options: AgentOptions, limits: AgentLimits) {
    this.#session = session;
    this.#onStep = options.onStep ?? (() => {});
    this.#run = {
      version: 1,
      run_id: session.journal.runId,
      goal: options.goal,
      model: typeof options.model === "string" ? options.model : (options.model?.name ?? "rules"),
      where: { ...options.where },
      // JSON has no infinity.
      limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== Infinity)),
      dry_run: options.dryRun ?? false,
      started: Date.now(),
      ms: 0,
      steps: 0,
      usage: toUsage(noUsage),
      cost: null,
      verdict: null,
    };
  }

  begin(model: string): void {
    this.#run = { ...this.#run, model };
    this.#save("agent-run.json", this.#run);
  }

  newStep(step: number, { place, observation, shot, ms }: Look): StepRecord {
    const record: StepRecord = {
      step,
      state: "deciding",
      at: Date.now(),
      place: place.title,
      surface: place.surface,
      window: place.window ?? null,
      shot: shot ? toShotRecord(shot) : null,
      outline: observation.outline,
      prompt: null,
      answer: null,
      repair: null,
      actions: [],
      usage: toUsage(noUsage),
      total: toUsage(noUsage),
      timing: { look_ms: ms, decide_ms: 0, act_ms: 0 },
    };
    this.#steps.push(record);
    this.#write(record);
    return record;
  }

  decided(record: StepRecord, decision: Decided, { total }: Budget): void {
    this.#acting = performance.now();
    record.state = "acting";
    record.prompt = decision.prompt;
    record.answer = decision.answer;
    record.repair = decision.repair ?? null;
    record.usage = toUsage(decision.usage);
    record.total = toUsage(total);
    record.timing.decide_ms = decision.ms;
    this.#write(record);
    this.#onStep(this.#clean(record));
  }

  acted(record: StepRecord, acted: ActedRecord): void {
    record.actions.push(acted);
    this.#write(record);
  }

  endStep(record: StepRecord): void {
    record.state = "done";
    record.timing.act_ms = Math.round(performance.now() - this.#acting);
    this.#write(record);
    this.#saveReport(false);
    this.#onStep(this.#clean(record));
  }

  finish(verdict: Verdict, budget: Budget): AgentResult {
    this.#run = {
      ...this.#run,
      ms: Math.round(performance.now() - this.#clock),
      steps: this.#steps.length,
      usage: toUsage(budget.total),
      cost: budget.cost ?? null,
      verdict,
    };
    this.#save("agent-run.json", this.#run);
    const report = this.#saveReport(true);
    const clean = this.#clean(this.#run);
    return { ...clean, verdict: this.#clean(verdict), history: this.#steps.map((step) => this.#clean(step)), report };
  }

  #write(record: StepRecord): void {
    this.#save(`agent-step-${String(record.step).padStart(2, "0")}.json`, record);
  }

  #save(name: string, value: unknown): void {
    this.#keep(name, Buffer.from(`${JSON.stringify(this.#clean(value), null, 1)}\n`));
  }

  /** While the agent is at work the pictures stay in their files; the last report has them inside. */
  #saveReport(isLast: boolean): string | null {
    const picture = (file: string): string | undefined => {
      if (!isLast) return file;
      const bytes = this.#session.journal.readArtifact(file);
      return bytes && `data:image/jpeg;base64,${Buffer.from(bytes).toString("base64")}`;
    };
    const html = renderReport(this.#clean(this.#run), this.#clean(this.#steps), picture);
    return this.#keep("report.html", Buffer.from(html));
  }

  #keep(name: string, bytes: Uint8Array): string | null {
    try {
      return this.#session.journal.saveArtifact(name, bytes);
    } catch (error) {
      // A full disk must not end the work.
      this.#session.log.error("the record of the agent could not be written", error);
      return null;
    }
  }

  #clean<T>(value: T): T {
    return this.#session.secrets.forRecord(value);
  }
}
