import type { Observation, PastStep, Picture, Turn } from "../model.ts";
import { actionText, goalText, lookText, outcomeText, repairText } from "./prompt.ts";

/** One message, independent of any vendor's format. */
export type Said =
  /** From the person or the screen. `after` is the step before this look, which also reports its outcome. */
  | { readonly by: "user"; readonly text: string; readonly picture?: Picture | undefined; readonly after?: PastStep }
  /** From the model, with what it must get back. */
  | { readonly by: "model"; readonly text: string; readonly step?: PastStep };

/**
 * The turn as a conversation: a look, what the model did, the outcome with the next look, … and now. Pictures of old
 * steps are left out if the loop dropped them.
 */
export function toDialogue({ goal, history, observation, repair }: Turn): readonly Said[] {
  const looks: readonly { readonly seen: Observation; readonly hasPicture: boolean }[] = [
    ...history.map((step) => ({ seen: step.observation, hasPicture: step.keepsPicture })),
    { seen: observation, hasPicture: true },
  ];
  const said = looks.flatMap(({ seen, hasPicture }, index): Said[] => {
    const before = history[index - 1];
    const text = [before === undefined ? goalText(goal) : outcomeText(before), lookText(seen)].join("\n\n");
    const step = history[index];
    return [
      {
        by: "user",
        text,
        picture: hasPicture ? seen.picture : undefined,
        ...(before === undefined ? {} : { after: before }),
      },
      ...(step === undefined ? [] : [{ by: "model", text: actionText(step.actions), step } as const]),
    ];
  });
  if (repair === undefined) return said;
  return [...said, { by: "model", text: repair.answer || "(nothing)" }, { by: "user", text: repairText(repair) }];
}

export const base64 = ({ data }: Picture): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");

export const dataUrl = (picture: Picture): string => `data:${picture.mimeType};base64,${base64(picture)}`;

// Shorter texts are ids; longer ones in this alphabet are pictures and encrypted thoughts.
const encoded = /^(data:[\w./+-]+;base64,)?[\w+/=-]{400,}$/;

/** A copy for the run folder: pictures and encrypted thoughts are replaced by their length. */
export function forRecord(value: unknown): unknown {
  if (typeof value === "string") return encoded.test(value) ? `[${value.length} characters of base64]` : value;
  if (Array.isArray(value)) return value.map(forRecord);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, forRecord(inner)]));
}
