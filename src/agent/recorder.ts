import type { Session } from "../tools/session.ts";
import { noUsage, type AgentLimits, type Budget } from "./budget.ts";
import type { Decided } from "./decide.ts";
import type { Acted } from "./act.ts";
import type { Look } from "./look.ts";
import type { VisionModel } from "./model.ts";
import type { ActedRecord, RunRecord, StepRecord, Verdict } from "./record.ts";
import { renderReport } from "./report/report.ts";
import type { AgentOptions, AgentResult } from "./run.ts";
import { toShotRecord, toUsage } from "./to-record.ts";
import { Written } from "./written.ts";

const agentsOf = new WeakMap<Session["journal"], number>();

/** A run as it was, and as its files show it. */
export interface Recorded {
  readonly result: AgentResult;
  readonly written: AgentResult;
}

/**
 * Writes down what happens while it happens, so that a run that is killed can be read up to where it was. `Written` leaves
 * out typed secrets, and what has a name in the secrets file appears by its name.
 */
export class Recorder {
  readonly #session: Session;
  readonly #onStep: (step: StepRecord) => void;
  readonly #steps: StepRecord[] = [];
  readonly #written = new Written();
  /** Of this session's agents: each has files of its own. */
  readonly #number: number;
  #run: RunRecord;
  #clock = performance.now();
  #acting = 0;

  constructor(session: Session, options: AgentOptions, limits: AgentLimits) {
    this.#session = session;
    this.#number = (agentsOf.get(session.journal) ?? 0) + 1;
    agentsOf.set(session.journal, this.#number);
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

  begin(model: VisionModel): void {
    this.#written.begin(model);
    this.#run = { ...this.#run, model: model.name };
    this.#writeRun();
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
    if (this.#written.decided(record, decision)) this.#writeAll();
    else this.#write(record);
    this.#onStep(this.#shown(record));
  }

  acted(record: StepRecord, action: ActedRecord, acted: Acted): void {
    record.actions.push(action);
    this.#written.acted(action, acted);
    this.#write(record);
  }

  endStep(record: StepRecord): void {
    record.state = "done";
    record.timing.act_ms = Math.round(performance.now() - this.#acting);
    this.#write(record);
    this.#saveReport(false);
    this.#onStep(this.#shown(record));
  }

  finish(verdict: Verdict, budget: Budget): Recorded {
    this.#run = {
      ...this.#run,
      ms: Math.round(performance.now() - this.#clock),
      steps: this.#steps.length,
      usage: toUsage(budget.total),
      cost: budget.cost ?? null,
      verdict,
    };
    if (this.#written.end()) this.#writeAll();
    else this.#writeRun();
    const report = this.#saveReport(true);
    const result = this.#shown({ ...this.#run, verdict, history: this.#steps, report });
    const run = this.#written.run({ ...this.#run, verdict });
    const history = this.#steps.map((step) => this.#written.step(step));
    return { result, written: this.#shown({ ...run, verdict: run.verdict ?? verdict, history, report }) };
  }

  #writeAll(): void {
    this.#writeRun();
    for (const step of this.#steps) this.#write(step);
    if (this.#steps.some(({ state }) => state === "done")) this.#saveReport(false);
  }

  #writeRun(): void {
    this.#save(`agent-${this.#number}-run.json`, this.#written.run(this.#run));
  }

  #write(record: StepRecord): void {
    this.#save(`agent-${this.#number}-step-${String(record.step).padStart(3, "0")}.json`, this.#written.step(record));
  }

  #save(name: string, value: unknown): void {
    this.#keep(name, Buffer.from(`${JSON.stringify(this.#session.secrets.conceal(value), null, 1)}\n`));
  }

  /** While the agent works, the report links to the picture files; the final report embeds them. */
  #saveReport(isLast: boolean): string | null {
    const picture = (file: string): string | undefined => {
      if (!isLast) return file;
      const bytes = this.#session.journal.readArtifact(file);
      return bytes && `data:image/jpeg;base64,${Buffer.from(bytes).toString("base64")}`;
    };
    const { secrets } = this.#session;
    const steps = this.#steps.map((step) => this.#written.step(step));
    const html = renderReport(secrets.conceal(this.#written.run(this.#run)), secrets.conceal(steps), picture);
    const name = this.#number === 1 ? "report.html" : `report-${this.#number}.html`;
    return this.#keep(name, Buffer.from(html));
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

  /** The caller knows what it asked to type; values named in the secrets file are shown by name only. */
  #shown<T>(value: T): T {
    return this.#session.secrets.conceal(structuredClone(value));
  }
}
