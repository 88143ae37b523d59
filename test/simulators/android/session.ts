import { afterAll, beforeAll } from "vitest";
import { startHandsight, type Handsight } from "../../support/handsight.ts";
import { startAndroid, type AndroidLab, type AndroidOptions, type AndroidTarget } from "./lab.ts";

export interface AndroidSession {
  readonly lab: AndroidLab;
  /** The first device, to which the product is connected. */
  readonly device: AndroidTarget;
  readonly handsight: Handsight;
}

interface SessionOptions extends AndroidOptions {
  /** The test connects by itself. */
  readonly connects?: false;
  readonly args?: readonly string[];
}

/** Smaller than today's phones: most tests look at pictures, and a quarter of the pixels show the same. */
export const small = { size: { width: 720, height: 1600 }, density: 280 } as const;

/** A device and the product, for all tests of a file. The members are available once the tests run. */
export function useAndroid({ connects, args, ...options }: SessionOptions = {}): AndroidSession {
  const opened: { lab?: AndroidLab; handsight?: Handsight } = {};
  const session: AndroidSession = {
    get lab() {
      return need(opened.lab);
    },
    get device() {
      return need(opened.lab?.devices[0]);
    },
    get handsight() {
      return need(opened.handsight);
    },
  };
  beforeAll(async () => {
    opened.lab = await startAndroid(options);
    opened.handsight = await startHandsight(opened.lab.env, args);
    if (connects !== false) await session.handsight.call("android_connect", { serial: session.device.serial });
  });
  afterAll(async () => {
    await opened.handsight?.[Symbol.asyncDispose]();
    await opened.lab?.[Symbol.asyncDispose]();
  });
  return session;
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the device is not started yet");
  return value;
}
