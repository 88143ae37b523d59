import { redacted } from "../journal/redact.ts";
import { entersText, type AgentAction } from "./action.ts";
import type { Acted } from "./act.ts";
import type { ConcealedWords, Decision, KeepsText, VisionModel } from "./model.ts";
import type { ActedRecord, RunRecord, StepRecord, Verdict } from "./record.ts";
import type { StopReason } from "./stop.ts";

/** Their messages are words of our own. */
const plainReasons: ReadonlySet<string> = new Set<StopReason>([
  "max_steps",
  "max_time",
  "max_tokens",
  "max_cost",
  "emergency_stop",
  "cancelled",
  "dry_run",
]);

/**
 * A run as its files show it. Text that was typed is kept only where a field was seen to show it. The goal and what the
 * model was told and said may repeat it: a model that knows which of its words are such texts leaves those out; of any
 * other model nothing is written from the first text on, until the run has ended and all of it was seen to show.
 */
export class Written {
  readonly #shown = new Set<string>();
  readonly #hidden = new Set<string>();
  readonly #hiding = new WeakSet<ActedRecord>();
  readonly #decisions = new WeakMap<StepRecord, Decision>();
  #model: Pick<VisionModel, "conceal"> = {};
  #last: Decision | undefined;
  #toShow = 0;
  #lastChangeHides = false;
  #hasEnded = false;

  begin(model: VisionModel): void {
    this.#model = model;
  }

  /** True when files that are already written may show too much from now on. */
  decided(record: StepRecord, decision: Decision): boolean {
    const wasOpen = this.#showsWords;
    this.#decisions.set(record, decision);
    this.#last = decision;
    this.#toShow += decision.actions.filter(entersText).length;
    return wasOpen && !this.#showsWords;
  }

  acted(record: ActedRecord, { action, effect, hidesText }: Acted): void {
    if (effect === "confirmed") this.#lastChangeHides = hidesText === true;
    if (hidesText === undefined) return;
    if (hidesText) this.#hiding.add(record);
    else this.#toShow--;
    (hidesText ? this.#hidden : this.#shown).add(textOf(action));
  }

  /** True when files that are already written may show more from now on. */
  end(): boolean {
    const wasOpen = this.#showsWords;
    this.#hasEnded = true;
    return !wasOpen && this.#showsWords;
  }

  run(run: RunRecord): RunRecord {
    const { verdict } = run;
    const goal = this.#model.conceal?.(run.goal, this.#keeps) ?? (this.#showsWords ? run.goal : redacted);
    return { ...run, goal, verdict: verdict && this.#verdict(verdict, goal === run.goal) };
  }

  step(step: StepRecord): StepRecord {
    const decision = this.#decisions.get(step);
    const words = decision?.conceal?.(this.#keeps);
    const tells = words !== undefined || this.#showsWords;
    const { prompt, answer, repair, actions } = step;
    return {
      ...step,
      prompt: words?.prompt ?? (prompt === null || tells ? prompt : redacted),
      answer: words?.answer ?? (answer === null || tells ? answer : redacted),
      repair: repair === null || this.#showsWords ? repair : { answer: redacted, problem: redacted },
      actions: actions.map((each, index) => this.#acted(each, words, index)),
    };
  }

  readonly #keeps: KeepsText = (text) => this.#shown.has(text) && !this.#hidden.has(text);

  /** All that was typed so far was seen to show; while the run goes on that is known only before the first text. */
  get #showsWords(): boolean {
    return this.#model.conceal !== undefined || (this.#toShow === 0 && (this.#hasEnded || this.#shown.size === 0));
  }

  #verdict(verdict: Verdict, showsAll: boolean): Verdict {
    const changes = this.#lastChangeHides ? verdict.evidence.changes.map(() => redacted) : verdict.evidence.changes;
    const evidence = { ...verdict.evidence, changes };
    if (showsAll) return { ...verdict, evidence };
    const { status, reason, message, hint, candidates } = verdict;
    const said = this.#last?.conceal?.(this.#keeps).reasons.at(-1) ?? redacted;
    const claim = evidence.claim && said;
    const isPlain = status === "done" ? !claim : reason !== null && plainReasons.has(reason);
    return {
      ...verdict,
      message: isPlain ? message : (claim ?? redacted),
      hint: hint && redacted,
      candidates: candidates.map(() => redacted),
      evidence: { ...evidence, claim },
    };
  }

  #acted(acted: ActedRecord, words: ConcealedWords | undefined, index: number): ActedRecord {
    const why = acted.action["why"];
    const reason = words?.reasons[index] ?? (this.#showsWords ? why : redacted);
    const action = { ...acted.action, ...(why === undefined ? {} : { why: reason }) };
    if (!this.#hiding.has(acted)) return { ...acted, action };
    const { changes, warning, error } = acted;
    return {
      ...acted,
      action: { ...action, ...(acted.action["action"] === "type" ? { text: redacted } : { key: redacted }) },
      changes: changes.map(() => redacted),
      warning: warning && redacted,
      error: error && { code: error.code, message: redacted, hint: null },
    };
  }
}

const textOf = ({ text, key }: AgentAction): string => text ?? key ?? "";
