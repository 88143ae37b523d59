import { AsyncLocalStorage } from "node:async_hooks";
import { findAskers } from "../../platform/asking.ts";
import { ToolError } from "../../base/errors.ts";
import { quote } from "../../base/quote.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import {
  decide,
  grantsOf,
  mayGoOn,
  refusalByName,
  type Answer,
  type Decision,
  type PolicyRequest,
  type RuledWindow,
} from "../../policy/decide.ts";
import { Grants } from "../../policy/grants.ts";
import { isCommandWindow } from "../../policy/programs.ts";
import { Rates } from "../../policy/rates.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Located } from "../../surface/engine/action.ts";
import type { InputLimit } from "../../surface/guard/blocked.ts";
import type { GuardedWindow } from "../../surface/guard/guarded.ts";
import { Questions, type Question, type QuestionPicture } from "./questions.ts";
import type { AnyTool } from "../tool.ts";

/** What a call is about, and how to show it to the person who is asked. */
export interface About extends Omit<PolicyRequest, "suspicious" | "now" | "isNobodyThere"> {
  /** The page, device or windows it would act on; an answer is valid only for those. */
  readonly subject?: string | undefined;
  /** Every window it would act on, if rules or a question depend on that. */
  readonly windows?: readonly WindowInfo[] | undefined;
  /** These are windows of the desktop, whose ids are meaningful. */
  readonly isOnDesktop?: boolean | undefined;
  /** What its action would touch, located at this `performance.now()`. */
  readonly located?: { readonly at: number; readonly action: Located } | undefined;
  /** A person has approved it. */
  readonly isPermitted?: boolean | undefined;
  readonly picture?: (() => Promise<QuestionPicture | undefined>) | undefined;
}

/**
 * The result of a consultation: a question to ask a person, or what a person has permitted; neither when nobody needs
 * to be asked.
 */
export interface Consulted {
  readonly question?: Question;
  readonly permitted?: About;
}

export interface Asking {
  readonly canAsk: boolean;
  readonly client: string | undefined;
  /** The person's answer, and the question it belongs to. */
  readonly answer: Answer | undefined;
  readonly questionId: string | undefined;
  readonly signal: AbortSignal;
}

