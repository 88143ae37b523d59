import { AsyncLocalStorage } from "node:async_hooks";
import { findAskers } from "../base/asking.ts";
import { ToolError } from "../base/errors.ts";
import { quote } from "../base/quote.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { decide, grantsOf, mayGoOn, type Answer, type PolicyRequest } from "../policy/decide.ts";
import { Grants } from "../policy/grants.ts";
import { isCommandWindow } from "../policy/programs.ts";
import { Rates } from "../policy/rates.ts";
import type { Rules } from "../policy/rules.ts";
import type { RefuseInput } from "../surface/guard/blocked.ts";
import { Questions, type Question, type QuestionPicture } from "./questions.ts";
import type { AnyTool } from "./tool.ts";

/** What a call is about, and how to show it to a person who is asked. */
export interface About extends Omit<PolicyRequest, "suspicious" | "now" | "isNobodyThere"> {
  readonly picture?: (() => Promise<QuestionPicture | undefined>) | undefined;
}

export interface Asking {
  readonly canAsk: boolean;
  readonly client: string | undefined;
  /** The person's answer, and which question it belongs to. */
  readonly answer: Answer | undefined;
  readonly questionId: string | undefined;
  readonly signal: AbortSignal;
}

/** What a session may do: the rules, and what was permitted, counted and noticed since it began. */
export class Gate {
  readonly rules: Rules;
  readonly questions = new Questions();
  /** Called when a question would have to be put to a person and there is no way to reach one. */
  onNobody: () => void = () => {};
  /** Called before a person is asked; throws when all input has been stopped. */
  needNoStop: (tool: string) => void = () => {};
  /** The display a person looks at and this session works on; undefined where no person's windows can be. */
  personsDisplay: string | undefined;
  readonly #call = new AsyncLocalStorage<About>();
  readonly #grants: Grants;
  readonly #rates: Rates;
  #suspicious: string | undefined;

  constructor(rules: Rules) {
    this.rules = rules;
    this.#grants = new Grants(rules.grantMinutes);
    this.#rates = new Rates(rules);
  }

  /** Returns the question to ask, or undefined when the call may go on; throws when it may not. */
  async consult(about: About, asking: Asking): Promise<Question | undefined> {
    const now = Date.now();
    const isNobodyThere = !asking.canAsk && !this.questions.isWatched;
    const request = { ...about, suspicious: this.#suspicious, isNobodyThere, now };
    const decision = decide(request, this.rules, this.#grants.valid(now));
    if (decision.verdict === "deny") throw new ToolError("denied", decision.reason, { hint: decision.hint });
    if (decision.verdict === "allow") return undefined;
    const { question: text, offers } = decision;
    const { tool, picture } = about;
    const ask = () => this.questions.ask({ text, offers, tool, client: asking.client }, picture);
    const answer = this.#first(asking);
    if (about.access !== "observe") this.needNoStop(tool);
    if (answer === undefined && asking.canAsk) return ask();
    this.#apply(answer ?? (await this.#askElsewhere(about.tool, ask, asking)), request);
    return undefined;
  }

  #first({ answer, questionId }: Asking): Answer | undefined {
    if (answer === undefined || questionId === undefined) return answer;
    const first = this.questions.answer(questionId, answer) ?? answer;
    this.questions.close(questionId);
    return first;
  }

  #apply(answer: Answer, request: PolicyRequest): void {
    if (answer === "deny") {
      throw new ToolError("denied", `${request.tool} was refused by the person asked.`, {
        hint: "Do not try again unless they ask for it.",
      });
    }
    if (request.access !== "observe") this.#suspicious = undefined;
    this.#grants.add(grantsOf(request, this.rules, answer), request.now);
  }

