import { z } from "zod";
import { ruleFile } from "../src/policy/rules.ts";

/** The JSON Schema of the rule file, for editors. */
export function policySchema(): string {
  const schema = z.toJSONSchema(ruleFile, { target: "draft-2020-12", io: "input" });
  return `${JSON.stringify({ title: "handsight policy", ...schema }, null, 2)}\n`;
}
