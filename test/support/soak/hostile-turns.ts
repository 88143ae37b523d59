import { join } from "node:path";
import { allTools } from "../../../src/tools/registry.ts";
import type { Random } from "../../fixtures/ocr/random.ts";
import { call, type Turns } from "./turn.ts";

const junk = [
  null,
  true,
  -1,
  1e300,
  "",
  "\0",
  "💥",
  "../../etc/passwd",
  "x".repeat(5_000),
  [],
  {},
  ["a"],
  { a: 1 },
] as const;

/** Some of the tool's own fields and some unknown ones, each with a value of any kind. */
function garbage(fields: readonly string[], random: Random): Record<string, unknown> {
  const chosen = Array.from({ length: random.int(0, 4) }, () => random.pick([...fields, "__proto__", "nonsense"]));
  return Object.fromEntries(chosen.map((name) => [name, random.pick(junk)]));
}

/** These wait, ask a model, or start something that nobody would end. */
const leftOut =
  /^(run_agent|describe_screen|launch_app|debug_launch|cdp_launch|cdp_connect|cdp_disconnect|android_connect|android_disconnect|wait_for|ui_wait|quit_app|start_recording)$/;
const tools = allTools.filter(({ name }) => !leftOut.test(name));
const megabytes = (count: number): string => "A".repeat(count * 1_000_000);

/** Files that are not files, unexpected input, peers of the wrong kind, and clients that change their minds. */
export const hostileTurns: Turns = [
  [
    12,
    call((_, random) => {
      const tool = random.pick(tools);
      return [tool.name, garbage(Object.keys(tool.input.shape), random)];
    }),
  ],
  [1, call(() => ["no_such_tool"])],
  [5, call(({ files }, random) => ["load_image", { path: random.pick(files.odd) }])],
  [
    3,
    call(({ files }, random) => [
      "take_screenshot",
      { mode: "screen", max_side: 64, file_path: random.pick(files.odd), format: "png" },
    ]),
  ],
  [
    2,
    call(({ files }, random) => [
      "android_screenshot",
      { max_side: 64, file_path: random.pick(files.odd), format: "png" },
    ]),
  ],
  [1, call(({ files }, random) => ["start_recording", { output_dir: random.pick(files.odd), max_duration_ms: 200 }])],
  [2, call(({ files }) => ["load_image", { path: files.picture }])],
  [2, call(({ files }) => ["load_image", { image_base64: files.pictureBase64, return_base64: true }])],
  [
    1,
    call(({ memo, files }, random) => [
      "find_image",
      { template_id: memo.pick("image", random), screenshot_image_base64: files.pictureBase64 },
    ]),
  ],
  [0.5, call(({ memo }, random) => ["find_image", { template_id: memo.pick("image", random), max_results: 3 }])],
  [
    1,
    call(({ files }) => [
      "take_screenshot",
      { mode: "screen", max_side: 64, file_path: join(files.folder, "written.png"), format: "png" },
    ]),
  ],
  [0.6, call((_, random) => ["load_image", { image_base64: megabytes(random.pick([1, 3, 12])) }])],
  [0.3, call(() => ["set_clipboard", { text: megabytes(2) }])],
  [0.3, call(() => ["find_elements", { selector: megabytes(1) }])],
  [0.3, call(() => ["cdp_evaluate_script", { function: `() => "${megabytes(1)}"`, timeout: 1_000 }])],
  [0.3, call(() => ["android_type_text", { text: megabytes(1), settle_ms: 0 }])],
  [0.7, call(({ ports }, random) => ["cdp_connect", { port: random.pick(ports.hostile) }])],
  [0.3, call(({ ports }, random) => ["android_connect", { serial: `127.0.0.1:${random.pick(ports.hostile)}` }])],
  [1, call(() => ["android_connect", { serial: "127.0.0.1:1" }])],
  // Cancelled at any moment, even before the server has received them.
  [
    3,
    ({ ask, apps }, random) =>
      ask(
        "wait_for",
        { window_title: "no such window", timeout_ms: 20_000, app_name: random.pick(apps).title },
        { cancelAfterMs: random.int(0, 150) },
      ),
  ],
  [
    2,
    ({ ask }, random) =>
      ask(
        "drag",
        { start_x: 40, start_y: 300, end_x: 700, end_y: 320, steps: 100, step_ms: 20, settle_ms: 0 },
        { cancelAfterMs: random.int(0, 100) },
      ),
  ],
  [
    2,
    ({ ask, apps }, random) =>
      ask(
        "type_text",
        { text: "x".repeat(2_000), window_title: random.pick(apps).title, delay_ms: 5, settle_ms: 0 },
        { cancelAfterMs: random.int(0, 100) },
      ),
  ],
  [2, ({ ask }, random) => ask("take_screenshot", { mode: "screen" }, { cancelAfterMs: random.int(0, 20) })],
  [
    2,
    ({ ask }, random) =>
      ask("cdp_wait_for", { text: ["never"], timeout: 20_000 }, { cancelAfterMs: random.int(0, 100) }),
  ],
  [1, ({ ask }, random) => ask("cdp_take_dom_snapshot", {}, { cancelAfterMs: random.int(0, 20) })],
  [2, ({ ask }, random) => ask("android_snapshot", {}, { cancelAfterMs: random.int(0, 30) })],
  [0.5, ({ ask }, random) => ask("ocr", { mode: "screen" }, { cancelAfterMs: random.int(0, 200) })],
  [
    0.3,
    ({ ask, ports }, random) =>
      ask("cdp_connect", { port: random.pick(ports.hostile) }, { cancelAfterMs: random.int(0, 300) }),
  ],
];
