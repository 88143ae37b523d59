import { z } from "zod";
import { actionSchema } from "./action.ts";
import { addUsage, noUsage } from "./budget.ts";
import { MalformedAnswer, type Decision, type Turn, type Usage, type VisionModel } from "./model.ts";
import { Stop } from "./stop.ts";

export interface Decided extends Decision {
  /** The first answer, if it could not be used. */
  readonly repair: Turn["repair"];
  readonly ms: number;
}

export interface DecideOptions extends Omit<Turn, "repair"> {
  /** Called with the usage of every answer that was paid for, even if it could not be used. */
  readonly spend: (usage: Usage) => void;
}

/** Asks the model; if the answer cannot be used, asks once more with the reason. */
export async function decide(model: VisionModel, { spend, ...turn }: DecideOptions): Promise<Decided> {
  const started = performance.now();
  let usage = noUsage;
  const ask = async (repair: Turn["repair"]): Promise<Decision> => {
    try {
      const decision = await model.next({ ...turn, repair });
      usage = addUsage(usage, decision.usage);
      spend(decision.usage);
      return { ...decision, actions: readActions(decision) };
    } catch (error) {
      if (error instanceof MalformedAnswer) {
        usage = addUsage(usage, error.usage);
        spend(error.usage);
      }
      throw error;
    }
  };
  const ended = (decision: Decision, repair: Turn["repair"]): Decided => ({
    ...decision,
    usage,
    repair,
    ms: Math.round(performance.now() - started),
  });
  try {
    return ended(await ask(undefined), undefined);
  } catch (error) {
    if (!(error instanceof MalformedAnswer)) throw error;
    const repair = { answer: error.answer, problem: error.message };
    try {
      return ended(await ask(repair), repair);
    } catch (second) {
      if (!(second instanceof MalformedAnswer)) throw second;
      throw new Stop("malformed", `Neither of the model's two answers could be used: ${second.message}`);
    }
  }
}

/** A third-party model may return anything; its tokens are spent anyway, but counted only once. */
function readActions({ actions }: Decision): Decision["actions"] {
  const parsed = z.array(actionSchema).min(1).max(20).safeParse(actions);
  if (parsed.success) return parsed.data;
  throw new MalformedAnswer(JSON.stringify(actions ?? null).slice(0, 2_000), z.prettifyError(parsed.error), noUsage);
}
