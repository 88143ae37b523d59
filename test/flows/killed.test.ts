import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { queryKeymap } from "../../src/platform/linux/x11/requests.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";

test("kill -9 in the middle of a flow: nothing is held, the report is readable, and --from goes on", async () => {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox[Symbol.dispose]());
  const desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const folder = join(sandbox.folder, "tmp", "flows");
  mkdirSync(folder);
  const flow = join(folder, "typing.flow.yaml");
  writeFileSync(
    flow,
    `flow: 1
name: Typing
steps:
  - launch: mousepad
  - press: { key: shift+a, times: 100 }
  - press: { key: shift+b, times: 3 }
  - expect: { changed: true }
`,
  );
  const report = join(folder, "out");
  const args = ["flow", "run", flow, "--desktop", "real", "--policy", "allow", "--report", report];
  const env = { ...desktop.env, ...sandbox.env, ...onDisplay(desktop.env) };
  const connection = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
  onTestFinished(() => connection.close());
  const isHeld = async (): Promise<boolean> => (await queryKeymap(connection)).some((bits) => bits !== 0);
  await sandbox.run(args, {
    env,
    started: (child) =>
      void (async () => {
        await expect.poll(isHeld, { timeout: 30_000, interval: 1 }).toBe(true);
        child.kill("SIGKILL");
      })(),
  });
  await expect.poll(isHeld, { timeout: 10_000 }).toBe(false);
  const page = readFileSync(join(report, "report.html"), "utf8");
  expect(page).toContain("it is still at work, or it was killed");
  expect(page).toContain("launch &quot;mousepad&quot;");
  const { code, stdout } = await sandbox.run([...args, "--from", "failed"], { env });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/- 1\. launch {2}skipped/);
  expect(stdout).toMatch(/✓ 2\. press shift\+a ×100/);
});

/** What makes programs find the desktop; the sandbox has folders of its own for everything else. */
const onDisplay = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => /DISPLAY|XAUTHORITY|DBUS|AT_SPI|GTK|QT|XDG_RUNTIME/.test(name)),
  );
