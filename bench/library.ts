import { open, type Handsight, type Locator, type ToolInput } from "../src/index.ts";
import { openVirtualDesktop } from "../src/platform/virtual/desktop.ts";
import { servePages } from "../test/support/browser.ts";
import { startFixture } from "../test/support/fixture.ts";
import type { Group } from "./group.ts";
import { figure, median, now, race, type Row, type Runner } from "./measure.ts";
import type { Table } from "./report.ts";

const mostPercent = 10;
const page = `<!doctype html><title>Press</title><button>Press me</button><output></output>
  <script>let n = 0; document.querySelector("button").onclick = () => { document.querySelector("output").textContent = ++n }</script>`;

/** What a locator's click takes longer than the call of the tool that it makes. */
export const library: Group = async ({ rounds, tell }) => {
  await using desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  await using fixture = await startFixture("gtk3_controls", { env: desktop.env });
  await using server = await servePages({ "press.html": page });
  await using hs = await open({ policy: "allow", journal: false, env: desktop.env });
  await hs.desktop.window({ title: "GTK3 Controls" });
  tell("a GTK button");
  const app = await hs.desktop.app(fixture.pid);
  const selector = 'button:"Press me"';
  const gtk = await compare("GTK 3", hs, app.locator(selector), { pid: fixture.pid, selector }, rounds);
  tell("a page's button");
  const opened = await hs.browser.launch({ url: `${server.own}/press.html`, headless: true });
  const input = { surface: opened.surface, selector };
  return [gtk, await compare("page", hs, opened.locator(selector), input, rounds)];
};

async function compare(
  where: string,
  hs: Handsight,
  locator: Locator,
  input: ToolInput<"click">,
  rounds: number,
): Promise<Table> {
  const call = async () => hs.call("click", input);
  const rows = await race(
    [
      runner("locator.click()", () => locator.click()),
      runner('hs.call("click")', call),
      // How much two rows differ that are the same.
      runner('hs.call("click") again', call),
    ],
    rounds * 4,
  );
  const [ours, bare, again] = rows;
  const over = percentOver(ours, bare);
  const floor = percentOver(again, bare);
  const verdict = {
    target: `a locator's click ≤ ${mostPercent} % over the tool's`,
    figure: `${over.toFixed(1)} % (the same call twice differs by ${floor.toFixed(1)} %)`,
    state: over <= mostPercent ? "met" : "MISSED",
  } as const;
  return {
    title: `Overhead of the library, ${where}`,
    rows: [...rows, figure("overhead", over, "%")],
    verdicts: [verdict],
  };
}

const percentOver = (row: Row | undefined, bare: Row | undefined): number =>
  ((median(row?.times ?? []) ?? Number.NaN) / (median(bare?.times ?? []) ?? Number.NaN) - 1) * 100;

function runner(name: string, click: () => Promise<{ readonly effect: string }>): Runner {
  return {
    name,
    kind: "ours",
    async run() {
      const started = now();
      const { effect } = await click();
      const ms = now() - started;
      if (effect !== "confirmed") throw new Error(`the effect was ${effect}`);
      return { ms };
    },
  };
}
