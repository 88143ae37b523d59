import { expect, test } from "vitest";
import { startHandsight } from "../support/handsight.ts";

// Runs on a real Mac only, by .github/workflows/macos.yml, after the permissions were taken away.

test("without permission, nothing is blank and nothing is silent [S0-55]", async () => {
  await using handsight = await startHandsight(process.env, ["--policy", "allow"]);
  for (const [tool, args] of [
    ["click", { x: 10, y: 10 }],
    ["press_key", { key: "escape" }],
  ] as const) {
    const { data } = await handsight.ask(tool, args);
    expect(data["error"]).toMatchObject({ code: "permission_missing" });
  }
});
