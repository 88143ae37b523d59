import { redacted } from "../../../journal/redact.ts";
import type { KeepsText } from "../../model.ts";
import { parseInstruction, type Clause } from "./parse.ts";
import type { Step } from "./step.ts";
import { describeStep } from "./words.ts";

/** The clauses without the texts they say to type. */
export function concealClauses(clauses: readonly Clause[], keeps: KeepsText): readonly Clause[] {
  const saysSecret = ({ step }: Clause): boolean => step?.do === "type" && !keeps(step.text);
  const secret = new Set(clauses.filter(saysSecret).map(({ said }) => said));
  return clauses.map((clause) => {
    const { step } = clause;
    if (!step || !secret.has(clause.said)) return clause;
    const shown: Step = step.do === "type" && !keeps(step.text) ? { ...step, text: redacted } : step;
    return { ...clause, said: describeStep(shown), step: shown };
  });
}

/** As it was said, unless there is something to conceal. */
export function concealGoal(goal: string, keeps: KeepsText): string {
  const clauses = parseInstruction(goal);
  const concealed = concealClauses(clauses, keeps);
  if (concealed.every((clause, index) => clause === clauses[index])) return goal;
  return [...new Set(concealed.map(({ said }) => said))].join(", then ");
}
