import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const session = useAndroid(small);
const tap = (x: number, y: number) => session.handsight.call("android_click", { x, y });
const calls = (command: string): number => session.device.calls.get(command) ?? 0;
/** A point where none of these apps has anything. */
const nowhere = [360, 1500] as const;
const airplaneMode = [300, Math.round(680 / 1.5)] as const;

/** Shown and read, so that earlier changes are not attributed to the tap. */
async function show(app: string): Promise<void> {
  session.device.open(app);
  session.device.forget();
  await session.handsight.call("android_snapshot");
}

beforeEach(() => show("Settings"));

test("what the elements prove needs neither a picture nor a second dump [S2-130]", async () => {
  const [pictures, dumps] = [calls("screencap"), calls("uiautomator")];
  const tapped = await tap(...airplaneMode);
  expect(tapped).toMatchObject({ effect: "confirmed", changes: { tree: [expect.stringContaining("Airplane mode")] } });
  expect(calls("screencap") - pictures).toBe(2);
  expect(calls("uiautomator") - dumps).toBeLessThanOrEqual(2);
});

test("what no element reports is seen in the picture [S2-130]", async () => {
  await show("Game");
  const start = await tap(360, Math.round(1600 * 0.3) - 40);
  expect(session.device.events().at(-1)).toMatchObject({ kind: "toggle" });
  expect(start).toMatchObject({ effect: "confirmed", changes: { pixels: { box: expect.anything() } } });
});

test.each(["Game", "Busy", "Ticker"])("a tap on nothing is not reported as an effect in %s", async (app) => {
  await show(app);
  expect(await tap(...nowhere)).not.toMatchObject({ effect: "confirmed" });
});
