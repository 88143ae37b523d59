import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { removeFolder } from "../support/remove-folder.ts";

const pages = {
  "grid.html": `<!doctype html><title>Grid</title><style>body{margin:0} button{width:70px;height:30px;margin:4px}</style><div id=g></div><script>
    window.log = [];
    g.innerHTML = Array.from({ length: 200 }, (_, n) => "<button>B" + n + "</button>").join("");
    addEventListener("click", (e) => log.push(e.target.textContent));
    scrollTo(0, 60);
  </script>`,
};

let server: PageServer;
beforeAll(async () => {
  server = await servePages(pages);
});
afterAll(async () => server?.[Symbol.asyncDispose]());

const window = ["--window-size=1000,700", "--window-position=40,30"];
test.each([
  ["a plain window", window, []],
  ["a zoomed page", window, ["ctrl+plus", "ctrl+plus"]],
  ["a high-density screen", [...window, "--force-device-scale-factor=1.5"], []],
  [
    "docked developer tools",
    ["--window-size=1300,760", "--window-position=20,10", "--auto-open-devtools-for-tabs"],
    [],
  ],
  ["the second monitor", ["--window-size=900,600", "--window-position=1480,90"], []],
])("a desktop click and cdp_element_at_point agree on the element: %s [S2-118]", async (how, args, keys) => {
  await using desktop = await openVirtualDesktop({ width: 1400, height: 800, monitors: 2, scale: 1 });
  const profiles = await mkdtemp(join(tmpdir(), "handsight-profile-"));
  {
    await using handsight = await startHandsight(desktop.env, ["--browser-dir", profiles]);
    await handsight.call("cdp_launch", { headless: false, url: `${server.own}/grid.html`, args });
    await handsight.call("cdp_wait_for", { text: ["B199"] });
    const evaluate = async (code: string): Promise<unknown> =>
      (await handsight.call("cdp_evaluate_script", { function: code, settle_ms: 0 }))["result"];
    await handsight.call("wait_for", { window_title: "Grid", timeout_ms: 20_000 });
    for (const key of keys) {
      const before = await evaluate("() => devicePixelRatio");
      await handsight.call("press_key", { key, window_title: "Grid", settle_ms: 0 });
      await poll(async () => ((await evaluate("() => devicePixelRatio")) === before ? undefined : true), {
        timeoutMs: 5_000,
        everyMs: 50,
      });
    }
    // Developer tools also take some time to dock, which a check for a resting window would miss.
    if (how === "docked developer tools") {
      const isDocked = async () => (await evaluate("() => innerWidth < outerWidth - 100")) === true || undefined;
      expect(await poll(isDocked, { timeoutMs: 20_000, everyMs: 50 })).toBe(true);
    }
    // The window takes some time to come to rest.
    await poll(
      async () => {
        const sizes = "() => [innerWidth, innerHeight, screenX, screenY].join()";
        const first = await evaluate(sizes);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return first === (await evaluate(sizes)) ? true : undefined;
      },
      { timeoutMs: 10_000, everyMs: 10 },
    );
    const beforeAny = await handsight.call("cdp_element_at_point", await somewhereIn(handsight));
    expect(beforeAny).toMatchObject({ uid: null, note: expect.stringContaining("snapshot") as string });
    expect(beforeAny["backend_node_id"]).toBeGreaterThan(0);
    await handsight.call("cdp_take_dom_snapshot", { max_nodes: 1_000 });
    const { displays } = await handsight.call("list_displays");
    expect(displays).toHaveLength(2);
    const { windows } = await handsight.call("list_windows", { filter: "Grid" });
    const { x, y, height } = (windows as { bounds: { x: number; y: number; height: number } }[])[0]?.bounds ?? {
      x: 0,
      y: 0,
      height: 0,
    };
    expect(x >= 1400).toBe(how === "the second monitor");
    for (const [dx, dy] of [
      [120, height - 80],
      [230, height - 160],
      [330, height - 230],
    ] as const) {
      const at = { x: x + dx, y: y + dy };
      const found = await handsight.call("cdp_element_at_point", at);
      expect(found["backend_node_id"]).toBeGreaterThan(0);
      await evaluate("() => { log.length = 0; }");
      await handsight.call("click", { ...at, settle_ms: 0 });
      const clicked = await poll(async () => ((await evaluate("() => log[0] ?? null")) as string | null) ?? undefined, {
        timeoutMs: 2_000,
        everyMs: 50,
      });
      // Between the buttons there is nothing to click.
      if (clicked === undefined || !/^B\d+$/.test(clicked)) expect(found["role"] ?? "").not.toBe("button");
      else expect(found).toMatchObject({ role: "button", name: clicked });
    }
  }
  await removeFolder(profiles);
});

/** A point of the page. */
async function somewhereIn(handsight: Handsight): Promise<{ readonly x: number; readonly y: number }> {
  const { windows } = await handsight.call("list_windows", { filter: "Grid" });
  const { x, y, height } = (windows as { bounds: { x: number; y: number; height: number } }[])[0]?.bounds ?? {
    x: 0,
    y: 0,
    height: 0,
  };
  return { x: x + 120, y: y + height - 80 };
}
