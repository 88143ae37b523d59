import { nameOf, type DeviceAgent, type Step, type Target } from "./agent.ts";
import { Known, need } from "./known.ts";
import type { Wire } from "./wire.ts";

export interface Aimed {
  readonly step: Step;
  readonly ref: string;
}

/** How a model speaks to one server about a device. */
export interface DeviceSpeech {
  /** Finds how the server calls the target: a uid, or a point as "x,y". */
  find(text: string, target: Target): string | undefined;
  look(): Promise<string>;
  /** What is read afterwards; empty when it says nothing about the screen. */
  perform(step: Step, ref: string): Promise<string>;
  /** Several in one call. */
  together?(steps: readonly Aimed[]): Promise<string>;
  scrollDown(): Promise<string>;
  /** In one call, until the target is in view. */
  scrollUntil?(target: Target): Promise<string>;
  back(): Promise<string>;
}

const looks = 3;
const scrolls = 12;

export function deviceAgent(wire: Wire, speech: DeviceSpeech): DeviceAgent {
  const known = new Known();
  const refOf = (target: Target): string | undefined => known.first((text) => speech.find(text, target));
  const look = async (): Promise<void> => {
    known.forget();
    known.add(await speech.look());
  };
  const heard = (text: string): void => {
    if (text === "") known.forget();
    else known.add(text);
  };
  const reading = async (wanted: RegExp | undefined): Promise<string> => {
    if (!wanted) return "";
    for (let count = 0; count < looks && !known.match(wanted); count++) await look();
    return need(known.match(wanted)?.[0], wanted.source);
  };
  return {
    wire,
    async act(steps, wanted) {
      if (steps.some((step) => refOf(nameOf(step) ?? { name: "" }) === undefined)) await look();
      const refs = steps.map((step) => need(refOf(nameOf(step) ?? { name: "" }), JSON.stringify(nameOf(step))));
      if (speech.together && steps.length > 1) {
        heard(await speech.together(steps.map((step, index) => ({ step, ref: refs[index] ?? "" }))));
        return reading(wanted);
      }
      const texts: string[] = [];
      for (const [index, step] of steps.entries()) texts.unshift(await speech.perform(step, refs[index] ?? ""));
      heard(texts.join("\n").trim());
      return reading(wanted);
    },
    async scrollTo(target) {
      if (refOf(target) === undefined) await look();
      if (speech.scrollUntil && refOf(target) === undefined) heard(await speech.scrollUntil(target));
      for (let count = 0; count < scrolls && refOf(target) === undefined; count++) {
        heard(await speech.scrollDown());
        if (refOf(target) === undefined) await look();
      }
      need(refOf(target), JSON.stringify(target));
    },
    async back(wanted) {
      heard(await speech.back());
      return reading(wanted);
    },
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}
