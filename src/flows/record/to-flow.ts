import type { Flow, FlowStep } from "../file/flow-schema.ts";
import type { Recorded } from "./recorder.ts";

export interface Opening {
  /** What was launched for the demonstration. */
  readonly launch?: { readonly app: string; readonly args: readonly string[] } | undefined;
  readonly name: string;
  readonly isPrivate: boolean;
  /** The address of each page when it began. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** A step with the recording it comes from; blocks have none. */
export interface Kept {
  readonly step: FlowStep;
  readonly recorded: Recorded;
}

/** What was recorded, as a flow, with the steps in the order in which the flow lists them. */
export function toFlow(
  recorded: readonly Recorded[],
  opening: Opening,
): { readonly flow: Flow; readonly kept: readonly Kept[] } {
  const kept = tidy(recorded).map((each, index, all) => ({ step: toStep(each, all[index - 1]), recorded: each }));
  const { launch, name, isPrivate, addresses } = opening;
  const { app = "", args = [] } = launch ?? {};
  const first: readonly FlowStep[] = launch ? [{ launch: args.length === 0 ? app : { app, args: [...args] } }] : [];
  const secrets = [...new Set(kept.flatMap(({ recorded: { secret } }) => (secret === undefined ? [] : [secret])))];
  const flow: Flow = {
    flow: 1,
    name,
    desktop: isPrivate ? "virtual" : "real",
    ...(secrets.length === 0 ? {} : { secrets }),
    steps: [...first, ...inBlocks(kept, addresses)],
  };
  return { flow, kept };
}

/** Leaves out what a later step does as well: filling a field also gives it the focus. */
function tidy(recorded: readonly Recorded[]): readonly Recorded[] {
  return recorded.filter((step, index) => {
    const next = recorded[index + 1];
    if (next?.verb !== "fill" || next.surface !== step.surface) return true;
    // A pause while typing is none of the flow.
    if (step.verb === "fill") return step.node?.runtimeId !== next.node?.runtimeId;
    if (step.verb === "press" && (step.value === "tab" || step.value === "shift+tab")) return false;
    const isPlain =
      typeof step.value === "string" || (typeof step.value === "object" && !("button" in (step.value ?? {})));
    return !(step.verb === "click" && isPlain && step.node?.runtimeId === next.node?.runtimeId);
  });
}

// What the player waits for a target unless a step says otherwise.
const patienceMs = 5_000;

function toStep({ verb, value, expect, mark, at, isLate }: Recorded, before: Recorded | undefined): FlowStep {
  const waited = isLate === true && before ? at - before.at : 0;
  return {
    ...(mark === undefined ? {} : { name: mark }),
    [verb]: value,
    ...(expect === undefined || verb === "expect" ? {} : { expect }),
    // It took this long to appear; the next time it may take a little longer.
    ...(waited > patienceMs / 2 ? { timeout: `${Math.ceil((2 * waited) / 1_000)}s` } : {}),
  };
}

/** Steps on a page or a device stand in a block that says so. */
function inBlocks(kept: readonly Kept[], addresses: ReadonlyMap<string, string>): readonly FlowStep[] {
  const blocks: { surface: string; steps: FlowStep[] }[] = [];
  for (const { step, recorded } of kept) {
    const last = blocks.at(-1);
    if (last?.surface === recorded.surface) last.steps.push(step);
    else blocks.push({ surface: recorded.surface, steps: [step] });
  }
  const opened = new Set<string>();
  return blocks.flatMap(({ surface, steps }): readonly FlowStep[] => {
    if (surface === "desktop") return steps;
    if (surface.startsWith("android:")) return [{ device: true, steps }];
    const address = addresses.get(surface);
    // A page is opened once. Opening it again would begin anew.
    if (address === undefined || opened.has(surface)) return steps.map((step) => ({ ...step, surface }));
    opened.add(surface);
    return [{ page: address, steps }];
  });
}
