import type { Step, StepTarget } from "../../tools/steps.ts";

/** The fields of each verb that are targets. */
export async function withTargets(
  step: Step,
  find: (field: string, target: StepTarget) => Promise<StepTarget>,
): Promise<Step> {
  switch (step.verb) {
    case "click":
    case "read": {
      const given = step.with as StepTarget & Record<string, unknown>;
      if (typeof given === "string") return { ...step, with: await find(step.verb, given) };
      const { button, count, modifiers, as, ...target } = given as Record<string, unknown>;
      const found = await find(step.verb, target);
      const more = Object.fromEntries(
        Object.entries({ button, count, modifiers, as }).filter(([, value]) => value !== undefined),
      );
      const base = typeof found === "string" ? { text: found } : found;
      return { ...step, with: Object.keys(more).length === 0 ? found : { ...base, ...more } };
    }
    case "check":
    case "uncheck":
    case "hover":
      return { ...step, with: await find(step.verb, step.with) };
    case "fill":
      return { ...step, with: { ...step.with, into: await find("into", step.with.into) } };
    case "type":
      if (typeof step.with === "string" || step.with.into === undefined) return step;
      return { ...step, with: { ...step.with, into: await find("into", step.with.into) } };
    case "drag":
      return { ...step, with: { from: await find("from", step.with.from), to: await find("to", step.with.to) } };
    case "select": {
      const given = step.with;
      if (typeof given === "object" && "option" in given)
        return { ...step, with: { option: given.option, from: await find("from", given.from) } };
      return { ...step, with: await find("select", given) };
    }
    case "scroll":
      if (typeof step.with === "string" || step.with.at === undefined) return step;
      return { ...step, with: { ...step.with, at: await find("at", step.with.at) } };
    default:
      return step;
  }
}
