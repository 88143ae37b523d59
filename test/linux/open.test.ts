import { expect, test } from "vitest";
import { openLinux } from "../../src/platform/linux/index.ts";
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
