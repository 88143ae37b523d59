import { ToolError } from "../../base/errors.ts";
import type { Thrown } from "./shapes.ts";
import { CdpError, type SendOptions, type Session } from "./wire.ts";
import { DocumentGone, type Interrupts } from "./interrupt.ts";
import { agentShapes, thingShapes, type AgentReply, type CalledMethod } from "./agent-shapes.ts";
import { parseJson, type Check, type Checked } from "./checks.ts";
import { agentSource, type Agent } from "./inject/source.ts";

export const worldName = "handsight";
// As text, because the browser takes several times as long to transfer thousands of separate values.
const askForText = `async function(method, args) { return JSON.stringify(await this[method](...args)); }`;
const goneWords = /context|navigated|closed|destroyed|Cannot find|No frame|not found|Session with given id/i;

interface Opened {
  readonly session: Session;
  readonly frameId: string;
  readonly contextId: number;
  readonly agentId: string;
}

/** One document of one frame, with our agent in a world of its own beside the page's scripts. */
export class PageDocument {
  readonly session: Session;
  readonly frameId: string;
  readonly contextId: number;
  readonly #agentId: string;
  readonly #interrupts: Interrupts;
  readonly #refusal: () => ToolError | undefined;
  isGone = false;

  private constructor(
    { session, frameId, contextId, agentId }: Opened,
    interrupts: Interrupts,
    refusal: () => ToolError | undefined,
  ) {
    this.session = session;
    this.frameId = frameId;
    this.contextId = contextId;
    this.#agentId = agentId;
    this.#interrupts = interrupts;
    this.#refusal = refusal;
  }

  /** `refusal` says why nothing may be asked of it, at the moment it is asked. */
  static async open(
    { session, id: frameId }: { readonly session: Session; readonly id: string },
    interrupts: Interrupts,
    options: SendOptions,
    refusal: () => ToolError | undefined,
  ): Promise<PageDocument> {
    try {
      const { executionContextId } = await interrupts.race(
        session.send("Page.createIsolatedWorld", { frameId, worldName, grantUniveralAccess: false }, options),
      );
      const { result } = await interrupts.race(
        session.send("Runtime.evaluate", { expression: agentSource, contextId: executionContextId }, options),
      );
      if (result.objectId === undefined) throw new DocumentGone("the document takes no scripts");
      const opened = { session, frameId, contextId: executionContextId, agentId: result.objectId };
      return new PageDocument(opened, interrupts, refusal);
    } catch (error) {
      throw asGone(error);
    }
  }

  /** `isByUser`: the page treats it as a user action, like real input. */
  async call<M extends CalledMethod>(
    method: M,
    args: Parameters<Agent[M]>,
    options: SendOptions & { readonly isByUser?: boolean } = {},
  ): Promise<AgentReply<M>> {
    const { value } = await this.#ask(askForText, [{ value: method }, { value: args }], true, options);
    const answer = typeof value === "string" ? parseJson(value) : value;
    this.#need(method, answer, agentShapes[method]);
    return answer as AgentReply<M>;
  }

  /**
   * Like `call`, for answers and arguments that are objects of the page: they stay there and are referred to by
   * handles.
   */
  async handle<M extends keyof typeof thingShapes>(
    method: M,
    args: readonly ({ readonly objectId: string } | { readonly value: unknown })[],
    options: SendOptions = {},
  ): Promise<Checked<(typeof thingShapes)[M]>> {
    const code = "function(method, ...args) { return this[method](...args); }";
    const answer = await this.#ask(code, [{ value: method }, ...args], false, options);
    this.#need(method, answer, thingShapes[method]);
    return answer as Checked<(typeof thingShapes)[M]>;
  }

  #needOpen(): void {
    const refusal = this.#refusal();
    if (refusal) throw refusal;
  }

  #need(method: string, answer: unknown, check: Check<unknown>): void {
    const where = check(answer);
    if (where !== undefined) throw this.session.strange(`${method} of its page`, where);
  }

  async #ask(
    code: string,
    args: readonly object[],
    byValue: boolean,
    { isByUser = false, ...options }: SendOptions & { readonly isByUser?: boolean },
  ) {
    if (this.isGone) throw new DocumentGone("the document has been left");
    this.#needOpen();
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
      // A title it was given meanwhile is known by now: a document tells it before it answers.
      this.#needOpen();
      if (exceptionDetails) throw failure(exceptionDetails);
      return result;
    } catch (error) {
      throw asGone(error);
    }
  }
}

function failure({ exception, text }: Thrown): ToolError {
  const words = (exception?.description ?? text).slice(0, 500);
  return new ToolError("ax_error", `The page could not be inspected: ${words}`, {
    hint: "Load it again with cdp_navigate, or work with what take_screenshot shows.",
  });
}

export function asGone(error: unknown): unknown {
  return error instanceof CdpError && goneWords.test(error.message)
    ? new DocumentGone(error.message, { cause: error })
    : error;
}
