import { expect, test } from "vitest";
import { screenPoint } from "../../src/base/geometry.ts";
import { toScope } from "../../src/platform/scope.ts";
import { openSimulator, type Report } from "../simulators/macos/simulator.ts";

test("10 000 actions leave as many objects as the first few did (simulator)", { timeout: 120_000 }, async () => {
  const { backend, ask, close } = await openSimulator();
  const { elements, pointer, keyboard, windows } = backend;
  const scope = toScope({ pid: 501 });
  await ask("act focus field");
  const round = async (): Promise<void> => {
    const tree = await elements?.tree(scope, { maxNodes: 300 });
    const idOf = (name: string): string => tree?.nodes.find((node) => node.name === name)?.runtimeId ?? "";
    for (let step = 0; step < 20; step++) {
      await elements?.perform(idOf("Check me"), { name: "toggle" });
      await elements?.perform(idOf("Volume"), { name: "set_value", value: step });
      await pointer?.move(screenPoint(80 + step, 120));
      await keyboard?.down("a");
      await keyboard?.up("a");
    }
    await windows?.list();
  };
  const live = async (): Promise<number> => (JSON.parse(await ask("report")) as Report).live;
  await round();
  const first = await live();
  for (let count = 1; count < 100; count++) await round();
  expect(await live()).toBe(first);
  expect(await close()).toMatchObject({ live: 0, violations: [], held: false });
});