/** What a session may do: the rules, and what has been permitted, counted and noticed so far. */
export class Gate {
  readonly questions = new Questions();
  /** Called when a person should be asked and cannot be reached. */
  onNobody: () => void = () => {};
  /** Called before a person is asked; throws when all input has been stopped. */
  needNoStop: (tool: string) => void = () => {};
  /** The display that a person looks at and this session works on; undefined when no person's windows are on it. */
  personsDisplay: string | undefined;
  readonly #call = new AsyncLocalStorage<About>();
  readonly #rules: Rules;
  readonly #rulesNow = new AsyncLocalStorage<Rules>();
  readonly #grants: Grants;
  /** By mode: what one allows without limit is not counted in the others. */
  readonly #rates = new Map<Rules["mode"], Rates>();
  #suspicious: string | undefined;

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#grants = new Grants(rules.grantMinutes);
  }

  get rules(): Rules {
    return this.#rulesNow.getStore() ?? this.#rules;
  }

  /**
   * Runs one of several callers under rules of their own: a yes to everything (`--policy allow`) in one command must not
   * reach the next. What has been granted and counted so far is shared.
   */
  under<T>(rules: Rules, run: () => Promise<T>): Promise<T> {
    return this.#rulesNow.run(rules, run);
  }

  /** Throws when the call is not allowed. */
  async consult(about: About, asking: Asking): Promise<Consulted> {
    const now = Date.now();
    const given = this.#first(about, asking);
    if (given) {
      this.#apply(given.answer, { ...given.about, suspicious: this.#suspicious, now });
      return { permitted: given.about };
    }
    const isNobodyThere = !asking.canAsk && !this.questions.isWatched;
    const request = { ...about, suspicious: this.#suspicious, isNobodyThere, now };
    const decision = this.#decideAll(request, now);
    if (decision.verdict === "deny") throw new ToolError("denied", decision.reason, { hint: decision.hint });
    if (decision.verdict === "allow") return {};
    if (about.access !== "observe") this.needNoStop(about.tool);
    const { question: text, offers } = decision;
    const ask = () => this.questions.ask({ text, offers, tool: about.tool, client: asking.client }, about);
    if (asking.canAsk) return { question: ask() };
    this.#apply(await this.#askElsewhere(about, ask, asking), request);
    return { permitted: about };
  }

  /** Decides about every window that the call touches: one refusal refuses the call, one question asks. */
  #decideAll({ windows = [], isOnDesktop = false, ...request }: About & PolicyRequest, now: number): Decision {
    const grants = this.#grants.valid(now);
    const requests =
      windows.length === 0 ? [request] : windows.map((window) => ({ ...request, window: named(window, isOnDesktop) }));
    const decisions = requests.map((each) => decide(each, this.rules, grants));
    const first = (verdict: Decision["verdict"]) => decisions.find((each) => each.verdict === verdict);
    return first("deny") ?? first("ask") ?? { verdict: "allow" };
  }

  /** Throws when a rule refuses the tool by its name, whatever it is used for. */
  needNotDenied(tool: string): void {
    const refusal = refusalByName(tool, this.rules, Date.now());
    if (refusal) throw new ToolError("denied", refusal.reason, { hint: refusal.hint });
  }

  /** Whether the session may already look at the screen. */
  mayLook(): boolean {
    const now = Date.now();
    const look = { tool: "take_screenshot", title: "", access: "observe", captures: true, now } as const;
    return decide(look, this.rules, this.#grants.valid(now)).verdict === "allow";
  }

  /** What the rules say to a call that touches this window, as it is now. */
  verdictOn(about: About, window: WindowInfo): Decision["verdict"] {
    const access = about.access === "act" && isCommandWindow(window) ? ("execute" as const) : about.access;
    const request = { ...about, access, windows: [window], suspicious: this.#suspicious, now: Date.now() };
    return this.#decideAll(request, request.now).verdict;
  }

  /** The answer that came with the call, and what was asked. An answer to a closed question is ignored. */
  #first(now: About, { answer, questionId }: Asking): { readonly answer: Answer; readonly about: About } | undefined {
    if (answer === undefined) return undefined;
    if (questionId === undefined) return { answer, about: now };
    const about = this.questions.aboutOf(questionId);
    const first = this.questions.answer(questionId, answer);
    this.questions.close(questionId);
    return about && first ? { answer: first, about } : undefined;
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

  async #askElsewhere({ tool, isPrivate }: About, ask: () => Question, { signal }: Asking): Promise<Answer> {
    const hint = howToPermit(isPrivate === true);
    if (!this.questions.isWatched) {
      this.onNobody();
      throw new ToolError("denied", `${tool} needs permission, and this client cannot ask for it.`, { hint });
    }
    const { id } = ask();
    try {
      const answer = await this.questions.wait(id, this.rules.askSeconds * 1_000, signal);
      if (answer !== undefined) return answer;
    } finally {
      this.questions.close(id);
    }
    throw new ToolError("denied", `${tool} needs permission; nobody answered within ${this.rules.askSeconds} s.`, {
      hint,
    });
  }

  /** Runs a permitted call, so that the windows its input reaches can be compared with what was permitted. */
  during<T>(about: About, run: () => Promise<T>): Promise<T> {
    return this.#call.run(about, run);
  }

  /**
   * Windows that may be seen but not used now. While a person is being asked: those that show the question, those of
   * the asking processes and their ancestors, and every terminal, or an agent could answer its own question. At all
   * times: terminals, for calls that may not run code. This is the last line of defence, below every tool, whatever
   * window the call names.
   */
  inputLimits(): InputLimit | undefined {
    const askers = this.personsDisplay === undefined ? undefined : findAskers(this.personsDisplay);
    const about = this.#call.getStore();
    const isExecuting = about === undefined || about.access === "execute" || !this.#hasOpinion;
    if (!askers && isExecuting) return undefined;
    return {
      // Keys go to the focused window, and the person may move the focus while they answer.
      keyboard: askers?.isAsked === true ? whileAsked("The keyboard") : undefined,
      refuse: (window, by) => {
        const isTerminal = isCommandWindow(window);
        const isAsker = window.pid !== undefined && askers?.pids.has(window.pid) === true;
        if (isAsker || (askers?.isAsked === true && isTerminal)) return whileAsked(`The window ${quote(window.title)}`);
        if (isExecuting || !isTerminal || by !== "input") return undefined;
        return this.#mayExecuteIn(window, about) ? undefined : notExecuting(window);
      },
    };
  }

  get #hasOpinion(): boolean {
    return this.rules.mode !== "allow" || this.rules.rules.length > 0;
  }

  #mayExecuteIn(window: WindowInfo, about: About): boolean {
    const now = Date.now();
    const request = { ...about, access: "execute" as const, window: named(window, true), now };
    return decide(request, this.rules, this.#grants.valid(now)).verdict === "allow";
  }

  /** Whether what was permitted in one window may continue in another without asking. */
  mayGoOn(first: About, now: About): boolean {
    const at = { suspicious: undefined, now: Date.now() };
    return mayGoOn({ ...first, ...at }, { ...now, ...at }, this.rules);
  }

  #ratesNow(): Rates {
    const { rules } = this;
    const rates = this.#rates.get(rules.mode) ?? new Rates(rules);
    this.#rates.set(rules.mode, rates);
    return rates;
  }

  /** Throws `rate_limited` with the time to wait. */
  count({ name, access, captures, set }: Pick<AnyTool, "name" | "access" | "captures" | "set">): void {
    const counted = access === "observe" ? (captures ? "captures" : undefined) : "actions";
    const over = counted && this.#ratesNow().take(counted, set, performance.now());
    if (!over) return;
    const seconds = Math.ceil(over.waitMs / 100) / 10;
    throw new ToolError("rate_limited", `${name}: the limit of ${over.perMinute} ${counted} a minute is reached.`, {
      hint: `Call again in ${seconds} s.`,
      retryAfterMs: over.waitMs,
    });
  }

  /** Remembers that the screen shows text that reads like orders, until a person has allowed an action. */
  notice(orders: readonly string[]): void {
    this.#suspicious = orders[0] ?? this.#suspicious;
  }
}

