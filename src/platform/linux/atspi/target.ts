import { poll } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import type { App } from "./app.ts";
import { readElement, type Element } from "./element.ts";
import { hasState, nativeRoleOf, stateBit } from "./names.ts";

/** An element to act on. */
export interface Target {
  readonly app: App;
  readonly element: Element;
  readonly options: BusCallOptions;
}

/** Toolkits change states with a delay, an animation or two later. */
const effectMs = 600;

/** Polls until the element is as wanted; false when it does not happen in time. */
export async function becomes(
  { app, element: { path }, options }: Target,
  fits: (element: Element) => boolean | Promise<boolean>,
): Promise<boolean> {
  const found = await poll(
    async () => {
      const now = await readElement(app, path, options);
      return now && (await fits(now)) ? true : undefined;
    },
    { timeoutMs: effectMs, everyMs: 15, signal: options.signal },
  );
  return found ?? false;
}

export const showTarget = ({ element: { role, name } }: Target): string =>
  `The ${nativeRoleOf(role)}${name === "" ? "" : ` "${name.slice(0, 80)}"`}`;

export function needEnabled(target: Target): void {
  const { states } = target.element;
  if (hasState(states, stateBit.sensitive) || hasState(states, stateBit.enabled)) return;
  throw new ToolError("not_dispatchable", `${showTarget(target)} is disabled.`, {
    hint: "Do what enables it first.",
  });
}

export const notDispatchable = (target: Target, what: string, hint: string): ToolError =>
  new ToolError("not_dispatchable", `${showTarget(target)} ${what}.`, { hint });
