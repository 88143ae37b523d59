import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startHeadlessBrowser } from "../support/browser-pipe.ts";
import { openSandbox } from "../support/cli.ts";
import { startHandsight } from "../support/handsight.ts";
import { openTestWindow } from "../support/windows.ts";

/** A person at the page, in a real browser. */
async function openPage(url: string) {
  const browser = await startHeadlessBrowser();
  const { targetId } = await browser.send("Target.createTarget", { url });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await browser.send("Runtime.evaluate", { expression, returnByValue: true }, String(sessionId));
    return (answer["result"] as { value?: unknown }).value;
  };
  return {
    text: () => evaluate("document.body.innerText"),
    press: (label: string) =>
      evaluate(
        `[...document.querySelectorAll("button")].find((each) => each.textContent === ${JSON.stringify(label)})?.click()`,
      ),
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

test(
  "a person answers for a client that cannot ask, and stops everything, on the page that handsight approve names",
  { timeout: 120_000 },
  async () => {
    await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
    const c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
    await openTestWindow(c, { x: 50, y: 50, width: 300, height: 200, title: "Editor" });
    using sandbox = openSandbox(desktop.env);
    await using handsight = await startHandsight(sandbox.env, ["--policy", "ask"]);

    expect((await handsight.ask("list_windows")).data).toMatchObject({
      error: { code: "denied", hint: expect.stringContaining("handsight approve") as string },
    });
    const findPages = async () =>
      (JSON.parse((await sandbox.run(["approve", "--json"])).stdout) as { pages: { pid: number; url: string }[] })
        .pages;
    await expect.poll(findPages, { timeout: 10_000 }).toHaveLength(1);
    const [found] = await findPages();
    expect(found?.pid).toBe(handsight.pid);

    await using page = await openPage(found?.url ?? "");
    await expect.poll(() => page.text(), { timeout: 20_000 }).toContain("Nothing to answer");
    const output_dir = join(sandbox.folder, "tmp", "film");
    const starting = handsight.ask("start_recording", { output_dir });
    await expect.poll(() => page.text()).toMatch(/Record the screen.*start_recording[\s\S]*test-client/);
    await page.press("Allow once");
    const { isError, data } = await starting;
    expect([isError, data["output_dir"]]).toEqual([false, output_dir]);

    const refused = handsight.ask("click", { x: 100, y: 100 });
    await expect.poll(() => page.text()).toContain('in the window "Editor"');
    await page.press("Deny");
    expect((await refused).data).toMatchObject({ error: { code: "denied" } });

    await page.press("Emergency stop");
    await expect.poll(() => page.text()).toContain("handsight resume");
    await expect
      .poll(() => JSON.parse(readFileSync(String(data["index"]), "utf8")) as unknown, { timeout: 10_000 })
      .toMatchObject({ ended: "emergency_stop" });
    expect((await sandbox.run(["click", "1", "1", "--policy", "allow"])).stderr).toContain('"handsight stop" was used');
    expect((await sandbox.run(["resume"])).stdout).toContain("allowed again");
    c.close();
  },
);
