import { sleep, throwIfCancelled, withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { toError, withoutKey, type Failure } from "./failure.ts";

/** Where to reach a model, and how long to wait. */
export interface Endpoint {
  /** For messages: "Anthropic", "the server at http://localhost:11434". */
  readonly who: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Never shown; removed from everything the server says. */
  readonly key: string | undefined;
  /** The variable or option that the key comes from, for the hint when it is refused. */
  readonly keyFrom: string;
  readonly patience: Patience;
}

export interface Patience {
  /** One attempt, from the first byte sent to the last received. */
  readonly timeoutMs: number;
  readonly attempts: number;
  /** The first pause; each further one is twice as long. */
  readonly pauseMs: number;
  /** If a server asks for a longer pause, that is reported instead of waiting. */
  readonly longestPauseMs: number;
}

export const defaultPatience: Patience = {
  timeoutMs: 180_000,
  attempts: 4,
  pauseMs: 500,
  longestPauseMs: 60_000,
};

// The longest real answers are about 100 KB; a server that sends more is not answering the question.
const largestAnswer = 8_000_000;

/** Posts JSON and returns the JSON of the answer. Retries if that may help, and closes the socket on abort. */
export async function post(endpoint: Endpoint, body: unknown, signal: AbortSignal): Promise<unknown> {
  const { patience } = endpoint;
  const text = JSON.stringify(body);
  for (let attempt = 1; ; attempt++) {
    throwIfCancelled(signal);
    const outcome = await attemptPost(endpoint, text, signal);
    if ("answer" in outcome) return outcome.answer;
    const pauseMs = outcome.retryAfterMs ?? backoff(patience.pauseMs, attempt);
    if (!outcome.isPassing || attempt >= patience.attempts || pauseMs > patience.longestPauseMs) {
      throw toError(endpoint, outcome, attempt);
    }
    await sleep(pauseMs, signal);
  }
}

async function attemptPost(
  endpoint: Endpoint,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly answer: unknown } | Failure> {
  const { patience, url, headers, who, key } = endpoint;
  try {
    return await withDeadline({ ms: patience.timeoutMs, what: `The answer from ${who}`, signal }, async (inner) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", ...headers },
        body,
        signal: inner,
        // A redirect would send the key to another host.
        redirect: "error",
      });
      // A server may repeat the key in its answer; it is removed here.
      const text = withoutKey(await readText(response, who), key);
      if (!response.ok) return failureOf(response, text);
      return { answer: parse(text, who) };
    });
  } catch (error) {
    if (error instanceof ToolError) throw error;
    return { status: undefined, text: networkReason(error), isPassing: true, retryAfterMs: undefined };
  }
}

async function readText(response: Response, who: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > largestAnswer) {
      throw new ToolError("not_connected", `${who} sent more than ${largestAnswer} bytes.`, {
        hint: "Check the address of the model: no model answers like this.",
      });
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string, who: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolError("not_connected", `${who} did not answer in JSON.`, {
      hint: "Check the address of the model (modelUrl).",
      cause: error,
    });
  }
}

function failureOf({ status, headers }: Response, text: string): Failure {
  // 409: lock conflict; 529: Anthropic is overloaded.
  const isPassing = status === 408 || status === 409 || status === 429 || status >= 500;
  return { status, text, isPassing, retryAfterMs: isPassing ? retryAfter(headers, text) : undefined };
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, or the delay that Google puts into the error. */
function retryAfter(headers: Headers, text: string): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const header = headers.get("retry-after");
  if (header !== null) {
    const seconds = Number(header);
    const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
    if (Number.isFinite(wait)) return Math.max(0, wait);
  }
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(text)?.[1];
  return delay === undefined ? undefined : Number(delay) * 1_000;
}

/** Randomised, so that many clients that failed together do not come back together. */
const backoff = (firstMs: number, attempt: number): number => firstMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);

function networkReason(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
  return cause?.code ?? cause?.message ?? (error as Error).message;
}
