import { expect, test } from "vitest";
import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Surface } from "../surface.ts";
import { LiveTree } from "./live-tree.ts";

test("a surface that is gone and refuses at once is asked a few times a second at most", async () => {
  let asked = 0;
  const elements = {
    scope: () => ({}),
    async tree() {
      asked++;
      if (asked === 1) return { nodes: [], omitted: [] };
      // Asked without end, it would keep this test from ending, too.
      if (asked > 1_000) return new Promise(() => {});
      throw new ToolError("not_connected", "It is gone.");
    },
  };
  const surface = { backend: {}, need: () => elements } as unknown as Surface;
  await using _live = await LiveTree.open(surface, { pid: 1 }, { signal: new AbortController().signal, onNews() {} });
  await poll(async () => asked >= 3 || undefined, { everyMs: 20, timeoutMs: 10_000 });
  expect(asked).toBeLessThan(10);
});
