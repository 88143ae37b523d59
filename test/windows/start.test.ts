import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWindows, startWine, type Wine } from "../support/wine.ts";

describeWindows("handsight on Windows", () => {
  let wine: Wine;
  beforeAll(async () => {
    wine = await startWine();
  });
  afterAll(() => wine?.[Symbol.asyncDispose]());

  test("says its version", async () => {
    const { code, stdout, stderr } = await wine.run(["--version"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\s*$/);
  });

  test("tells what works there, and that this is Wine", async () => {
    const { code, stdout } = await wine.run(["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^handsight \S+, Node 22\.\S+, Windows_NT 10\.\S+ x64$/m);
    expect(stdout).toMatch(/^ +ok +connection +Wine 10\.\S+ instead of Windows, session 1, 1280×800\.$/m);
    expect(stdout).not.toMatch(/Xvfb|X11/);
  });

  test("answers a client on another system", async () => {
    await using handsight = await wine.handsight();
    expect(await handsight.call("list_windows")).toMatchObject({ windows: [] });
    expect(await handsight.call("list_displays")).toMatchObject({
      displays: [{ id: 0, bounds: { x: 0, y: 0, width: 1280, height: 800 } }],
    });
  });
});
