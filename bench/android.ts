import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AdbServer } from "../src/platform/android/server.ts";
import { Shells } from "../src/platform/android/shell.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../test/support/android/lab.ts";
import { adbProgram } from "../test/support/android/paths.ts";
import { androidPeers, type AndroidPeer } from "./android-peers.ts";
import type { Group } from "./group.ts";
import { absent, messageOf, now, race, type Row, type Runner } from "./measure.ts";
import { fasterThan, type Table } from "./report.ts";

const run = promisify(execFile);
const againstMobileMcp = 3;
const readingAgainstAdb = 8;

/**
 * On the simulated device, whose own work is as good as nothing: it waits for no quiet before a dump and has its picture
 * ready. What is left is what each client adds; on a phone, the phone's time comes on top for everybody.
 */
export const android: Group = async ({ rounds, tell }) => {
  await using lab = await startAndroid({ timeScale: 0 });
  const [device] = lab.devices;
  if (!device) throw new Error("there is no device");
  device.open("Settings");
  const opened: AndroidPeer[] = [];
  const missing: Row[] = [];
  for (const [name, open] of Object.entries(androidPeers)) {
    tell(`starting ${name}`);
    try {
      opened.push(await open(lab, device.serial));
    } catch (error) {
      missing.push(absent(name, "library", messageOf(error)));
    }
  }
  try {
    const tables: Table[] = [];
    for (const step of steps) {
      tell(step.title);
      const rows = await race(
        opened.map((peer) => step.runner(peer, device)),
        rounds,
      );
      tables.push({
        title: `Android: ${step.title}`,
        rows: [...rows, ...missing],
        verdicts: [fasterThan(rows, "mobile-mcp", againstMobileMcp)],
      });
    }
    tell("a short reading");
    tables.push(await readings(lab, device.serial, rounds));
    return tables;
  } finally {
    for (const peer of opened) await peer[Symbol.asyncDispose]();
  }
};

interface Step {
  readonly title: string;
  runner(peer: AndroidPeer, device: AndroidTarget): Runner;
}

const timed = (peer: AndroidPeer, work: () => Promise<number | undefined>): Runner => ({
  name: peer.name,
  kind: peer.kind,
  note: peer.note,
  async run() {
    const started = now();
    const bytes = await work();
    return { ms: now() - started, bytes };
  },
});

function needContains(text: string, part: string): undefined {
  if (!text.includes(part)) throw new Error(`the answer has no ${part}: ${text.slice(0, 100)}`);
}

const steps: readonly Step[] = [
  {
    title: "list devices",
    runner: (peer, { serial }) => timed(peer, async () => needContains(await peer.list(), serial)),
  },
  {
    title: "tap",
    // What counts is what the device says: the tap must have arrived, once, where it was meant.
    runner: (peer, device) =>
      timed(peer, async () => {
        const before = device.events().length;
        const x = 400 + (before % 100);
        await peer.tap(x, 500);
        const taps = device
          .events()
          .slice(before)
          .flatMap((event) => (event.kind === "tap" ? [event] : []));
        if (taps.length !== 1 || taps[0]?.x !== x) throw new Error(`the device saw ${JSON.stringify(taps)}`);
        return undefined;
      }),
  },
  {
    title: "elements of the screen",
    runner: (peer) => timed(peer, async () => needContains(await peer.dump(), "Airplane mode")),
  },
  {
    title: "screenshot",
    runner: (peer) =>
      timed(peer, async () => {
        const bytes = await peer.screenshot();
        if (bytes < 1000) throw new Error("the picture is empty");
        return bytes;
      }),
  },
];

async function readings(lab: AndroidLab, serial: string, rounds: number): Promise<Table> {
  using shells = new Shells(new AdbServer(lab.env), serial);
  const command = "echo $KSH_VERSION";
  const runner = (name: string, kind: Runner["kind"], read: () => Promise<string>): Runner => ({
    name,
    kind,
    async run() {
      const started = now();
      needContains(await read(), "KSH");
      return { ms: now() - started };
    },
  });
  const spawned = async (): Promise<string> =>
    (await run(adbProgram, ["-s", serial, "shell", command], { env: lab.env })).stdout;
  const rows = await race(
    [
      runner("handsight", "ours", async () => (await shells.run(command)).stdout.toString()),
      runner("adb shell, a process each", "command", spawned),
    ],
    rounds * 4,
  );
  return {
    title: "Android: a short reading (echo)",
    rows,
    verdicts: [fasterThan(rows, "adb shell, a process each", readingAgainstAdb)],
  };
}
