import { setTimeout as pause } from "node:timers/promises";
import { browserPid, readerPid } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Kills an app while calls are on their way to it, and starts another in its place. */
const killApp: Turn = async ({ apps, ask }, random) => {
  const app = random.pick(apps);
  const calls = [
    ask("take_ax_snapshot", { window_title: app.title }),
    ask("type_text", { text: "x".repeat(300), window_title: app.title, delay_ms: 1, settle_ms: 50 }),
    ask("take_screenshot", { window_title: app.title, max_side: 200 }),
  ];
  await pause(random.int(0, 80));
  await app.kill();
  await Promise.all(calls);
  await ask("click", { text: "Press me", window_title: app.title, settle_ms: 0 });
  await app.start();
};

/** Freezes an app, on the buses and on the screen, for a moment or until every call has given up on it. */
const freezeApp: Turn = async ({ apps, ask }, random) => {
  const app = random.pick(apps);
  const pid = app.pid();
  const momentMs = random.chance(0.8) ? random.int(200, 1_500) : undefined;
  process.kill(pid, "SIGSTOP");
  const calls = Promise.all([
    ask("take_ax_snapshot", { window_title: app.title }),
    ask("take_screenshot", { mode: "screen", max_side: 64 }),
    ask("click", { text: "Press me", window_title: app.title, settle_ms: 0 }),
  ]);
  try {
    await (momentMs === undefined ? calls : pause(momentMs));
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await calls;
};

/** Kills the whole browser in the middle of its work. */
const killBrowser: Turn = async ({ server, ports, ask }, random) => {
  const calls = [
    ask("cdp_take_dom_snapshot"),
    ask("cdp_evaluate_script", { function: "() => new Promise(() => {})", timeout: 2_000 }),
  ];
  await pause(random.int(0, 50));
  const pid = browserPid(server);
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
  await Promise.all(calls);
  await ask("cdp_list_pages");
  await ask("cdp_launch", { headless: true, url: `${ports.pages}/form` });
};

const crashPage: Turn = async ({ ask, ports }) => {
  await ask("cdp_navigate", { url: "chrome://crash", timeout: 3_000 });
  await ask("cdp_take_dom_snapshot");
  await ask("cdp_navigate", { url: `${ports.pages}/form`, timeout: 5_000 });
};

/** As if the cable were pulled in the middle of a call. */
const unplugDevice: Turn = async ({ device, ask }, random) => {
  const calls = [
    ask("android_snapshot"),
    ask("android_screenshot", { max_side: 64 }),
    ask("android_click", { x: 5, y: 5, settle_ms: 0 }),
  ];
  await pause(random.int(0, 40));
  await device.killDaemon();
  await Promise.all(calls);
  await ask("android_find_text", { text: "Wi-Fi" });
  await device.startDaemon();
  await ask("android_connect", { serial: device.serial });
};

const freezeDevice: Turn = async ({ device, ask }, random) => {
  using _ = await device.freezeDaemon();
  const calls = [
    ask("android_snapshot", {}, { cancelAfterMs: random.int(100, 600) }),
    ask("android_get_display_info", {}, { cancelAfterMs: 700 }),
  ];
  await Promise.all(calls);
};

/** Kills the process that reads text. */
const killReader: Turn = async ({ server, ask }, random) => {
  const reading = ask("ocr", { mode: "region", x: 0, y: 0, width: 600, height: 300 });
  await pause(random.int(0, 150));
  const pid = readerPid(server);
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  await reading;
  await ask("ocr", { mode: "region", x: 0, y: 0, width: 300, height: 60 });
};

/** Peers that die, hang and come back, each while calls depend on them. Each fault restores what it took away. */
export const faults: readonly Turn[] = [
  killApp,
  freezeApp,
  killBrowser,
  crashPage,
  unplugDevice,
  freezeDevice,
  killReader,
];
