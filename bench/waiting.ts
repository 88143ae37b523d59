import { openVirtualDesktop } from "../src/platform/virtual/desktop.ts";
import { open, type Handsight } from "../src/index.ts";
import { startAndroid } from "../test/simulators/android/lab.ts";
import { servePages } from "../test/support/browser.ts";
import { startFixture } from "../test/support/fixture.ts";
import { desktopCases, deviceCases, lateDesktop, lateDevice, latePage, pageCases } from "../test/support/late-apps.ts";
import { shareWhileWaiting, tryLate, type LateApp, type LateCase } from "../test/support/late.ts";
import type { Group } from "./group.ts";
import { figure, type Row } from "./measure.ts";
import type { Table } from "./report.ts";

// Each case after two of four times, so that every way meets every time.
const times = (index: number): readonly number[] => (index % 2 === 0 ? [0, 1_000] : [300, 3_000]);
const stillMs = 5_000;

interface Stage extends AsyncDisposable {
  readonly app: LateApp;
  readonly cases: readonly LateCase[];
}

/** Targets that come late or never, on all surfaces at once: each acted on once, rightly, or refused with the reason. */
export const waiting: Group = async ({ tell }) => {
  const stages: Stage[] = [];
  try {
    for (const openStage of [onDesktop, inPage, onDevice]) stages.push(await openStage());
    const wrong: string[] = [];
    const rows = await Promise.all(
      stages.map(async ({ app, cases }): Promise<Row> => {
        let right = 0;
        for (const each of cases) {
          const problem = await tryLate(app, each);
          if (problem === undefined) right += 1;
          else wrong.push(problem);
          if (problem !== undefined) tell(problem);
        }
        tell(`${app.name}: ${right} of ${cases.length}`);
        return { ...figure(app.name, right, "right"), runs: cases.length, note: `of ${cases.length} cases` };
      }),
    );
    const shares: Row[] = [];
    for (const { app } of stages) {
      const share = await shareWhileWaiting(app, stillMs);
      shares.push(figure(`processor while waiting, ${app.name}`, Math.round(share * 1_000) / 10, "%"));
    }
    const all = stages.reduce((sum, { cases }) => sum + cases.length, 0);
    const verdict = {
      target: `each of ${all} cases is acted on once, or refused with the right reason`,
      figure: `${all - wrong.length} of ${all}`,
      state: wrong.length === 0 && all >= 200 ? "met" : "MISSED",
    } as const;
    const table: Table = { title: "Waiting for targets", rows: [...rows, ...shares], verdicts: [verdict] };
    return [table];
  } finally {
    for (const stage of stages.toReversed()) await stage[Symbol.asyncDispose]();
  }
};

const quietly = { policy: "allow", journal: false } as const;

function stage(app: LateApp, cases: readonly LateCase[], opened: readonly (AsyncDisposable | Handsight)[]): Stage {
  return {
    app,
    cases,
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each[Symbol.asyncDispose]();
    },
  };
}

async function onDesktop(): Promise<Stage> {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  const fixture = await startFixture("gtk3_late", { env: desktop.env });
  const hs = await open({ ...quietly, env: desktop.env });
  return stage(await lateDesktop(hs, fixture), desktopCases(times), [hs, fixture, desktop]);
}

async function inPage(): Promise<Stage> {
  const server = await servePages();
  const hs = await open(quietly);
  const page = await hs.browser.launch({ url: `${server.own}/late.html`, headless: true });
  return stage(latePage(page), pageCases(times), [hs, server]);
}

async function onDevice(): Promise<Stage> {
  const lab = await startAndroid({ size: { width: 720, height: 1600 }, density: 280 });
  const [target] = lab.devices;
  if (!target) throw new Error("there is no device");
  const hs = await open({ ...quietly, env: lab.env });
  const device = await hs.android(target.serial);
  target.open("Late");
  return stage(lateDevice(device, target), deviceCases(times), [hs, lab]);
}