  async #askElsewhere(tool: string, ask: () => Question, { signal }: Asking): Promise<Answer> {
    if (!this.questions.isWatched) {
      this.onNobody();
      throw new ToolError("denied", `${tool} needs permission, and this client cannot ask anybody for it.`, {
        hint: howToPermit,
      });
    }
    const { id } = ask();
    try {
      const answer = await this.questions.wait(id, this.rules.askSeconds * 1_000, signal);
      if (answer !== undefined) return answer;
    } finally {
      this.questions.close(id);
    }
    throw new ToolError("denied", `${tool} needs permission; nobody answered in ${this.rules.askSeconds} s.`, {
      hint: howToPermit,
    });
  }

  /** Runs a call that was permitted, so that the windows its input reaches can be held against what it was permitted for. */
  during<T>(about: About, run: () => Promise<T>): Promise<T> {
    return this.#call.run(about, run);
  }

  /**
   * Windows that may be seen but not used now. While a person is being asked: those that show the question, their owners',
   * and every terminal, or an agent would answer itself. At all times: terminals, for calls that were not allowed to run
   * code. The last line of defence, below every tool, whatever window the call has named.
   */
  inputLimits(): RefuseInput | undefined {
    const askers = this.personsDisplay === undefined ? undefined : findAskers(this.personsDisplay);
    const about = this.#call.getStore();
    const isExecuting = about === undefined || about.access === "execute" || !this.#hasOpinion;
    if (!askers && isExecuting) return undefined;
    return (window, by) => {
      const isTerminal = isCommandWindow(window);
      if (askers && ((window.pid !== undefined && askers.has(window.pid)) || isTerminal)) return whileAsked(window);
      if (isExecuting || !isTerminal || by !== "input") return undefined;
      return this.#mayExecuteIn(window, about) ? undefined : notExecuting(window);
    };
  }

  get #hasOpinion(): boolean {
    return this.rules.mode !== "allow" || this.rules.rules.length > 0;
  }

  #mayExecuteIn({ id, title, appName: app }: WindowInfo, about: About): boolean {
    const now = Date.now();
    const request = { ...about, access: "execute" as const, window: { id, title, app }, now };
    return decide(request, this.rules, this.#grants.valid(now)).verdict === "allow";
  }

  /** Whether what was permitted in one window may go on in another without a question. */
  mayGoOn(first: About, now: About): boolean {
    const at = { suspicious: undefined, now: Date.now() };
    return mayGoOn({ ...first, ...at }, { ...now, ...at }, this.rules);
  }

  /** Throws `rate_limited` with the time to come back. */
  count({ name, access, captures, set }: Pick<AnyTool, "name" | "access" | "captures" | "set">): void {
    const counted = access === "observe" ? (captures ? "captures" : undefined) : "actions";
    const over = counted && this.#rates.take(counted, set, performance.now());
    if (!over) return;
    const seconds = Math.ceil(over.waitMs / 100) / 10;
    throw new ToolError("rate_limited", `${name}: the limit of ${over.perMinute} ${counted} a minute is reached.`, {
      hint: `Call again in ${seconds} s.`,
      retryAfterMs: over.waitMs,
    });
  }

  /** Remembers that the screen shows text shaped like orders, until a person has been asked or a look shows none. */
  notice(orders: readonly string[]): void {
    this.#suspicious = orders[0] ?? this.#suspicious;
  }
}

const howToPermit =
  'A person can answer in a terminal of their own: "handsight approve", then call again. Or start handsight with --desktop virtual ' +
  "(a private desktop, where looking and acting need no permission), with --policy allow, or from a client that shows questions.";

const whileAsked = ({ title }: WindowInfo): ToolError =>
  new ToolError("denied", `The window ${quote(title)} is left alone while a person is being asked for permission.`, {
    hint: "Wait for the answer. Nobody but the person answers; do not look for a way around it.",
  });

const notExecuting = ({ title }: WindowInfo): ToolError =>
  new ToolError("denied", `The window ${quote(title)} runs commands, and this call was not permitted to.`, {
    hint: "Name that window in the call (window_id), so that the person can be asked whether to run commands in it.",
  });
