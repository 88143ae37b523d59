import { ToolError } from "../../base/errors.ts";
import type { ActOptions, PageEffect } from "../browser.ts";
import { act, goneError, never } from "./effect.ts";
import type { PageCore } from "./page.ts";

const longestResult = 100_000;
const quietMs = 4;

/** Runs a function of the caller in the page's own world; `{uid}` among the arguments becomes the element. */
export async function evaluate(
  page: PageCore,
  code: string,
  args: readonly unknown[],
  options: ActOptions & { readonly timeoutMs: number },
): Promise<PageEffect<unknown>> {
  const { signal, timeoutMs } = options;
  const elements = args.map((arg) => (isReference(arg) ? { ...page.owner(arg.uid), ref: arg.uid } : undefined));
  const first = elements.find((element) => element !== undefined);
  if (elements.some((element) => element && first && element.document !== first.document)) {
    throw new ToolError("invalid_argument", "The elements are in different frames; a function sees only one.");
  }
  const frame = first?.frame ?? page.frames.main;
  if (!frame) throw new ToolError("not_connected", `${page.target.id} has no document.`);
  const expected = { focus: never, scroll: false, quietMs, mayBeQuiet: true };
  return act<unknown>(page, undefined, expected, options, async () => {
    const contextId = await mainContext(page, frame.session, frame.id, { signal });
    const handles = await Promise.all(
      args.map(async (arg, index) => {
        const element = elements[index];
        if (!element) return { value: arg };
        const handle = await element.document.handle("elementOf", [{ value: element.local }], { signal });
        if (handle.objectId === undefined) throw goneError(element.ref);
        // The handle is of our own world; the page's functions need the same element in theirs.
        const { node } = await frame.session.send("DOM.describeNode", { objectId: handle.objectId }, { signal });
        const { object } = await frame.session.send(
          "DOM.resolveNode",
          { backendNodeId: node.backendNodeId, executionContextId: contextId },
          { signal },
        );
        return { objectId: object.objectId as string };
      }),
    );
    const { result, exceptionDetails } = await page.interrupts.race(
      frame.session.send(
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
      ),
    );
    if (exceptionDetails) {
      const what = exceptionDetails.exception?.description ?? exceptionDetails.text;
      throw new ToolError("invalid_argument", `The function failed: ${what.slice(0, 1_000)}`, {
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
    return { value: result.value ?? null, via: "script" };
  });
}

const isReference = (arg: unknown): arg is { readonly uid: string } =>
  typeof arg === "object" && arg !== null && typeof (arg as { uid?: unknown }).uid === "string";

/** An expression is taken as the body of a function, so that both spellings work. */
function asFunction(code: string): string {
  const plain = code.trim().replace(/;$/, "");
  const isFunction = /^(async\s+)?(function\b|\(|[A-Za-z_$][\w$]*\s*=>)/.test(plain) && /=>|function\b/.test(plain);
  return isFunction
    ? `function(...args) { return (${plain}).apply(this, args); }`
    : `function() { return (${plain}); }`;
}

async function mainContext(
  page: PageCore,
  session: PageCore["session"],
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
