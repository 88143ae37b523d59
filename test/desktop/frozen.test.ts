import { describe, test } from "vitest";
import { answered, codeOf, openDesktop, startApp } from "../support/element-app.ts";
import { toolkits } from "../support/toolkits.ts";

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

// They spend most of the time waiting for deadlines, each on its own desktop.
describe.each(toolkits)("an app that is stopped: %s", { concurrent: true }, (toolkit, title) => {
  test(
    "costs a click the time that evidence is worth, and the answer claims nothing",
    { timeout: 120_000 },
    async ({ expect, onTestFinished }) => {
      const { env, handsight } = await openDesktop(undefined, onTestFinished);
      const { app, windowId } = await startApp(handsight, `${toolkit}_controls`, title, env, [], onTestFinished);
      const found = await handsight.call("find_elements", { selector: "Button:Press me", window_title: title });
      const [{ click_point: at }] = found["elements"] as [{ click_point: { x: number; y: number } }];
      process.kill(app.pid, "SIGSTOP");
      onTestFinished(() => void process.kill(app.pid, "SIGCONT"));
      // A direct question about an element waits 1500 ms. Evidence is worth less than half of that, once; asking for
      // it at every step would cost three times as much.
      const patient = await elapsed(async () => {
        expect(codeOf(await answered(handsight, "element_at_point", at))).toBe("timeout");
      });
      for (const [tool, args] of [
        ["click", { ...at, settle_ms: 100 }],
        ["press_key", { key: "F9", window_id: windowId, settle_ms: 100 }],
      ] as const) {
        const hasty = await elapsed(async () => {
          const { data } = await answered(handsight, tool, args);
          expect([tool, data["ok"], data["effect"]]).toEqual([tool, true, expect.not.stringMatching("confirmed")]);
        });
        expect(hasty).toBeLessThan(2 * patient);
      }
    },
  );
});
