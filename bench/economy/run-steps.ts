import { nameOf, type Step } from "./agent.ts";

/** Steps as run_steps takes them, each target by the role and name that were read, or by its uid. */
export const toSteps = (steps: readonly { readonly step: Step; readonly ref: string }[]): readonly unknown[] =>
  steps.map(({ step, ref }) => {
    const target = targetOf(step, ref);
    if ("fill" in step) return { fill: { into: target, text: step.text } };
    if ("choose" in step) return { select: { option: step.option, from: target } };
    if ("check" in step) return { check: target };
    if ("click" in step) return { click: target };
    if ("hold" in step) throw new Error("run_steps does not hold");
    return "type" in step ? { type: step.type } : { press: step.press };
  });

/** A uid ends with its element; a page that is redrawn has the name again. */
function targetOf(step: Step, ref: string): unknown {
  const target = nameOf(step);
  const isPlain =
    target !== undefined && target.name !== "" && target.label === undefined && /^\w+$/.test(target.role ?? "");
  return isPlain ? { role: target.role, name: target.name } : { uid: ref };
}
