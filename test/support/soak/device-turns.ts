import type { Random } from "../../fixtures/ocr/random.ts";
import type { Stage } from "./stage.ts";
import { call, type Turns } from "./turn.ts";

const apps = ["Settings", "Notes", "Contacts", "Sign up", "Vault", "Icons"] as const;
const surfaceOf = ({ device }: Stage): { surface: string } => ({ surface: `android:${device.serial}` });
const point = (random: Random): { x: number; y: number } => ({ x: random.int(0, 539), y: random.int(0, 1199) });
const settle = (random: Random): { settle_ms: number } => ({ settle_ms: random.pick([0, 0, 0, 100]) });

/** A device whose apps come to the front and leave again. */
export const deviceTurns: Turns = [
  [
    4,
    async ({ device, ask }, random) => {
      device.open(random.pick(apps));
      device.forget();
      await ask("android_snapshot", { max_nodes: 100 });
    },
  ],
  [2, call(() => ["android_list_devices"])],
  [2, call(() => ["android_get_display_info"])],
  [2, call(() => ["android_get_current_activity"])],
  [1, call(() => ["android_list_apps"])],
  [
    3,
    call((_, random) => [
      "android_screenshot",
      { max_side: random.pick([64, 320]), format: random.pick(["png", "jpeg"]) },
    ]),
  ],
  [4, call((_, random) => ["android_find_text", { text: random.pick(["Wi-Fi", "Save", "Bluetooth", "nothing"]) }])],
  [5, call((_, random) => ["android_click", { ...point(random), ...settle(random) }])],
  [3, call(({ memo }, random) => ["android_click", { uid: memo.pick("view", random), ...settle(random) }])],
  [1, call((_, random) => ["android_long_press", { ...point(random), duration_ms: 100, ...settle(random) }])],
  [
    2,
    call((_, random) => [
      "android_swipe",
      { start_x: 270, start_y: 900, end_x: 270, end_y: 300, duration_ms: 50, ...settle(random) },
    ]),
  ],
  [3, call((_, random) => ["android_press_key", { key: random.pick(["BACK", "HOME", "TAB"]), ...settle(random) }])],
  [2, call((_, random) => ["android_type_text", { text: random.pick(["abc", "Grüße 🎉"]), ...settle(random) }])],
  [1, call((_, random) => ["android_launch_app", { package: random.pick(["com.example.notes", "no.such.app"]) }])],
  [3, call((stage) => ["take_screenshot", { ...surfaceOf(stage), max_side: 320 }])],
  [2, call((stage) => ["take_ax_snapshot", { ...surfaceOf(stage), max_nodes: 100 }])],
  [1, call((stage) => ["find_text", { ...surfaceOf(stage), text: "Notes" }])],
  [
    0.3,
    async ({ device, ask }) => {
      await ask("android_disconnect", { serial: device.serial });
      await ask("android_connect", { serial: device.serial });
    },
  ],
];
