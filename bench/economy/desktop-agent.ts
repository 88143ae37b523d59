import { sleep } from "../../src/base/async.ts";
import { nameOf, type DesktopAgent, type Step, type Target } from "./agent.ts";
import { Known, need } from "./known.ts";
import type { Wire } from "./wire.ts";

export interface AimedStep {
  readonly step: Step;
  readonly ref: string;
}

/** How a model speaks to one server about a desktop. */
export interface DesktopSpeech {
  readonly hasKeys: boolean;
  /** Whether refs of earlier answers stay valid. */
  readonly keepsRefs: boolean;
  pattern(target: Target): RegExp;
  /** Another way to say which one is meant, when no listing has it. */
  missing?(target: Target): string | undefined;
  look(): Promise<string>;
  /** What is read afterwards, newest first; empty when it says nothing about the screen. */
  perform(steps: readonly AimedStep[]): Promise<string>;
  close?(): Promise<void>;
}

const looks = 3;

export function desktopAgent(wire: Wire, speech: DesktopSpeech): DesktopAgent {
  const known = new Known();
  const look = async (): Promise<void> => {
    known.forget();
    known.add(await speech.look());
  };
  const refs = async (steps: readonly Step[]): Promise<readonly string[]> => {
    const targets = steps.map(nameOf);
    const find = () => targets.map((target) => (target ? known.match(speech.pattern(target))?.[1] : ""));
    for (let count = 0; count < looks && find().includes(undefined); count++) {
      if (count > 0 && find().every((ref, index) => ref ?? speech.missing?.(targets[index] as Target))) break;
      if (count > 0) await sleep(200);
      await look();
    }
    return find().map((ref, index) => {
      const target = targets[index];
      return need(ref ?? (target && speech.missing?.(target)), JSON.stringify(target));
    });
  };
  const act = async (steps: readonly Step[], wanted?: RegExp): Promise<string> => {
    const aims = await refs(steps);
    const text = await speech.perform(steps.map((step, index) => ({ step, ref: aims[index] ?? "" })));
    if (!speech.keepsRefs || text === "") known.forget();
    if (text !== "") known.add(text);
    if (!wanted) return "";
    for (let count = 0; count < looks && !known.match(wanted); count++) {
      if (count > 0) await sleep(200);
      await look();
    }
    const found = need(known.match(wanted), wanted.source);
    return found[1] ?? found[0];
  };
  return {
    wire,
    act,
    async command(path, shortcut, wanted) {
      if (speech.hasKeys && shortcut !== undefined) return act([{ press: shortcut }], wanted);
      for (const name of path.slice(0, -1)) await act([{ click: { role: "(?:menu|menubutton|button)", name } }]);
      return act([{ click: { role: "(?:check-?|radio-?)?menu-?item\\S*", name: path.at(-1) ?? "" } }], wanted);
    },
    async [Symbol.asyncDispose]() {
      await speech.close?.();
      await wire[Symbol.asyncDispose]();
    },
  };
}
