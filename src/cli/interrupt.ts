import { ToolError } from "../base/errors.ts";
import type { Output } from "./caller.ts";
import { exitCodes } from "./exit.ts";

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** The first Ctrl-C cancels the call, so that it can release what it holds; the second ends the process. */
export function openInterrupt(doing?: string): Interrupt {
  const { signal, cancel } = cancelOn(doing, process.stderr);
  const onSignal = (name: NodeJS.Signals): void => {
    if (signal.aborted) process.exit(exitCodes.cancelled.code);
    cancel(name);
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

/** What cancels a call when its caller gets a signal. */
export function cancelOn(
  doing = "Cancelling",
  terminal: Output,
): { readonly signal: AbortSignal; readonly cancel: (name: NodeJS.Signals) => void } {
  const controller = new AbortController();
  const cancel = (name: NodeJS.Signals): void => {
    if (name === "SIGINT" && terminal.isTTY) terminal.write(`\n${doing}; press Ctrl-C again to end at once.\n`);
    controller.abort(new ToolError("cancelled", `The call was cancelled by ${name === "SIGINT" ? "Ctrl-C" : name}.`));
  };
  return { signal: controller.signal, cancel };
}
