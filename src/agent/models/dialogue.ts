import type { Observation, PastStep, Picture, Turn } from "../model.ts";
import { actionText, goalText, lookText, outcomeText, repairText } from "./prompt.ts";

/** One message in no vendor's form. */
export type Said =
  /** What the person or the screen says. `after` is the step this look followed, whose answer it also gives. */
  | { readonly by: "user"; readonly text: string; readonly picture?: Picture | undefined; readonly after?: PastStep }
  /** What the model said, with what it must see again of it. */
  | { readonly by: "model"; readonly text: string; readonly step?: PastStep };

/**
 * The turn as a conversation: a look, what the model did, the outcome with the next look, … and now. Pictures of old
 * steps are left out where the loop dropped them.
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

// Shorter texts are ids; longer ones in this alphabet are pictures and sealed thoughts.
const encoded = /^(data:[\w./+-]+;base64,)?[\w+/=-]{400,}$/;

/** A copy for the run folder: pictures and sealed thoughts become their length. */
export function forRecord(value: unknown): unknown {
  if (typeof value === "string") return encoded.test(value) ? `[${value.length} characters of base64]` : value;
  if (Array.isArray(value)) return value.map(forRecord);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, forRecord(inner)]));
}
