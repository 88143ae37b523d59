import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startHeadlessBrowser } from "../support/browser-pipe.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { startHandsight } from "../support/handsight.ts";
import { openTestWindow } from "../support/windows.ts";

/** A person using the page, in a real browser, with a real mouse. */
async function openPage(url: string) {
  const browser = await startHeadlessBrowser();
  const { targetId } = await browser.send("Target.createTarget", { url });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params: object) => browser.send(method, params, String(sessionId));
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await send("Runtime.evaluate", { expression, returnByValue: true });
    return (answer["result"] as { value?: unknown }).value;
  };
  const button = (label: string) =>
    `[...document.querySelectorAll("button")].find((each) => each.textContent.startsWith(${JSON.stringify(label)}))`;
  return {
    text: () => evaluate("document.body.innerText"),
    evaluate,
    /** A click by a script, which no person made. */
    fake: (label: string) => evaluate(`${button(label)}?.click()`),
    async press(label: string) {
      await expect.poll(() => evaluate(`${button(label)}?.disabled`), { timeout: 5_000 }).toBe(false);
      const place = `(() => { ${button(label)}.scrollIntoView({ block: "center" }); const { x, y, width, height } = ${button(label)}.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`;
      const [x, y] = (await evaluate(place)) as [number, number];
      for (const type of ["mousePressed", "mouseReleased"]) {
        await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
      }
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

/** The link that `handsight approve --open` passes to the person's browser; it is not printed anywhere. */
async function linkOf(sandbox: Sandbox): Promise<string> {
  const [program, file] = ["browser", "link"].map((name) => join(sandbox.folder, name)) as [string, string];
  writeFileSync(program, `#!/bin/sh\nprintf %s "$1" > "${file}"\n`);
  chmodSync(program, 0o700);
  const { stdout, stderr } = await sandbox.run(["approve", "--open"], { env: { BROWSER: program } });
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8") !== "").toBe(true);
  const link = readFileSync(file, "utf8");
  expect(stdout + stderr).not.toContain(new URL(link).hash.slice(1));
  return link;
}

test(
  "a person answers for a client that cannot ask, and stops everything, on the page that handsight approve opens",
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
    const servers = async () => JSON.parse((await sandbox.run(["approve", "--json"])).stdout) as object;
    await expect.poll(servers, { timeout: 10_000 }).toEqual({ servers: [{ pid: handsight.pid }] });

    await using page = await openPage(await linkOf(sandbox));
    await expect.poll(() => page.text(), { timeout: 20_000 }).toContain("Nothing to answer");
    expect(await page.evaluate("location.href")).not.toContain("#");
    const output_dir = join(sandbox.folder, "tmp", "film");
    const starting = handsight.ask("start_recording", { output_dir, max_duration_ms: 600_000 });
    await expect.poll(() => page.text()).toMatch(/look at your screen[\s\S]*test-client/);
    await page.press("Allow this kind");
    const { isError, data } = await starting;
    expect([isError, data["output_dir"]]).toEqual([false, output_dir]);

    const refused = handsight.ask("click", { x: 100, y: 100 });
    await expect.poll(() => page.text()).toContain('click in the window "Editor"');
    await expect.poll(() => page.evaluate("document.querySelector('figure img')?.naturalWidth")).toBeGreaterThan(100);
    await page.fake("Allow once");
    await page.press("Deny");
    expect((await refused).data).toMatchObject({
      error: { code: "denied", message: expect.stringContaining("refused by the person asked") as string },
    });

    const waiting = handsight.ask("click", { x: 100, y: 100 });
    await expect.poll(() => page.text()).toContain('click in the window "Editor"');
    await page.press("Emergency stop");
    await expect.poll(() => page.text()).toContain("handsight does nothing until you allow input again");
    expect((await waiting).data).toMatchObject({ error: { code: "cancelled" } });
    await expect
      .poll(() => JSON.parse(readFileSync(String(data["index"]), "utf8")) as unknown, { timeout: 10_000 })
      .toMatchObject({ ended: "emergency_stop" });
    expect((await sandbox.run(["click", "1", "1", "--policy", "allow"])).stderr).toContain('"handsight stop" was used');
    expect((await handsight.ask("click", { x: 100, y: 100 })).data).toMatchObject({ error: { code: "denied" } });
    await page.press("Allow input again");
    await expect.poll(() => page.text()).toContain("allowed again");
    expect((await sandbox.run(["resume"])).stdout).toContain("There was no stop");
    c.close();
  },
);
