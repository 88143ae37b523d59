import type { FlowStep } from "../file/flow-schema.ts";

/** Whether this is how a caller names the step. */
export const isCalled = (step: FlowStep, id: string, wanted: string | undefined): boolean =>
  wanted !== undefined && (id === wanted || id.replaceAll(/#\d+/g, "") === wanted || step.name === wanted);

/** Whether a step with this number or name is in the list, at any depth. */
export const reaches = (steps: readonly FlowStep[], prefix: string, wanted: string): boolean =>
  steps.some((step, index) => {
    const id = `${prefix}${index + 1}`;
    return isCalled(step, id, wanted) || reaches(step.steps ?? [], `${id}.`, wanted);
  });

/** What a step is, before its variables are known. */
export function roughWords(step: FlowStep): string {
  if (step.steps) {
    const where = step.page ?? (step.device === undefined ? step.surface : `device ${String(step.device)}`);
    const how = [step.repeat && "repeat", step.when !== undefined && "when"].filter(Boolean);
    return [...how, where === undefined ? undefined : `on ${where}`].filter(Boolean).join(" ") || "steps";
  }
  const { run } = step;
  if (run !== undefined) return `run ${typeof run === "string" ? run : run.flow}`;
  return Object.keys(step)[0] ?? "step";
}
