import { ToolError } from "../base/errors.ts";
import { setMaxListeners } from "node:events";
import { withAnySignal } from "../base/async.ts";
import { readStop, runtimeFolders } from "../base/runtime.ts";
import type { Session } from "../tools/session.ts";
import { act, type Acted } from "./act.ts";
import { Budget, defaultLimits, type AgentLimits, type Price } from "./budget.ts";
import { openCaller, type Ask, type Caller } from "../tools/caller.ts";
import { chooseModel, type ModelAccess } from "./choose-model.ts";
import { decide } from "./decide.ts";
import { openEyes } from "./eyes.ts";
import { History } from "./history.ts";
import { look, toShot, type Look, type Shot } from "./look.ts";
import type { VisionModel } from "./model.ts";
import {
  areaOf,
  choosePlace,
  findPlace,
  followPlace,
  onDesktop,
  windowArguments,
  type Workplace,
  type Where,
} from "./workplace.ts";
import { Progress } from "./progress.ts";
import type { RunRecord, StepRecord, Verdict } from "./record.ts";
import { Recorder, type Recorded } from "./recorder.ts";
import { Stop } from "./stop.ts";
import { describeOutcome, toActedRecord } from "./to-record.ts";
import { judge, type Ended } from "./verdict.ts";

export interface AgentOptions {
  /** What to reach, in plain language. Kept in the run folder, without secrets that it says to type. */
  readonly goal: string;
  /** A name such as "rules" or "openai:gpt-6", or your own model. */
  readonly model?: string | VisionModel;
  /** How to reach a named model; its key is never recorded. */
  readonly access?: ModelAccess;
  readonly where?: Where;
  readonly limits?: Partial<AgentLimits>;
  readonly price?: Price | undefined;
  /** Look and decide once, but do nothing. */
  readonly dryRun?: boolean;
  /** Use only native actions: neither the pointer nor the focus moves. */
  readonly background?: boolean;
  readonly signal?: AbortSignal;
  /** Asks a person a question from the policy, or from a model's vendor. Without it the answer is no. */
  readonly ask?: Ask;
  readonly env?: NodeJS.ProcessEnv;
  /** Called when a step has been decided, and again when it is done. */
  readonly onStep?: (step: StepRecord) => void;
}

export interface AgentResult extends RunRecord {
  readonly verdict: Verdict;
  readonly history: readonly StepRecord[];
  /** The report in the run folder; null when there is no journal. */
  readonly report: string | null;
}

/** See → decide → act → verify until the goal is reached or something stops it. Throws only for a bad request. */
export async function runAgent(session: Session, options: AgentOptions): Promise<AgentResult> {
  return (await runRecorded(session, options)).result;
}

