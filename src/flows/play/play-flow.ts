import { basename, isAbsolute, resolve } from "node:path";
import { sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import { openCaller, type Ask, type Caller } from "../../tools/caller.ts";
import type { Session } from "../../tools/session.ts";
import { readSteps, type Step, type StepTarget } from "../../tools/steps.ts";
import { millisecondsOf, plainExpectation, type Condition, type FlowStep, type Scalar } from "../file/flow-schema.ts";
import type { LoadedFlow } from "../file/load-flow.ts";
import type { Row } from "../file/rows.ts";
import { performStep, type Outcome } from "../perform-step.ts";
import type { Scene } from "../places.ts";
import { factsOf, lookAround, problemOf, reasonOf, surfaceOf, type Reason } from "../step-outcome.ts";
import { stepWords } from "../step-words.ts";
import { byWords, type TargetResolver } from "./resolve-target.ts";
import { statusOf, type FlowPicture, type RunRecord, type StepRecord } from "./run-record.ts";
import { withTargets } from "./step-targets.ts";
import { isCalled, reaches, roughWords } from "./step-ids.ts";
import { Variables } from "./variables.ts";

export interface Playing {
  readonly signal: AbortSignal;
  readonly ask?: Ask | undefined;
  /** Override what the file says. */
  readonly vars?: Readonly<Record<string, Scalar>> | undefined;
  /** Where `env` and `secrets` of the file are looked up; default: nowhere. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  readonly row?: Row | undefined;
  /** The number or name of the first and of the last step to perform. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  /** Called when a step begins and when it has ended. */
  readonly onStep?: ((step: StepRecord, run: RunRecord) => void) | undefined;
  /** Asked before each step that acts. */
  readonly before?: ((step: StepRecord) => Promise<"do" | "skip" | "stop">) | undefined;
  /** Keeps a picture of a failure and returns the name of its file; without it none are taken. */
  readonly keep?: ((bytes: Uint8Array, mimeType: string) => string) | undefined;
  /** Also take a picture after every action. */
  readonly films?: boolean | undefined;
  readonly resolveTarget?: TargetResolver | undefined;
}

/** Plays a flow once. Never throws for what happens in it: the record tells how it ended. */
export async function playFlow(session: Session, loaded: LoadedFlow, playing: Playing): Promise<RunRecord> {
  const { flow, file } = loaded;
  const run: RunRecord = {
    version: 1,
    name: flow.name ?? basename(file).replace(/(?:\.flow)?\.ya?ml$/, ""),
    file,
    ...(playing.row ? { row: playing.row } : {}),
    tags: flow.tags ?? [],
    started: Date.now(),
    status: "running",
    ms: 0,
    steps: [],
    read: {},
  };
  const clock = performance.now();
  const player = new Player(session, playing, run);
  const rules = flow.policy && { ...session.gate.rules, mode: narrower(session.gate.rules.mode, flow.policy) };
  const play = (): Promise<void> => player.play(loaded);
  await (rules ? session.gate.under(rules, play) : play());
  run.ms = Math.round(performance.now() - clock);
  return session.secrets.conceal(run);
}

type Mode = Session["gate"]["rules"]["mode"];
const modes: readonly Mode[] = ["allow", "ask", "observe-only"];

/** A flow may narrow what the session allows, never widen it. */
const narrower = (given: Mode, wanted: Mode): Mode => (modes.indexOf(wanted) > modes.indexOf(given) ? wanted : given);

/** A step has failed, and with it whatever it is a part of. */
class StepFailed extends Error {
  readonly step: StepRecord;
  readonly reason: Reason;

  constructor(step: StepRecord, reason: Reason) {
    super(reason.reason);
    this.step = step;
    this.reason = reason;
  }
}

/** The last step that was wanted is done. */
class Enough extends Error {}

/** Where a step acts, and what holds for it. */
interface Setting {
  readonly loaded: LoadedFlow;
  readonly variables: Variables;
  readonly window: string | undefined;
  readonly timeoutMs: number;
  readonly settleMs: number | undefined;
  /** The path of the list in the file, and the number of the block it belongs to. */
  readonly path: readonly PropertyKey[];
  readonly prefix: string;
  readonly depth: number;
}

const usualTimeoutMs = 5_000;
/** Shorter ones would make words of every text unreadable if they were left out. */
const shortestSecret = 4;
const mostRounds = 1_000;
const mostEvents = 12;

class Player {
  readonly #session: Session;
  readonly #playing: Playing;
  readonly #run: RunRecord;
  readonly #call: Caller;
  readonly #events: string[] = [];
  #surface = "desktop";
  #last: Outcome["acted"];
  /** The step to begin with, until it is reached. */
  #from: string | undefined;
  #hasFailed = false;
  #view: View | undefined;

  constructor(session: Session, playing: Playing, run: RunRecord) {
    this.#session = session;
    this.#playing = playing;
    this.#run = run;
    this.#from = playing.from;
    const { signal, ask } = playing;
    const call = openCaller(session, { client: "flow", signal, ask });
    this.#call = async (tool, args, options) => {
      try {
        const called = await call(tool, args, options);
        this.#note(`${tool}: ${"effect" in called.data ? String(called.data.effect) : "done"}`);
        return called;
      } catch (error) {
        this.#note(`${tool}: ${error instanceof ToolError ? error.code : "failed"}`);
        throw error;
      }
    };
  }

  #note(line: string): void {
    this.#events.push(line);
    if (this.#events.length > mostEvents) this.#events.shift();
  }

  async play(loaded: LoadedFlow): Promise<void> {
    const { signal, from, until } = this.#playing;
    const run = this.#run;
    try {
      const setting = this.#settingOf(loaded);
      for (const named of [from, until]) {
        if (named === undefined || reaches(loaded.flow.steps, "", named)) continue;
        throw new ToolError("invalid_argument", `The flow has no step "${named}".`, {
          hint: "Give its number, such as 3 or 3.2, or its name.",
        });
      }
      await this.#guarded(loaded.flow, setting, () => this.#list(loaded.flow.steps, setting));
      run.status = "passed";
    } catch (error) {
      if (error instanceof Enough) run.status = "passed";
      else if (signal.aborted) {
        run.status = "cancelled";
        run.failed = { step: this.#here(), line: this.#line(), code: "cancelled", reason: "The run was cancelled." };
      } else if (error instanceof StepFailed) {
        run.status = statusOf(error.reason.code);
        run.failed = { step: error.step.id, line: error.step.line, ...error.reason };
      } else if (error instanceof ToolError) {
        run.status = statusOf(error.code);
        run.failed = { step: this.#here(), line: this.#line(), ...reasonOf(error) };
      } else throw error;
    }
    if (run.status !== "passed") run.events ??= [...this.#events];
  }

  #here(): string {
    return this.#run.steps.at(-1)?.id ?? "1";
  }

  #line(): number {
    return this.#run.steps.at(-1)?.line ?? 1;
  }

  #settingOf(loaded: LoadedFlow): Setting {
    const { vars = {}, env = {}, secrets = [], timeout, settle } = loaded.flow;
    const { environment = {}, row = {}, vars: given = {} } = this.#playing;
    const fromEnvironment = Object.entries(env).map(([name, usual]) => [name, environment[name] ?? usual] as const);
    for (const name of secrets) {
      const value = environment[name];
      if (value === undefined || this.#session.secrets.value(name) !== undefined) continue;
      if (value.length < shortestSecret) {
        throw new ToolError("invalid_argument", `The secret ${name} has fewer than ${shortestSecret} characters.`, {
          hint: "Something that short cannot be kept out of reports.",
        });
      }
      this.#session.secrets.add(name, value);
    }
    const all = [...Object.entries(vars), ...fromEnvironment, ...Object.entries(row), ...Object.entries(given)];
    return {
      loaded,
      variables: new Variables(all, (name) => this.#session.secrets.value(name)),
      window: undefined,
      timeoutMs: timeout === undefined ? usualTimeoutMs : millisecondsOf(timeout),
      settleMs: settle === undefined ? undefined : millisecondsOf(settle),
      path: ["steps"],
      prefix: "",
      depth: 0,
    };
  }

  /** Runs `on_fail` after a failure, and `finally` whatever happened; the first failure is the one that counts. */
  async #guarded(
    block: Pick<FlowStep, "on_fail" | "finally">,
    setting: Setting,
    body: () => Promise<void>,
  ): Promise<void> {
    const aside = async (name: "on_fail" | "finally"): Promise<void> => {
      const steps = block[name];
      // Whoever cancelled it wants nothing more to happen.
      if (!steps || this.#playing.signal.aborted) return;
      const path = [...setting.path.slice(0, -1), name];
      await this.#list(steps, { ...setting, path, prefix: `${setting.prefix}${name}.` });
    };
    try {
      await body();
    } catch (error) {
      if (!(error instanceof Enough)) await ignoring(() => aside("on_fail"));
      await ignoring(() => aside("finally"));
      throw error;
    }
    await aside("finally");
  }

  async #list(steps: readonly FlowStep[], setting: Setting): Promise<void> {
    for (const [index, step] of steps.entries()) {
      throwIfCancelled(this.#playing.signal);
      const id = `${setting.prefix}${index + 1}`;
      const path = [...setting.path, index];
      if (this.#from !== undefined && !this.#isReached(step, id)) {
        this.#end(this.#begin(step, id, path, setting), "skipped");
        continue;
      }
      await this.#step(step, id, { ...setting, path });
      if (isCalled(step, id, this.#playing.until)) throw new Enough();
    }
  }

  /** Whether the step to begin with is this one, or inside it. */
  #isReached(step: FlowStep, id: string): boolean {
    const from = this.#from;
    if (from === undefined) return true;
    if (isCalled(step, id, from)) this.#from = undefined;
    return this.#from === undefined || reaches(step.steps ?? [], `${id}.`, from);
  }

  #begin(step: FlowStep, id: string, path: readonly PropertyKey[], { loaded, depth, variables }: Setting): StepRecord {
    const record: StepRecord = {
      id,
      depth,
      what: this.#nameOf(step, variables) ?? roughWords(step),
      ...(step.steps || step.run !== undefined ? { isBlock: true } : {}),
      file: loaded.file,
      line: loaded.position(path).line,
      at: Date.now(),
      status: "running",
      surface: this.#surface,
      ms: 0,
    };
    this.#run.steps.push(record);
    return record;
  }

  #nameOf({ name }: FlowStep, variables: Variables): string | undefined {
    return name === undefined ? undefined : this.#session.secrets.conceal(String(variables.putIn(name)));
  }

  #end(record: StepRecord, status: StepRecord["status"]): void {
    record.status = status;
    record.ms = Math.max(record.ms, status === "skipped" ? 0 : Date.now() - record.at);
    this.#playing.onStep?.(record, this.#run);
  }

  async #step(step: FlowStep, id: string, outer: Setting): Promise<void> {
    const setting: Setting = {
      ...outer,
      window: step.window === undefined ? outer.window : String(outer.variables.putIn(step.window)),
      timeoutMs:
        step.timeout === undefined ? outer.timeoutMs : millisecondsOf(outer.variables.putIn(step.timeout) as string),
      settleMs:
        step.settle === undefined ? outer.settleMs : millisecondsOf(outer.variables.putIn(step.settle) as string),
    };
    const record = this.#begin(step, id, setting.path, setting);
    this.#playing.onStep?.(record, this.#run);
    const tries = typeof step.retry === "number" ? step.retry : (step.retry?.times ?? 0);
    const delay = typeof step.retry === "object" ? (step.retry.delay ?? 0) : 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const status = await this.#guardedStep(step, id, setting, record);
        if (attempt > 1) record.attempts = attempt;
        return this.#end(record, status);
      } catch (error) {
        throwIfCancelled(this.#playing.signal);
        if (error instanceof Enough) {
          this.#end(record, "passed");
          throw error;
        }
        const failure = this.#failure(error, record);
        const mayTry = attempt <= tries && statusOf(failure.reason.code) === "failed";
        if (mayTry) {
          this.#forgetFailure();
          await sleep(millisecondsOf(delay), this.#playing.signal);
          continue;
        }
        if (attempt > 1) record.attempts = attempt;
        if (failure.step === record) record.error = failure.reason;
        // A refusal is not something to step over.
        const isForgiven = step.optional === true && statusOf(failure.reason.code) === "failed";
        if (!isForgiven && !this.#hasFailed) await this.#lookAtFailure(record, failure);
        this.#end(record, isForgiven ? "warned" : "failed");
        if (isForgiven) return this.#forgetFailure();
        throw failure;
      }
    }
  }

  /** What failed is tried again or does not matter; the picture belongs to the failure that ends the run. */
  #forgetFailure(): void {
    this.#hasFailed = false;
    delete this.#run.now;
    delete this.#run.events;
  }

  #failure(error: unknown, record: StepRecord): StepFailed {
    if (error instanceof StepFailed) return error;
    if (error instanceof ToolError) return new StepFailed(record, reasonOf(error));
    throw error;
  }

  /** The picture and the elements where it ended; they say more than any message. */
  async #lookAtFailure(record: StepRecord, { step, reason }: StepFailed): Promise<void> {
    if (step !== record) return;
    this.#hasFailed = true;
    this.#run.events = [...this.#events];
    if (statusOf(reason.code) !== "failed") return;
    const place = await this.#placeOf(reason);
    this.#view = await this.#takePicture();
    const { before: picture } = this.#marked(place);
    if (picture) record.after = picture;
    const now = await lookAround(this.#call, this.#surface);
    if (now) this.#run.now = typeof now["snapshot"] === "string" ? now["snapshot"] : JSON.stringify(now);
  }

  async #guardedStep(step: FlowStep, id: string, setting: Setting, record: StepRecord): Promise<"passed" | "skipped"> {
    const isResumed = this.#from !== undefined;
    if (step.when !== undefined && !isResumed && !(await this.#holds(step.when, setting))) {
      record.note = "its condition does not hold";
      if (!step.else) return "skipped";
      const path = [...setting.path, "else"];
      await this.#list(step.else, { ...setting, path, prefix: `${id}.else.`, depth: setting.depth + 1 });
      return "passed";
    }
    const inner: Setting = { ...setting, path: [...setting.path, "steps"], prefix: `${id}.`, depth: setting.depth + 1 };
    if (step.steps) {
      await this.#guarded(step, inner, () => this.#block(step, inner));
      return "passed";
    }
    let isDone = true;
    await this.#guarded(step, inner, async () => {
      isDone = await this.#verb(step, setting, record);
    });
    return isDone ? "passed" : "skipped";
  }

  async #block(step: FlowStep, setting: Setting): Promise<void> {
    const { steps = [] } = step;
    const repeat = step.repeat && { ...step.repeat, ...timesOf(step.repeat.times, setting) };
    const before = this.#surface;
    await this.#enter(step, setting);
    try {
      if (!repeat) return await this.#list(steps, setting);
      const each = repeat.each === undefined ? undefined : this.#itemsOf(repeat.each, setting);
      const isCounted = each !== undefined || repeat.times !== undefined;
      const most = Math.min(each?.length ?? Number.POSITIVE_INFINITY, repeat.times ?? Number.POSITIVE_INFINITY);
      for (let round = 1; round <= most; round++) {
        if (!isCounted && round > mostRounds)
          throw new ToolError("timeout", `The condition of repeat still held after ${mostRounds} rounds.`);
        const item = each?.[round - 1];
        const columns = typeof item === "object" && item !== null ? Object.entries(item) : [];
        const own = [["index", round] as const, ...columns, [repeat.as ?? "item", item ?? round] as const];
        const scope = { ...setting, variables: setting.variables.inner(own) };
        if (repeat.while !== undefined && !(await this.#holds(repeat.while, scope))) break;
        await this.#list(steps, { ...scope, prefix: setting.prefix.replace(/\.$/, `#${round}.`) });
      }
    } finally {
      if (step.page !== undefined || step.device !== undefined || step.surface !== undefined) this.#surface = before;
    }
  }

  #itemsOf(each: unknown, { variables }: Setting): readonly unknown[] {
    const items = variables.putIn(each);
    if (Array.isArray(items)) return items;
    // What a step has read is a text; its lines are the items.
    return String(items)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "");
  }

  /** Goes where the steps of a block act. */
  async #enter(step: FlowStep, { variables, timeoutMs }: Setting): Promise<void> {
    if (step.surface !== undefined) this.#surface = String(variables.putIn(step.surface));
    if (step.page !== undefined) {
      const url = String(variables.putIn(step.page));
      const [open] = needSteps([{ open: url }]);
      const before = this.#surface.startsWith("android:") ? "desktop" : this.#surface;
      const outcome = await performStep(
        open,
        this.#scene({ surface: before, window: undefined, timeoutMs, settleMs: undefined }),
      );
      this.#surface = outcome.surface ?? before;
    }
    if (step.device !== undefined) {
      const serial = step.device === true ? undefined : String(variables.putIn(step.device));
      const { data } = await this.#call("android_connect", serial === undefined ? {} : { serial });
      this.#surface = `android:${data.device}`;
    }
  }

  #scene(where: Pick<Setting, "window" | "timeoutMs" | "settleMs"> & { readonly surface: string }) {
    return {
      ...where,
      call: this.#call,
      signal: this.#playing.signal,
      lastEffect: this.#last?.effect,
      expect: undefined,
    };
  }

  /** Whether a condition holds now; it waits only if it says for how long. */
  async #holds(given: Condition, setting: Setting): Promise<boolean> {
    const condition = setting.variables.putIn(given) as Exclude<Condition, string> | string;
    if (typeof condition === "object" && condition !== null) {
      if ("not" in condition) return !(await this.#holds(condition.not as Condition, setting));
      if ("equals" in condition) return String(condition.equals[0]) === String(condition.equals[1]);
      if ("on" in condition) return kindOf(this.#surface) === condition.on;
    }
    const expect = plainExpectation(condition);
    const [step] = needSteps([{ expect: this.#located(expect, setting) }]);
    try {
      await performStep(step, this.#scene({ ...setting, surface: this.#surface, timeoutMs: 0 }));
      return true;
    } catch (error) {
      if (error instanceof ToolError && error.code === "timeout") return false;
      throw error;
    }
  }

  /** Performs the verb of a step; false when there was nothing to perform it with. */
  async #verb(step: FlowStep, setting: Setting, record: StepRecord): Promise<boolean> {
    if (step.run !== undefined) return this.#runFlow(step.run, setting);
    if (step.ask !== undefined) return this.#askModel(step.ask, setting, record);
    const [plain] = needSteps([await this.#plain(step, setting)]);
    record.what = this.#nameOf(step, setting.variables) ?? this.#session.secrets.conceal(stepWords(plain));
    this.#surface = surfaceOf(plain) ?? this.#surface;
    record.surface = this.#surface;
    const answer = (await this.#playing.before?.(record)) ?? "do";
    if (answer === "stop") throw new Enough();
    if (answer === "skip") return false;
    const scene = this.#scene({
      ...setting,
      surface: this.#surface,
      window: plain.window ?? setting.window,
      timeoutMs: plain.timeout_ms ?? setting.timeoutMs,
    });
    const resolved = await this.#resolved(plain, scene, record);
    const expect = plain.verb === "expect" ? undefined : "expect" in plain ? plain.expect : undefined;
    if (this.#playing.films === true) this.#view ??= await this.#takePicture();
    const { before } = this.#marked(undefined);
    if (before) record.before = before;
    const started = performance.now();
    const outcome = await performStep(resolved, { ...scene, expect });
    record.ms = Math.round(performance.now() - started);
    this.#surface = outcome.surface ?? this.#surface;
    this.#last = outcome.acted ?? this.#last;
    Object.assign(record, factsOf(outcome));
    const { windows = [], tree = [] } = outcome.acted?.changes ?? {};
    if (windows.length + tree.length > 0) record.changes = [...windows, ...tree].slice(0, 20);
    if (outcome.read) this.#keepRead(outcome.read, record, setting);
    if (this.#playing.films === true) await this.#film(record, outcome);
    const problem = problemOf(outcome, false);
    if (problem) throw new StepFailed(record, problem);
    return true;
  }

  #keepRead({ name, text }: NonNullable<Outcome["read"]>, record: StepRecord, { variables }: Setting): void {
    if (name !== undefined) variables.set(name, text);
    this.#run.read[name ?? record.id] = text;
  }

  /** The step as run_steps takes it: variables put in, files found beside the flow. */
  async #plain(step: FlowStep, setting: Setting): Promise<Record<string, unknown>> {
    const {
      name: _n,
      when: _w,
      optional: _o,
      retry: _r,
      on_fail: _f,
      finally: _y,
      timeout: _t,
      settle: _s,
      ...rest
    } = step;
    const filled = setting.variables.putIn(rest) as Record<string, unknown>;
    for (const key of ["expect", "wait"] as const) {
      const given = filled[key];
      if (given === undefined || typeof given === "number" || (key === "wait" && typeof given === "string")) continue;
      filled[key] = this.#located(plainExpectation(given as Parameters<typeof plainExpectation>[0]), setting);
    }
    const { open, screenshot } = filled as { readonly open?: unknown; readonly screenshot?: unknown };
    if (typeof open === "object" && open !== null && "file" in open)
      filled["open"] = { ...open, file: this.#beside(String(open.file), setting) };
    if (typeof screenshot === "string") filled["screenshot"] = this.#beside(screenshot, setting);
    return this.#withImages(filled, setting) as Promise<Record<string, unknown>>;
  }

  /** Relative paths begin at the folder of the flow. */
  #beside(file: string, { loaded }: Setting): string {
    return isAbsolute(file) ? file : resolve(loaded.folder, file);
  }

  #located<T>(expect: T, setting: Setting): T {
    if (typeof expect !== "object" || expect === null || !("file" in expect)) return expect;
    return { ...expect, file: this.#beside(String(expect.file), setting) };
  }

  /** A picture is named by its file; tools know it by the id it gets when it is loaded. */
  async #withImages(value: unknown, setting: Setting): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.#withImages(each, setting)));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(async ([key, inner]) => {
      if (key !== "image" || typeof inner !== "string") return [key, await this.#withImages(inner, setting)] as const;
      const { data } = await this.#call("load_image", { path: this.#beside(inner, setting) });
      return [key, data.image_id] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** The step with each target replaced by what is meant. */
  async #resolved(step: Step, scene: Scene, record: StepRecord): Promise<Step> {
    const find = this.#playing.resolveTarget ?? byWords;
    const resolve = async (field: string, target: StepTarget): Promise<StepTarget> => {
      const { file, id } = record;
      const found = await find({ file, step: id.replaceAll(/#\d+/g, ""), verb: step.verb, field, target, scene });
      if (found.rung !== undefined) record.rung = found.rung;
      if (found.note !== undefined) record.note = found.note;
      return found.target;
    };
    return withTargets(step, resolve);
  }

  async #runFlow(called: NonNullable<FlowStep["run"]>, setting: Setting): Promise<true> {
    const { flow: name, vars = {} } = typeof called === "string" ? { flow: called } : called;
    const inner = setting.loaded.runs.get(name);
    if (!inner) throw new ToolError("invalid_argument", `The flow ${JSON.stringify(name)} was not loaded.`);
    const given = setting.variables.putIn(vars) as Record<string, Scalar>;
    const own = this.#settingOf(inner);
    const { environment = {} } = this.#playing;
    const fromEnvironment = Object.entries(inner.flow.env ?? {}).map(
      ([each, usual]) => [each, environment[each] ?? usual] as const,
    );
    const unset = [...Object.entries(inner.flow.vars ?? {}), ...fromEnvironment].filter(
      ([each]) => setting.variables.get(each) === undefined,
    );
    const id = this.#here();
    const within: Setting = {
      ...own,
      variables: setting.variables.inner([...unset, ...Object.entries(given)]),
      timeoutMs: inner.flow.timeout === undefined ? setting.timeoutMs : own.timeoutMs,
      prefix: `${id}.`,
      depth: setting.depth + 1,
    };
    const { gate } = this.#session;
    const play = (): Promise<void> => this.#guarded(inner.flow, within, () => this.#list(inner.flow.steps, within));
    const { policy } = inner.flow;
    await (policy ? gate.under({ ...gate.rules, mode: narrower(gate.rules.mode, policy) }, play) : play());
    return true;
  }

  async #askModel(asked: NonNullable<FlowStep["ask"]>, setting: Setting, record: StepRecord): Promise<boolean> {
    const { goal, max_steps } = setting.variables.putIn(typeof asked === "string" ? { goal: asked } : asked) as {
      readonly goal: string;
      readonly max_steps?: number;
    };
    record.what = this.#session.secrets.conceal(`ask ${JSON.stringify(goal)}`);
    const surface = this.#surface === "desktop" ? {} : { surface: this.#surface };
    try {
      const { data } = await this.#call("run_agent", { goal, model: "configured", max_steps, ...surface });
      record.saw = data.message;
      if (data.status === "done") return true;
      throw new StepFailed(record, { code: data.reason ?? data.status, reason: data.message });
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "not_supported") throw error;
      record.note = "skipped: no model is configured (--model), so nobody can be asked";
      return false;
    }
  }

  /** What was acted on is marked in the picture before; the picture after is the one before the next step. */
  async #film(record: StepRecord, { acted }: Outcome): Promise<void> {
    const { before } = this.#marked(acted?.node_before?.bounds);
    if (before) record.before = before;
    if (!acted) return;
    this.#view = await this.#takePicture();
    const { before: after } = this.#marked(undefined);
    if (after) record.after = after;
  }

  #marked(bounds: Rect | undefined): { readonly before?: FlowPicture } {
    const view = this.#view;
    if (!view || view.surface !== this.#surface) return {};
    return { before: bounds ? { ...view.picture, mark: view.toPixels(bounds) } : view.picture };
  }

  async #takePicture(): Promise<View | undefined> {
    const { keep } = this.#playing;
    if (!keep) return undefined;
    const surface = this.#surface;
    const on = surface === "desktop" ? { mode: "screen" } : { surface };
    try {
      const how = { include_ocr: false, format: "webp", max_side: 1_280 };
      const { data, images } = await this.#call("take_screenshot", { ...on, ...how });
      const [image] = images ?? [];
      if (!image) return undefined;
      const { screenshot_origin_x: left, screenshot_origin_y: top, screenshot_scale: scale } = data;
      const size = { width: data.screenshot_pixel_width, height: data.screenshot_pixel_height };
      return {
        surface,
        picture: { file: keep(image.bytes, image.mimeType), ...size },
        toPixels: ({ x, y, width, height }) => ({
          x: Math.round((x - left) * scale),
          y: Math.round((y - top) * scale),
          width: Math.round(width * scale),
          height: Math.round(height * scale),
        }),
      };
    } catch (error) {
      throwIfCancelled(this.#playing.signal);
      if (!(error instanceof ToolError)) throw error;
      return undefined;
    }
  }

  /** Where the nearest candidate is, or what the failed action was about. */
  async #placeOf({ code, candidates = [] }: Reason): Promise<Rect | undefined> {
    const uid = candidates.map((line) => /\b[adn]\d+(?:g\d+)?\b/.exec(line)?.[0]).find((each) => each !== undefined);
    if (uid === undefined) return aboutLast.has(code) ? this.#last?.node_before?.bounds : undefined;
    const on = this.#surface === "desktop" ? {} : { surface: this.#surface };
    try {
      const { data } = await this.#call("wait_for", { expect: { visible: { uid } }, timeout_ms: 0, ...on });
      return data.element?.bounds;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return undefined;
    }
  }
}

/** Failures of an action that was performed. */
const aboutLast: ReadonlySet<string> = new Set(["no_change", "not_met", "incomplete"]);

/** A picture, and where things are in it. */
interface View {
  readonly surface: string;
  readonly picture: FlowPicture;
  readonly toPixels: (bounds: Rect) => Rect;
}

/** A number may come from a table, where everything is text. */
function timesOf(given: unknown, { variables }: Setting): { readonly times?: number } {
  if (given === undefined) return {};
  const times = Number(variables.putIn(given));
  if (Number.isInteger(times) && times >= 0) return { times };
  throw new ToolError("invalid_argument", `repeat.times: ${JSON.stringify(variables.putIn(given))} is no number.`);
}

/** A second failure must not hide the first one; it is in the record. */
async function ignoring(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof StepFailed) && !(error instanceof ToolError)) throw error;
  }
}

const kindOf = (surface: string): "desktop" | "page" | "device" =>
  surface.startsWith("page:") ? "page" : surface.startsWith("android:") ? "device" : "desktop";

function needSteps(list: readonly unknown[]): readonly [Step, ...Step[]] {
  const { steps, problems } = readSteps(list);
  const [first, ...others] = steps;
  if (problems.length === 0 && first) return [first, ...others];
  throw new ToolError("invalid_argument", problems.map((problem) => problem.replace(/^step 1: /, "")).join("; "));
}
