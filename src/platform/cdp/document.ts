import { CdpError, type SendOptions, type Session } from "./wire.ts";
import { DocumentGone, type Interrupts } from "./interrupt.ts";
import { agentSource, type Agent } from "./inject/source.ts";

type AgentMethod = keyof Agent;
export type AgentReply<M extends AgentMethod> = Awaited<ReturnType<Agent[M]>>;

export const worldName = "handsight";
// Text, because the browser takes several times as long to hand over thousands of values one by one.
const askForText = `async function(method, args) { return JSON.stringify(await this[method](...args)); }`;
const goneWords = /context|navigated|closed|destroyed|Cannot find|No frame|not found|Session with given id/i;

/** One document of one frame, with our agent in a world of its own beside the page's scripts. */
export class PageDocument {
  readonly session: Session;
  readonly frameId: string;
  readonly contextId: number;
  readonly #agentId: string;
  readonly #interrupts: Interrupts;
  isGone = false;

  private constructor(session: Session, frameId: string, contextId: number, agentId: string, interrupts: Interrupts) {
    this.session = session;
    this.frameId = frameId;
    this.contextId = contextId;
    this.#agentId = agentId;
    this.#interrupts = interrupts;
  }

  static async open(
    session: Session,
    frameId: string,
    interrupts: Interrupts,
    options: SendOptions,
  ): Promise<PageDocument> {
    try {
      const { executionContextId } = await interrupts.race(
        session.send("Page.createIsolatedWorld", { frameId, worldName, grantUniveralAccess: false }, options),
      );
      const { result } = await interrupts.race(
        session.send("Runtime.evaluate", { expression: agentSource, contextId: executionContextId }, options),
      );
      if (result.objectId === undefined) throw new DocumentGone("the document takes no scripts");
      return new PageDocument(session, frameId, executionContextId, result.objectId, interrupts);
    } catch (error) {
      throw asGone(error);
    }
  }

  /** `isByUser`: the page may take it for something a person did, as it takes real input. */
  async call<M extends AgentMethod>(
    method: M,
    args: Parameters<Agent[M]>,
    options: SendOptions & { readonly isByUser?: boolean } = {},
  ): Promise<AgentReply<M>> {
    const { value } = await this.#ask(askForText, [{ value: method }, { value: args }], true, options);
    return (typeof value === "string" ? JSON.parse(value) : undefined) as AgentReply<M>;
  }

  /** Like `call`, for answers and arguments that are things of the page: they stay there and are named by handles. */
  async handle(
    method: AgentMethod,
    args: readonly ({ readonly objectId: string } | { readonly value: unknown })[],
    options: SendOptions = {},
  ) {
    return this.#ask(
      "function(method, ...args) { return this[method](...args); }",
      [{ value: method }, ...args],
      false,
      options,
    );
  }

  async #ask(
    code: string,
    args: readonly object[],
    byValue: boolean,
    { isByUser = false, ...options }: SendOptions & { readonly isByUser?: boolean },
  ) {
    if (this.isGone) throw new DocumentGone("the document has been left");
    try {
      const { result, exceptionDetails } = await this.#interrupts.race(
        this.session.send(
          "Runtime.callFunctionOn",
          {
            objectId: this.#agentId,
            functionDeclaration: code,
            arguments: [...args],
            returnByValue: byValue,
            awaitPromise: true,
            userGesture: isByUser,
          },
          options,
        ),
      );
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result;
    } catch (error) {
      throw asGone(error);
    }
  }
}

export function asGone(error: unknown): unknown {
  return error instanceof CdpError && goneWords.test(error.message)
    ? new DocumentGone(error.message, { cause: error })
    : error;
}