/** A window as the rules know it. Every page and device counts its own windows from 1, so their ids say nothing. */
export const named = (
  { id, title, appName: app, className, processName, belongsTo }: GuardedWindow,
  isOnDesktop: boolean,
): RuledWindow => ({
  ...(isOnDesktop ? { id } : {}),
  title,
  app,
  aliases: [className, processName].filter((name) => name !== ""),
  ...(belongsTo ? { owners: belongsTo.map((owner) => named(owner, isOnDesktop)) } : {}),
});

const howToPermit = (isPrivate: boolean): string =>
  'A person can answer in a terminal of their own: "handsight approve", then call again. Or start handsight ' +
  (isPrivate ? "" : "with --desktop virtual (a private desktop, where looking and acting need no permission), ") +
  "with --policy allow, or from a client that shows questions.";

const whileAsked = (what: string): ToolError =>
  new ToolError("denied", `${what} is off limits while handsight asks a person, or is ready to.`, {
    hint: "Only the person may answer. Wait for the answer; work elsewhere meanwhile.",
  });

const notExecuting = ({ title }: WindowInfo): ToolError =>
  new ToolError("denied", `The window ${quote(title)} runs commands, and this call was not permitted to.`, {
    hint: "Name that window in the call (window_id), so that the person can be asked whether to run commands in it.",
  });
