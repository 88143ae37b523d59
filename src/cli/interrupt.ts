import { ToolError } from "../base/errors.ts";
import { exitCodes } from "./exit.ts";

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** The first Ctrl-C cancels the call, so that it can release what it holds; the second ends the process. */
export function openInterrupt(doing = "Cancelling"): Interrupt {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(exitCodes.cancelled.code);
    if (name === "SIGINT" && process.stderr.isTTY)
      process.stderr.write(`\n${doing}; press Ctrl-C again to end at once.\n`);
    controller.abort(new ToolError("cancelled", `The call was cancelled by ${name === "SIGINT" ? "Ctrl-C" : name}.`));
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
