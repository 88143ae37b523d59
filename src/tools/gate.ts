import { ToolError } from "../base/errors.ts";
import { decide, grantsOf, mayGoOn, type Answer, type PolicyRequest } from "../policy/decide.ts";
import { Grants } from "../policy/grants.ts";
import { Rates } from "../policy/rates.ts";
import type { Rules } from "../policy/rules.ts";
import { Questions, type Question } from "./questions.ts";
import type { AnyTool } from "./tool.ts";

type About = Omit<PolicyRequest, "suspicious" | "now">;

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
    const request = { ...about, suspicious: this.#suspicious, now };
    const decision = decide(request, this.rules, this.#grants.valid(now));
    if (decision.verdict === "deny") throw new ToolError("denied", decision.reason, { hint: decision.hint });
    if (decision.verdict === "allow") return undefined;
    const { question: text, offers } = decision;
    const ask = () => this.questions.ask({ text, offers, tool: about.tool, client: asking.client });
    const answer = this.#first(asking);
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
    const hint =
      'Start handsight with "--policy allow" (or HANDSIGHT_POLICY=allow), use a client that supports elicitation, or let the ' +
      'person open the approval page ("handsight approve" shows where it is) and call again.';
    if (!this.questions.isWatched) {
      this.onNobody();
      throw new ToolError("denied", `${tool} needs permission, and this client cannot ask anybody for it.`, { hint });
    }
    const { id } = ask();
    try {
      const answer = await this.questions.wait(id, this.rules.askSeconds * 1_000, signal);
      if (answer !== undefined) return answer;
    } finally {
      this.questions.close(id);
    }
    throw new ToolError("denied", `${tool} needs permission; nobody answered in ${this.rules.askSeconds} s.`, { hint });
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
