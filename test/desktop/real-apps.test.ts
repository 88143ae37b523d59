import { describe, expect, test } from "vitest";
import { startHandsight } from "../support/handsight.ts";
import { lightPrograms } from "../support/truth/light-programs.ts";
import { judgeProgram } from "../support/truth/program.ts";

// The same programs under a person's hand, and heavier ones, are in `npm run bench -- truth`.
describe("on programs that nobody made for tests, the reported effect is what other programs see", () => {
  test.each(lightPrograms.map((program) => [program.name, program] as const))(
    "%s",
    { timeout: 120_000 },
    async (_, program) => {
      const judged = await judgeProgram(program, (env) => startHandsight(env));
      expect(judged.filter(({ told, truth }) => told !== truth)).toEqual([]);
    },
  );
});
