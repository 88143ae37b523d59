import { unknownUsage, type LentModel, type Talk } from "../../tools/lent.ts";
import type { VisionModel } from "../model.ts";
import { readAnswer } from "./answer.ts";
import { toDialogue } from "./dialogue.ts";
import { jsonInstructions } from "./prompt.ts";
import { longestAnswerTokens, toPixels } from "./wire.ts";

/** The caller's own model. It is assumed to see, and to use pixels: which model it is remains unknown. */
export function openSampling(lent: LentModel): VisionModel {
  return {
    name: lent.name,
    sees: true,
    limits: lent.limits,
    async next(turn) {
      const talk: Talk = {
        system: jsonInstructions("pixels", true),
        said: toDialogue(turn).map(({ by, text, ...said }) => ({
          by,
          text,
          picture: "picture" in said ? said.picture : undefined,
        })),
        maxTokens: longestAnswerTokens,
      };
      const text = await lent.answer(talk, turn.signal);
      const facts = { sees: true, limits: lent.limits, coordinates: "pixels" } as const;
      return {
        actions: readAnswer(text, unknownUsage).map((action) =>
          toPixels(action, facts, turn.observation.picture?.size),
        ),
        usage: unknownUsage,
        memory: undefined,
        prompt: { ...talk, said: talk.said.map(({ by, text: words }) => ({ by, text: words })) },
        answer: text,
        mustConfirm: [],
      };
    },
  };
}
