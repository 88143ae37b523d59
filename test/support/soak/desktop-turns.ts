import { join } from "node:path";
import type { Random } from "../../fixtures/ocr/random.ts";
import type { Stage } from "./stage.ts";
import { call, type Turns } from "./turn.ts";

const point = (random: Random): { x: number; y: number } => ({ x: random.int(0, 1279), y: random.int(0, 899) });
const titleOf = ({ apps }: Stage, random: Random): string => random.pick(apps).title;
const windowOf = ({ memo }: Stage, random: Random): number => Number(memo.pick("window", random));
const settle = (random: Random): { settle_ms: number } => ({ settle_ms: random.pick([0, 0, 0, 50, 150]) });
const names = ["Press me", "Subscribe", "Name", "Volume", "Fruit 3", "Log in", "Basics", "no such thing"] as const;
const texts = ["Grüße", "你好 🎉", "a b c", "x".repeat(60), "line\nline"] as const;

/** Looking and acting on the desktop, with windows that come and go. */
export const desktopTurns: Turns = [
  [6, call(() => ["list_windows"])],
  [3, call(() => ["get_active_window"])],
  [2, call(() => ["list_displays"])],
  [3, call(() => ["get_mouse_position"])],
  [2, call(() => ["get_clipboard"])],
  [1, call(() => ["capabilities"])],
  [1, call((_, random) => ["list_apps", { installed: random.chance(0.3) }])],
  [
    8,
    call((_, random) => [
      "take_screenshot",
      { mode: "screen", max_side: random.pick([64, 320, 1280]), format: random.pick(["png", "jpeg", "webp"]) },
    ]),
  ],
  [6, call((stage, random) => ["take_screenshot", { window_title: titleOf(stage, random), max_side: 200 }])],
  [4, call((stage, random) => ["take_window_screenshot", { window_id: windowOf(stage, random), max_side: 200 }])],
  [
    3,
    call((_, random) => [
      "take_screenshot",
      { mode: "region", ...point(random), width: random.int(1, 400), height: random.int(1, 300) },
    ]),
  ],
  [
    6,
    call((stage, random) => [
      "take_ax_snapshot",
      {
        window_title: titleOf(stage, random),
        max_nodes: random.pick([20, 200]),
        format: random.pick(["text", "json"]),
      },
    ]),
  ],
  [6, call((stage, random) => ["find_elements", { name: random.pick(names), window_title: titleOf(stage, random) }])],
  [4, call((stage, random) => ["find_text", { text: random.pick(names), window_title: titleOf(stage, random) }])],
  [4, call((_, random) => ["element_at_point", point(random)])],
  [3, call(() => ["get_focused_element"])],
  [3, call(({ memo }, random) => ["read_text", { uid: memo.pick("app", random) }])],
  [2, call((stage, random) => ["wait_for", { window_title: titleOf(stage, random), timeout_ms: 300 }])],
  [
    2,
    call((stage, random) => [
      "wait_for",
      { condition: random.pick(["stable", "change"]), window_title: titleOf(stage, random), timeout_ms: 200 },
    ]),
  ],
  [
    2,
    call(({ memo }, random) => [
      "compare_screenshots",
      { before: memo.pick("shot", random), highlight: random.chance(0.3) },
    ]),
  ],
  [1, call((_, random) => ["ocr", { mode: "region", ...point(random), width: 300, height: 60 }])],
  [
    1,
    call((stage, random) => [
      "mark_regions",
      {
        window_title: titleOf(stage, random),
        sources: ["elements", "shapes"],
        include_image: random.chance(0.5),
        details: true,
      },
    ]),
  ],
  [3, call((_, random) => ["click", { ...point(random), ...settle(random) }])],
  [5, call(({ memo }, random) => ["click", { uid: memo.pick("app", random), ...settle(random) }])],
  [
    2,
    call((stage, random) => [
      "click",
      { text: random.pick(names), window_title: titleOf(stage, random), ...settle(random) },
    ]),
  ],
  [1, call(({ memo }, random) => ["click_region", { region_id: memo.pick("region", random), ...settle(random) }])],
  [
    5,
    call(({ memo }, random) => [
      random.pick(["ax_click", "ax_focus", "ax_toggle", "ax_select", "ax_expand"]),
      { uid: memo.pick("app", random), ...settle(random) },
    ]),
  ],
  [
    2,
    call(({ memo }, random) => [
      "ax_set_value",
      { uid: memo.pick("app", random), text: random.pick(texts), ...settle(random) },
    ]),
  ],
  [
    3,
    call((stage, random) => [
      "type_text",
      { text: random.pick(texts), window_title: titleOf(stage, random), ...settle(random) },
    ]),
  ],
  [
    3,
    call((_, random) => [
      "press_key",
      { key: random.pick(["tab", "escape", "a", "ctrl+a", "down"]), ...settle(random) },
    ]),
  ],
  [3, call((_, random) => ["scroll", { ...point(random), delta_y: random.int(-3, 3), ...settle(random) }])],
  [
    2,
    call((_, random) => [
      "drag",
      { start_x: 40, start_y: 300, end_x: random.int(50, 700), end_y: 320, steps: 5, step_ms: 0, ...settle(random) },
    ]),
  ],
  [3, call((_, random) => ["move_mouse", point(random)])],
  [2, call((_, random) => ["set_clipboard", { text: random.pick(texts) }])],
  [3, call((stage, random) => ["focus_window", { window_title: titleOf(stage, random) }])],
  [
    3,
    call((stage, random) => [
      "set_window",
      {
        window_title: titleOf(stage, random),
        action: random.pick(["front", "back", "restore", "maximize", "restore"]),
      },
    ]),
  ],
  [1, call((_, random) => ["ui_capture", { mode: "fullscreen", format: random.pick(["png", "jpeg"]) }])],
  [1, call(() => ["ui_list_windows"])],
  // A program that comes and goes through the product itself.
  [
    0.5,
    async ({ ask }, random) => {
      const launched = await ask("launch_app", { app_name: "galculator", timeout_ms: 10_000 });
      const pid = launched.kind === "done" ? launched.data["pid"] : undefined;
      await ask("take_ax_snapshot", { app_name: "galculator", max_nodes: 50 });
      await ask("quit_app", typeof pid === "number" ? { pid, force: random.chance(0.5) } : { app_name: "galculator" });
    },
  ],
  [
    0.3,
    async ({ ask }) => {
      const launched = await ask("debug_launch", { command: "galculator", timeoutMs: 10_000 });
      if (launched.kind !== "done") return;
      await ask("debug_ui", { sessionId: launched.data["sessionId"], maxNodes: 100 });
      await ask("quit_app", { pid: launched.data["pid"], force: true });
    },
  ],
  [
    0.5,
    async ({ ask, files }, random) => {
      await ask("start_recording", {
        output_dir: join(files.folder, "film"),
        fps: 10,
        max_duration_ms: 2_000,
        max_side: 200,
      });
      await ask("take_screenshot", { mode: "screen", max_side: 64 });
      if (random.chance(0.9)) await ask("stop_recording");
    },
  ],
  // The picture of a step, as a resource.
  [
    1,
    async ({ server: { client, isUp }, memo }, random) => {
      const uri = `handsight://frames/${memo.pick("shot", random)}`;
      if (isUp()) await client.readResource({ uri }).catch(() => undefined);
    },
  ],
];
