import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AdbServer } from "../src/platform/android/server.ts";
import { Shells } from "../src/platform/android/shell.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../test/simulators/android/lab.ts";
import { androidPeers, withAdbItself, type AndroidPeer } from "./android-peers.ts";
import type { Group } from "./group.ts";
import { absent, clearAway, messageOf, now, race, type Row, type Runner } from "./measure.ts";
import { fasterThan, type Table } from "./report.ts";

const run = promisify(execFile);
const againstMobileMcp = 3;
const readingAgainstAdb = 8;

/**
 * On the simulated device, whose own work is little: it waits for no quiet before a dump, has its picture ready, and starts
 * a program in two or three milliseconds. The rest is what each client adds; on a phone, the phone's time comes on top for
 * everybody.
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
    using shells = new Shells(new AdbServer(lab.env), device.serial);
    for (const step of steps) {
      tell(step.title);
      const floor = step.command === undefined ? [] : [deviceAlone(shells, step.command)];
      const often = step.isShort ? rounds * shortOnes : rounds;
      const rows = await race([...opened.map((peer) => step.runner(peer, device)), ...floor], often);
      tables.push({
        title: `Android: ${step.title}`,
        rows: [...rows, ...missing],
        verdicts: step.target === undefined ? [] : [fasterThan(rows, "mobile-mcp", step.target)],
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
  /** Without one it is there to be seen. */
  readonly target?: number;
  /** A few milliseconds for each of us: the more often, the less a busy moment counts. */
  readonly isShort?: boolean;
  /** What the device itself runs for it. */
  readonly command?: string;
  runner(peer: AndroidPeer, device: AndroidTarget): Runner;
}

// Agents make several calls in a row; the first after a pause also pays for a processor that has gone to sleep.
const inARow = 5;
const shortOnes = 4;

interface Work {
  /** Outside the clock. */
  readonly before?: () => Promise<void>;
  readonly times?: number;
  readonly work: () => Promise<number | undefined>;
}

const timed = (peer: AndroidPeer, { before, times = inARow, work }: Work): Runner => ({
  name: peer.name,
  kind: peer.kind,
  note: peer.note,
  async run() {
    await before?.();
    const started = now();
    let bytes: number | undefined;
    for (let count = 0; count < times; count++) bytes = await work();
    return { ms: (now() - started) / times, bytes };
  },
});

/** Below this nobody gets: the command itself, in a shell of the device that is open already. */
const deviceAlone = (shells: Shells, command: string): Runner => ({
  name: "the device's own command",
  kind: "command",
  note: "in a shell that is open",
  async run() {
    const started = now();
    for (let count = 0; count < inARow; count++) await shells.run(command, { output: "little" });
    return { ms: (now() - started) / inARow };
  },
});

function needContains(text: string, part: string): undefined {
  if (!text.includes(part)) throw new Error(`the answer has no ${part}: ${text.slice(0, 100)}`);
}

/** What counts is what the device says: the tap must have arrived, once, where it was meant. */
async function needTap(device: AndroidTarget, tap: (x: number) => Promise<unknown>): Promise<undefined> {
  const before = device.events().length;
  const x = 400 + (before % 100);
  await tap(x);
  const taps = device
    .events()
    .slice(before)
    .flatMap((event) => (event.kind === "tap" ? [event] : []));
  if (taps.length !== 1 || taps[0]?.x !== x) throw new Error(`the device saw ${JSON.stringify(taps)}`);
  return undefined;
}

const airplaneMode = 680;

const steps: readonly Step[] = [
  {
    title: "list devices",
    target: againstMobileMcp,
    runner: (peer, { serial }) => timed(peer, { work: async () => needContains(await peer.list(), serial) }),
  },
  {
    title: "tap, sent",
    target: againstMobileMcp,
    isShort: true,
    command: "cmd input tap 400 500",
    runner: (peer, device) => timed(peer, { work: () => needTap(device, (x) => peer.tap(x, 500)) }),
  },
  {
    title: "tap, and what came of it (ours: effect verified; others: elements read after it)",
    runner: (peer, device) =>
      timed(peer, { times: 1, work: () => needTap(device, (x) => peer.tapAndLook(x, airplaneMode)) }),
  },
  {
    title: "elements of the screen",
    target: againstMobileMcp,
    isShort: true,
    command: 'f=/data/local/tmp/bench.xml; m=$(. /system/bin/uiautomator dump --compressed $f); print -r -- "$(<$f)"',
    runner: (peer) => timed(peer, { work: async () => needContains(await peer.dump(), "Airplane mode") }),
  },
  {
    title: "elements of a screen that has changed",
    isShort: true,
    runner: (peer, device) =>
      timed(peer, {
        times: 1,
        async before() {
          device.phone.touch(400, airplaneMode, "tap");
        },
        work: async () => needContains(await peer.dump(), "Airplane mode"),
      }),
  },
  {
    title: "screenshot of a screen that has changed",
    target: againstMobileMcp,
    runner: (peer, device) =>
      timed(peer, {
        times: 1,
        async before() {
          device.phone.touch(400, airplaneMode, "tap");
          await device.paint();
          // The simulated device lives in this process, and has just made pictures of ten megabytes.
          clearAway();
        },
        async work() {
          const bytes = await peer.screenshot();
          if (bytes < 1000) throw new Error("the picture is empty");
          return bytes;
        },
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
  const env = withAdbItself(lab.env);
  const spawned = async (): Promise<string> => (await run("adb", ["-s", serial, "shell", command], { env })).stdout;
  const rows = await race(
    [
      runner("handsight", "ours", async () => (await shells.run(command)).stdout.toString()),
      runner("adb shell, a process each", "command", spawned),
    ],
    rounds * shortOnes,
  );
  return {
    title: "Android: a short reading (echo)",
    rows,
    verdicts: [fasterThan(rows, "adb shell, a process each", readingAgainstAdb)],
  };
}
