import { readdir, readlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { openLinux } from "../../src/platform/linux/index.ts";
import { openBackend } from "../../src/platform/open.ts";
import { startHandsight } from "../support/handsight.ts";
import { startDesktop } from "../support/xvfb.ts";

test("opening connects to nothing; the first call that needs the display says that there is none", async () => {
  await using backend = openLinux({ DISPLAY: ":59998" });
  expect(backend.id).toBe("linux-x11");
  expect(await backend.screen?.bounds().catch((error: unknown) => error)).toMatchObject({ code: "not_connected" });
  expect(await backend.diagnose()).toEqual([
    expect.objectContaining({ ability: "connection", status: "missing", detail: expect.stringContaining(":59998") }),
  ]);
});

test("the diagnosis names the server, how pixels are transferred and the window manager", async () => {
  await using desktop = await startDesktop();
  await using backend = openLinux(desktop.env);
  const findings = await backend.diagnose();
  expect(findings.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ok: Connected to display :\d+: .*1280×800/),
      expect.stringMatching(/^ok: Pixels come through SysV shared memory/),
      expect.stringMatching(/^ok: Displays by RANDR: 1 /),
      expect.stringMatching(/^ok: Covered windows/),
      expect.stringMatching(/^ok: The pointer can be drawn/),
      expect.stringMatching(/^ok: .*XTEST/),
      expect.stringMatching(/^ok: The window manager is Openbox/),
    ]),
  );
});

test("the diagnosis says what is missing and how to fix it", async () => {
  const without = ["XTEST", "Composite", "MIT-SHM"].flatMap((name) => ["-extension", name]);
  await using desktop = await startDesktop({ windowManager: false, args: without });
  await using backend = openLinux(desktop.env);
  const findings = await backend.diagnose();
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ability: "pointer", status: "missing", fix: expect.stringContaining("XTEST") }),
      expect.objectContaining({ ability: "windows", status: "limited", fix: expect.stringContaining("openbox") }),
      expect.objectContaining({ status: "limited", detail: expect.stringContaining("copied over the X connection") }),
      expect.objectContaining({ status: "limited", fix: expect.stringContaining("Composite") }),
    ]),
  );
  using capture = (await backend.screen?.capture({ kind: "screen" })) ?? { bounds: undefined, [Symbol.dispose]() {} };
  expect(capture.bounds).toMatchObject({ width: 1280, height: 800 });
});

test("a real display comes back after its server was killed", async () => {
  const number = 10_000 + Math.floor(Math.random() * 40_000);
  const first = await startDesktop({ windowManager: false, number });
  await using backend = openLinux(first.env);
  expect(await backend.screen?.bounds()).toMatchObject({ width: 1280 });
  await first[Symbol.asyncDispose]();
  expect(await backend.windows?.list().catch((error: unknown) => error)).toMatchObject({ code: "not_connected" });
  await using second = await startDesktop({ windowManager: false, number, size: "800x600" });
  expect(second.display).toBe(first.display);
  expect(await backend.screen?.bounds()).toMatchObject({ width: 800 });
  using capture = (await backend.screen?.capture({ kind: "screen" })) ?? { bounds: undefined, [Symbol.dispose]() {} };
  expect(capture.bounds).toMatchObject({ width: 800, height: 600 });
});

test("the backend is chosen by the system, and reports its name and whether it works there [S1-7, S1-8]", async () => {
  await using desktop = await startDesktop({ windowManager: false });
  await using backend = await openBackend({ env: desktop.env });
  expect(backend.id).toBe("linux-x11");
  const asked = async (env: NodeJS.ProcessEnv): Promise<Record<string, unknown>> => {
    await using handsight = await startHandsight(env);
    return await handsight.call("capabilities");
  };
  expect(await asked(desktop.env)).toMatchObject({
    backend: "linux-x11",
    findings: expect.arrayContaining([expect.objectContaining({ ability: "connection", status: "ok" })]),
  });
  const elsewhere = `Object.defineProperty(process, "platform", { value: "sunos" });`;
  const env = { ...desktop.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(elsewhere)}` };
  const { backend: none, findings } = await asked(env);
  expect(none).toBe("none");
  expect(findings).toContainEqual(
    expect.objectContaining({ ability: "connection", status: "missing", detail: expect.stringContaining("sunos") }),
  );
});

/** The sockets and shared memory that this process holds. */
async function held(): Promise<readonly string[]> {
  const open = await readdir("/proc/self/fd");
  const links = await Promise.all(open.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => "")));
  return links.filter((link) => /^socket:|memfd|shm/.test(link)).toSorted();
}

test("closing releases every connection and all shared memory [S1-10]", async () => {
  await using desktop = await startDesktop();
  const before = await held();
  {
    await using backend = openLinux(desktop.env);
    using capture = await backend.screen?.capture({ kind: "screen" });
    expect(capture?.bounds.width).toBe(1280);
    await backend.pointer?.position();
    await backend.windows?.list();
    await backend.clipboard?.read().catch(() => undefined);
    expect((await held()).length).toBeGreaterThan(before.length);
  }
  await expect.poll(held).toEqual(before);
});
