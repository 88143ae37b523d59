import { ToolError } from "../../base/errors.ts";
import type { WitnessOptions, Witnessed } from "../page-acts.ts";
import { goneError, never, witness } from "./witness.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { Remote, Thrown } from "./shapes.ts";
import { CdpError, isTimeout } from "./wire.ts";

const longestResult = 100_000;
const quietMs = 4;

/** Runs the caller's function in the page's own world; `{uid}` among the arguments becomes the element. */
export async function evaluate(
  page: AttachedPage,
  code: string,
  args: readonly unknown[],
  options: WitnessOptions & { readonly timeoutMs: number },
): Promise<Witnessed> {
  const { signal, timeoutMs } = options;
  const elements = args.map((arg) => (isReference(arg) ? { ...page.owner(arg.uid), ref: arg.uid } : undefined));
  const first = elements.find((element) => element !== undefined);
  if (elements.some((element) => element && first && element.document !== first.document)) {
    throw new ToolError("invalid_argument", "The elements are in different frames; a function sees only one.");
  }
  const frame = first?.frame ?? page.frames.main;
  if (!frame) throw new ToolError("not_connected", `${page.target.id} has no document.`);
  const expected = { focus: never, scroll: false, quietMs, mayBeQuiet: true };
  return witness<unknown>(page, undefined, expected, options, async () => {
    await page.blocked.needApart(frame, { signal });
    const contextId = await mainContext(page, frame.session, frame.id, { signal });
    const handles = await Promise.all(
      args.map(async (arg, index) => {
        const element = elements[index];
        if (!element) return { value: arg };
        const handle = await element.document.handle("elementOf", [{ value: element.local }], { signal });
        if (handle.objectId === undefined) throw goneError(element.ref);
        // The handle belongs to our own world; the page's functions need the same element in theirs.
        const { node } = await frame.session.send("DOM.describeNode", { objectId: handle.objectId }, { signal });
        const { object } = await frame.session.send(
          "DOM.resolveNode",
          { backendNodeId: node.backendNodeId, executionContextId: contextId },
          { signal },
        );
        return { objectId: object.objectId as string };
      }),
    );
    const running = frame.session.send(
      "Runtime.callFunctionOn",
      {
        functionDeclaration: asFunction(code),
        executionContextId: contextId,
        arguments: handles,
        returnByValue: true,
        awaitPromise: true,
        userGesture: true,
      },
      { signal, timeoutMs },
    );
    const { result, exceptionDetails } = await page.interrupts.race(running).catch(async (error: unknown) => {
      if (error instanceof CdpError && /chain is too long|by value/.test(error.message)) throw notPlain(error);
      if (!isTimeout(error) && !signal?.aborted) throw error;
      await stopRunning(frame.session);
      if (signal?.aborted) throw error;
      throw new ToolError("timeout", `The function did not finish within ${timeoutMs} ms.`, {
        hint: "Give it more time with timeout, or let it do less.",
        cause: error,
      });
    });
    // The script may have opened one itself.
    await page.blocked.needApart(frame, { signal });
    if (exceptionDetails) {
      throw new ToolError("invalid_argument", `The function failed: ${thrown(exceptionDetails).slice(0, 1_000)}`, {
        hint: "Give a function like () => document.title or (element) => element.textContent.",
      });
    }
    const text = JSON.stringify(result.value) ?? "";
    if (text.length > longestResult) {
      throw new ToolError(
        "out_of_bounds",
        `The function returned ${text.length} characters; at most ${longestResult} fit.`,
        {
          hint: "Return less: filter or slice inside the function.",
        },
      );
    }
    return { value: valueOf(result), via: "script" };
  });
}

const isReference = (arg: unknown): arg is { readonly uid: string } =>
  typeof arg === "object" && arg !== null && typeof (arg as { uid?: unknown }).uid === "string";

const answerMs = 250;

/** Stops a function in an endless loop: it would block the page forever. */
async function stopRunning(session: AttachedPage["session"]): Promise<void> {
  const ask = session.send("Runtime.evaluate", { expression: "0" }, { timeoutMs: answerMs });
  const isStuck = await ask.then(
    () => false,
    (error: unknown) => isTimeout(error),
  );
  // If nothing is running, this would stop whatever runs next.
  if (isStuck)
    await session.attempt("Runtime.terminateExecution", undefined, { timeoutMs: 1_000 }).catch(() => undefined);
}

/** Accepts an expression as well as a function; if its result is a function, it is called. */
const asFunction = (code: string): string =>
  `function(...args) { const given = (${code.trim().replace(/;+$/, "")}\n); return typeof given === "function" ? given.apply(this, args) : given; }`;

/** JSON cannot express some numbers; their names are better than nothing. */
const valueOf = ({ value, unserializableValue: words }: Remote): unknown =>
  words === undefined ? (value ?? null) : words === "-0" ? 0 : words;

const thrown = ({ exception, text }: Thrown): string =>
  exception?.subtype === "error" || exception?.description !== undefined
    ? (exception.description ?? text)
    : exception === undefined
      ? text
      : `${text} ${JSON.stringify(valueOf(exception))}`;

const notPlain = (error: CdpError): ToolError =>
  new ToolError("invalid_argument", "What the function returned cannot be written as JSON.", {
    hint: "Return plain values: text, numbers, lists and objects without cycles; for an element, what you want to know about it.",
    cause: error,
  });

async function mainContext(
  page: AttachedPage,
  session: AttachedPage["session"],
  frameId: string,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<number> {
  const known = page.contexts.get(frameId);
  if (known !== undefined) return known;
  const { result } = await page.interrupts.race(
    session.send("Runtime.evaluate", { expression: "globalThis" }, options),
  );
  if (result.objectId === undefined) throw new ToolError("not_supported", "The page runs no scripts.");
  throw new ToolError("timeout", "The page's scripts are not ready yet.", { hint: "Call again in a moment." });
}