/** The same, with what its files show of it. */
export async function runRecorded(session: Session, options: AgentOptions): Promise<Recorded> {
  const limits = { ...defaultLimits, ...options.limits };
  const outOfTime = new AbortController();
  const timer = setTimeout(
    () => outOfTime.abort(new Stop("max_time", `The goal was not reached in ${limits.maxSeconds} s.`)),
    limits.maxSeconds * 1_000,
  );
  try {
    const signals = [outOfTime.signal, ...(options.signal ? [options.signal] : [])];
    return await withAnySignal(signals, (signal) => {
      setMaxListeners(0, signal);
      return new Agent(session, options, limits, signal).run();
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Typed text always leaves a trace if it arrives. */
const isLost = ({ action, effect, isPartial = false, error }: Acted): boolean =>
  error !== undefined || isPartial || (action.action === "type" && effect === "no_change");

/** A wait proves itself by ending, and nothing is sent where nothing is to do. */
const isProven = (acted: Acted | undefined): boolean =>
  acted !== undefined && (["confirmed", "none"].includes(acted.effect) || acted.action.action === "wait");

const dryRun = (what: string, steps: readonly string[] = []): Stop =>
  new Stop("dry_run", `Nothing was done. ${what}`, steps);

const wordsOf = ({ why, action }: Acted["action"]): string => why ?? action;

class Agent {
  readonly #session: Session;
  readonly #options: AgentOptions;
  readonly #signal: AbortSignal;
  readonly #call: Caller;
  readonly #budget: Budget;
  readonly #recorder: Recorder;
  readonly #history = new History();
  readonly #progress = new Progress();
  readonly #acted: Acted[] = [];
  #place: Workplace = { surface: "desktop", window: undefined, title: "the desktop" };

  constructor(session: Session, options: AgentOptions, limits: AgentLimits, signal: AbortSignal) {
    this.#session = session;
    this.#options = options;
    this.#signal = signal;
    this.#call = openCaller(session, { client: "agent", signal, ask: options.ask });
    this.#budget = new Budget(limits, options.price);
    this.#recorder = new Recorder(session, options, limits);
  }

  async run(): Promise<Recorded> {
    const ended = await this.#pursue().catch((error: unknown): Ended => ({ error }));
    const shot = await this.#lastLook();
    const verdict = judge(ended, { acted: this.#acted, shot, signal: this.#signal });
    if (ended.error !== undefined && verdict.reason === "internal") {
      this.#session.log.error("the agent failed", ended.error);
    }
    return this.#recorder.finish(verdict, this.#budget);
  }

  async #pursue(): Promise<Ended> {
    const model = await this.#openModel();
    this.#recorder.begin(model);
    await this.#begin(model);
    for (let step = 1; ; step++) {
      this.#needGoing(step - 1);
      const seen = await this.#look(model);
      const record = this.#recorder.newStep(step, seen);
      const decision = await decide(model, {
        goal: this.#options.goal,
        observation: seen.observation,
        history: this.#history.toTurn(),
        signal: this.#signal,
        spend: (usage) => this.#budget.spend(usage),
      });
      this.#recorder.decided(record, decision, this.#budget);
      this.#needGoing(step - 1);
      for (const { confidence } of decision.actions) this.#budget.needConfidence(confidence);
      await this.#needConsent(decision.mustConfirm);
      if (this.#options.dryRun) throw dryRun("It would begin with:", decision.actions.map(wordsOf));
      const acted = await this.#act(decision.actions, seen, record);
      this.#history.add({
        observation: seen.observation,
        actions: decision.actions,
        outcome: describeOutcome(acted),
        memory: decision.memory,
        isKey: this.#history.isEmpty || acted.some(({ changes }) => changes.some((line) => /window/i.test(line))),
      });
      const last = decision.actions.at(-1);
      const isFailed = acted.some(isLost) || (decision.needsEffect === true && !isProven(acted.at(-1)));
      if (!isFailed && (last?.action === "done" || last?.done === true)) return { claim: last.why ?? "" };
      this.#progress.note(acted);
    }
  }

  async #openModel(): Promise<VisionModel> {
    const { model = "rules", access = {}, env = process.env } = this.#options;
    if (typeof model !== "string") return model;
    const { system } = this.#session;
    return chooseModel({ ...access, name: model, env, system, eyes: openEyes(this.#call, () => this.#place) });
  }

  async #begin(model: VisionModel): Promise<void> {
    const { where = {}, background = false } = this.#options;
    this.#place = this.#options.dryRun ? await this.#whereItIs(model) : await choosePlace(this.#call, where);
    if (!this.#options.dryRun && !background && this.#place.window && onDesktop(this.#place)) {
      await this.#call("focus_window", windowArguments(this.#place));
    }
  }

  /** A dry run starts nothing: if the place does not exist yet, the plan comes from the goal alone. */
  async #whereItIs(model: VisionModel): Promise<Workplace> {
    const { where = {}, goal } = this.#options;
    const place = await findPlace(this.#call, where);
    if (place) return place;
    const first =
      where.url === undefined ? `${where.app} is not running and would be started` : "The page would be opened";
    const plan = model.plan?.(goal);
    throw plan
      ? dryRun(`${first} first. Then:`, plan)
      : dryRun(`${first} first. What ${model.name} does then depends on what it sees.`);
  }

  async #look(model: VisionModel): Promise<Look> {
    const { where = {} } = this.#options;
    if (!this.#history.isEmpty) {
      const isFree = Object.values(where).every((given) => given === undefined);
      this.#place = await followPlace(this.#call, this.#place, isFree);
    }
    return look(this.#call, this.#place, model, this.#session.journal);
  }

  async #act(actions: readonly Acted["action"][], seen: Look, record: StepRecord): Promise<readonly Acted[]> {
    const done: Acted[] = [];
    const options = {
      call: this.#call,
      place: this.#place,
      shot: seen.shot,
      isBackground: this.#options.background ?? false,
      signal: this.#signal,
    };
    try {
      for (const action of actions) {
        const acted = await act(action, options);
        done.push(acted);
        this.#acted.push(acted);
        this.#recorder.acted(record, toActedRecord(acted, seen.shot), acted);
        // What was to follow was decided for a state that has not come about.
        if (acted.error) break;
      }
      return done;
    } finally {
      this.#recorder.endStep(record);
    }
  }

  #needGoing(steps: number): void {
    this.#signal.throwIfAborted();
    const stopped = readStop(runtimeFolders(this.#options.env ?? process.env));
    if (stopped !== undefined) throw new Stop("emergency_stop", `"handsight stop" was used at ${stopped}.`);
    this.#budget.needStep(steps);
  }

  async #needConsent(mustConfirm: readonly string[]): Promise<void> {
    if (mustConfirm.length === 0) return;
    const { ask, dryRun } = this.#options;
    if (dryRun) return;
    const text = `The model's vendor asks a person to confirm: ${mustConfirm.join("; ")}`;
    const question = { id: "vendor", text, tool: "agent", client: "agent", at: Date.now() };
    const answer = ask ? await ask({ ...question, offers: ["once", "deny"] }, this.#signal) : "deny";
    if (answer === "deny") throw new Stop("denied", `${text}; nobody did.`);
  }

  /** The evidence: what the screen shows at the end. A run that was stopped may not be able to look. */
  async #lastLook(): Promise<Shot | undefined> {
    if (this.#signal.aborted || this.#acted.length === 0) return undefined;
    try {
      const { where = {} } = this.#options;
      const isFree = Object.values(where).every((given) => given === undefined);
      this.#place = await followPlace(this.#call, this.#place, isFree);
      const { area } = await areaOf(this.#call, this.#place);
      return toShot(await this.#call("take_screenshot", { ...area, include_ocr: false }), this.#session.journal);
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
}
