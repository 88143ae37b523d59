import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../simulators/android/lab.ts";
import { small } from "../simulators/android/session.ts";
import { doorNames, heldIn, openDoor, type Door, type DoorName } from "../support/doors.ts";
import { removeFolderNow } from "../support/remove-folder.ts";
import { visitorAt } from "../support/visitor.ts";
import { answerTo } from "./attacks/oracle.ts";

/**
 * On two devices, "Settings" may be used, "Notes" may be looked at, and "Contacts" may not be seen. The first device is the
 * one that the tools take when none is named.
 */
const folder = mkdtempSync(join(tmpdir(), "handsight-device-attacks-"));
const rules = join(folder, "policy.json");
writeFileSync(
  rules,
  JSON.stringify({
    rules: [{ window: "*NotesActivity", access: "act", verdict: "deny" }],
    blockedWindowPatterns: ["*contacts*"],
  }),
);

let lab: AndroidLab;
let first: AndroidTarget;
let second: AndroidTarget;
const doors = {} as Record<DoorName, Door>;
const zero = () => ({ MCP: 0, HTTP: 0, CLI: 0 });
const [tried, held, asked, silent] = [zero(), zero(), zero(), zero()];

beforeAll(async () => {
  lab = await startAndroid({ ...small, devices: 2 });
  [first, second] = lab.devices as [AndroidTarget, AndroidTarget];
  for (const name of doorNames) doors[name] = await openDoor[name](lab.env, ["--rules", rules, "--settle-ms", "0"]);
  for (const name of doorNames) {
    // The last one is the default.
    for (const { serial } of [second, first].slice(name === "CLI" ? 1 : 0))
      await visitorAt(doors[name]).call("android_connect", { serial });
  }
}, 90_000);

afterAll(async () => {
  for (const door of Object.values(doors)) await door[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
  removeFolderNow(folder);
  console.log(`what is decided about is what is acted on, on devices: ${heldIn(held, tried)}`);
  console.log(`what may not be seen matches nothing, on devices: ${heldIn(silent, asked)}`);
});

/** What one app shows on the first device. */
interface Refs {
  readonly uid: string;
  readonly other: string;
  readonly region: number;
  readonly regionId: string;
  readonly shot: string;
  readonly at: { readonly x: number; readonly y: number };
}

interface Stage {
  readonly settings: Refs;
  readonly notes: Refs;
  readonly surface: string;
  readonly serial: string;
  readonly secondSurface: string;
}

async function readRefs(door: DoorName, app: string): Promise<Refs> {
  const { call } = visitorAt(doors[door]);
  const surface = `android:${first.serial}`;
  first.open(app);
  const { regions } = await call("mark_regions", { surface, include_image: false, details: true });
  const [region] = (regions as { region: number; region_id: string }[]).slice(-1);
  const { screenshot_id } = await call("take_screenshot", { surface });
  const { elements } = await call("find_elements", { surface, selector: "*", max_results: 100 });
  type Found = { uid: string; click_point?: { x: number; y: number } };
  const [one, two] = (elements as Found[]).filter(({ click_point }) => (click_point?.y ?? 9_999) < 1_200).slice(-2);
  return {
    uid: one?.uid ?? "",
    other: two?.uid ?? "",
    region: region?.region ?? 0,
    regionId: region?.region_id ?? "",
    shot: screenshot_id as string,
    at: one?.click_point ?? { x: 0, y: 0 },
  };
}

type Row = readonly [what: string, tool: string, args: (refs: Refs, stage: Stage) => object];

/** Notes is in front; what is named was seen while another app was, or on another device. */
const rows: readonly Row[] = [
  ["uid", "android_click", ({ uid }) => ({ uid })],
  ["a region", "android_click", ({ region }) => ({ region })],
  ["a region by id", "android_click", ({ regionId }) => ({ region_id: regionId })],
  ["a pixel of its picture", "android_click", ({ at, shot }) => ({ ...at, screenshot_id: shot })],
  ["a point", "android_click", ({ at }) => at],
  ["uid, held", "android_long_press", ({ uid }) => ({ uid })],
  ["a region, held", "android_long_press", ({ regionId }) => ({ region_id: regionId })],
  ["a pixel, held", "android_long_press", ({ at, shot }) => ({ ...at, screenshot_id: shot })],
  ["a swipe over its picture", "android_swipe", ({ at, shot }) => ({ ...swipe(at), screenshot_id: shot })],
  ["a swipe", "android_swipe", ({ at }) => swipe(at)],
  ["text", "android_type_text", () => ({ text: "x" })],
  ["a key", "android_press_key", () => ({ key: "KEYCODE_ENTER" })],
  ["uid, no surface", "click", ({ uid }) => ({ uid })],
  ["uid", "click", ({ uid }, { surface }) => ({ uid, surface })],
  ["uid, title of Settings", "click", ({ uid }, { surface }) => ({ uid, surface, window_title: "Settings" })],
  ["a point, title of Settings", "click", ({ at }, { surface }) => ({ ...at, surface, window_title: "Settings" })],
  [
    "a point, app of Settings",
    "click",
    ({ at }, { surface }) => ({ ...at, surface, app_name: "com.android.settings" }),
  ],
  ["a region", "click_region", ({ region }, { surface }) => ({ region, surface })],
  ["a pixel of its picture", "click", ({ at, shot }, { surface }) => ({ ...pixel(at, shot), surface })],
  ["a pixel of its picture, no surface", "click", ({ at, shot }) => pixel(at, shot)],
  ["a text", "click", (_refs, { surface }) => ({ text: "Save", surface })],
  ["pressed natively", "ax_click", ({ uid }, { surface }) => ({ uid, surface })],
  ["a value set natively", "ax_set_value", ({ uid }, { surface }) => ({ uid, text: "x", surface })],
  ["act: press, no surface", "act", ({ uid }) => ({ action: "press", uid })],
  ["act: a key", "act", (_refs, { surface }) => ({ action: "key", key: "a", surface })],
  ["a drag by uid", "drag", ({ uid, other }, { surface }) => ({ uid, to_uid: other, surface })],
  ["a drag", "drag", ({ at }, { surface }) => ({ ...swipe(at), surface })],
  ["the wheel", "scroll", ({ at }, { surface }) => ({ ...at, direction: "down", surface })],
  ["text at a uid", "type_text", ({ uid }, { surface }) => ({ text: "x", uid, surface })],
  ["text into a field by name", "type_text", (_refs, { surface }) => ({ text: "x", into: "Note", surface })],
  [
    "a key, app of Settings",
    "press_key",
    (_refs, { surface }) => ({ key: "a", surface, app_name: "com.android.settings" }),
  ],
  ["a key", "press_key", (_refs, { surface }) => ({ key: "enter", surface })],
];

/** What belongs to the first device is used on the second, which shows Notes. */
const elsewhere: readonly Row[] = [
  ["uid of the other device", "android_click", ({ uid }) => ({ uid, serial: second.serial })],
  ["a region of the other device", "android_click", ({ regionId }) => ({ region_id: regionId, serial: second.serial })],
  [
    "a picture of the other device",
    "android_click",
    ({ at, shot }) => ({ ...at, screenshot_id: shot, serial: second.serial }),
  ],
  ["uid of the other device", "click", ({ uid }, { secondSurface }) => ({ uid, surface: secondSurface })],
  [
    "a region of the other device",
    "click",
    ({ regionId }, { secondSurface }) => ({ region_id: regionId, surface: secondSurface }),
  ],
  [
    "a picture of the other device",
    "click",
    ({ at, shot }, { secondSurface }) => ({ ...pixel(at, shot), surface: secondSurface }),
  ],
  [
    "uid of the other device",
    "act",
    ({ uid }, { secondSurface }) => ({ action: "press", uid, surface: secondSurface }),
  ],
  [
    "uid of the other device",
    "type_text",
    ({ uid }, { secondSurface }) => ({ text: "x", uid, surface: secondSurface }),
  ],
];

type Point = Refs["at"];
const swipe = ({ x, y }: Point) => ({ start_x: x, start_y: y, end_x: x + 40, end_y: y + 100 });
const pixel = ({ x, y }: Point, screenshot_id: string) => ({ screenshot_x: x, screenshot_y: y, screenshot_id });

async function expectHeld(door: DoorName, tool: string, args: object): Promise<void> {
  tried[door]++;
  for (const device of lab.devices) device.forget();
  const { isError, data } = await doors[door].ask(tool, args);
  expect(isError, JSON.stringify(data).slice(0, 400)).toBe(true);
  const { code } = data["error"] as { code: string };
  const refusals = [
    "denied",
    "invalid_argument",
    "not_found",
    "uid_not_found",
    "snapshot_expired",
    "stale_frame",
    "region_expired",
  ];
  expect(refusals, JSON.stringify(data).slice(0, 400)).toContain(code);
  for (const device of lab.devices) expect(device.events(), "it has reached the device").toEqual([]);
  held[door]++;
}

describe.each(["MCP", "HTTP"] as const)("an app under the name of another, over %s:", (door) => {
  let stage: Stage;
  beforeAll(async () => {
    const notes = await readRefs(door, "Notes");
    const settings = await readRefs(door, "Settings");
    const surface = `android:${first.serial}`;
    stage = { notes, settings, surface, serial: first.serial, secondSurface: `android:${second.serial}` };
    for (const refs of [notes, settings]) expect(Object.values(refs).filter((value) => !value)).toEqual([]);
    first.open("Notes");
    second.open("Notes");
  }, 60_000);
  const some = <T>(all: readonly T[]): readonly T[] => all.filter((_row, index) => door === "MCP" || index % 3 === 0);

  test.each(some(rows))("of Settings: %s (%s)", (_what, tool, args) =>
    expectHeld(door, tool, args(stage.settings, stage)),
  );
  test.each(some(elsewhere))("%s (%s)", (_what, tool, args) => expectHeld(door, tool, args(stage.settings, stage)));

  test("Settings takes all of it", async () => {
    first.open("Settings");
    for (const [tool, args] of [
      ["android_click", { x: 300, y: 900 }],
      ["click", { x: 300, y: 900, surface: stage.surface }],
      ["android_press_key", { key: "KEYCODE_DPAD_DOWN" }],
    ] as const)
      expect((await doors[door].ask(tool, args)).isError, tool).toBe(false);
  });
});

test("an app under the name of another, on the command line", { timeout: 60_000 }, async () => {
  first.open("Notes");
  const surface = `android:${first.serial}`;
  for (const [tool, args] of [
    ["android_click", { x: 300, y: 300 }],
    ["click", { text: "Save", surface }],
    ["type_text", { text: "x", surface, app_name: "com.android.settings" }],
  ] as const)
    await expectHeld("CLI", tool, args);
});

/** Every tool that looks for something, and how it is named. */
const oracles: readonly (readonly [tool: string, args: object, as: string])[] = [
  ["android_find_text", {}, "text"],
  ["find_text", { surface: "" }, "text"],
  ["find_elements", { surface: "" }, "name"],
  ["find_elements", { surface: "", role: "text" }, "window_title"],
  ["wait_for", { surface: "", timeout_ms: 0 }, "window_title"],
  ["wait_for", { surface: "", timeout_ms: 0 }, "app_name"],
  ["wait_for", { surface: "", timeout_ms: 0, condition: "window_closed" }, "window_title"],
  ["wait_for", { surface: "", timeout_ms: 0, condition: "element" }, "text"],
  ["take_ax_snapshot", { surface: "" }, "window_title"],
  ["take_ax_snapshot", { surface: "" }, "app_name"],
  ["take_screenshot", { surface: "", mode: "window" }, "window_title"],
  ["click", { surface: "" }, "text"],
  ["click", { surface: "", x: 300, y: 300 }, "window_title"],
  ["read_text", { surface: "" }, "text"],
  ["type_text", { surface: "", text: "x" }, "into"],
  ["type_text", { surface: "", text: "x" }, "app_name"],
  ["press_key", { surface: "", key: "a" }, "window_title"],
  ["mark_regions", { surface: "", include_image: false }, "app_name"],
];

/** Part of what is written there, of the activity and of the package. */
const names = [
  ["Contacts", "Nobodies"],
  ["ListActivity", "NoneActivity"],
  ["example.contac", "example.nobody"],
] as const;

describe.each([
  ["MCP", 1],
  ["HTTP", 3],
  ["CLI", 17],
] as const)("what a device may not show matches nothing, over %s:", (door, step) => {
  beforeAll(() => first.open("Contacts"));
  const surface = (): string => `android:${first.serial}`;

  test("by name", { timeout: 90_000 }, async () => {
    const all = oracles.flatMap(([tool, args, as]) =>
      names.map(([own, absent]) => [tool, args, as, own, absent] as const),
    );
    const differing: string[] = [];
    for (const [tool, args, as, own, absent] of all.filter((_row, index) => index % step === 0)) {
      asked[door]++;
      const given = { ...args, ...("surface" in args ? { surface: surface() } : {}) };
      const ask = (value: string) => answerTo(doors[door], tool, given, { [as]: value });
      const [theirs, nobodys] = [await ask(own), await ask(absent)];
      if (theirs === nobodys) silent[door]++;
      else differing.push(`${tool} ${JSON.stringify(given)} ${as} ${own}:\n  ${theirs}\n  ${nobodys}`);
    }
    expect(differing).toEqual([]);
  });

  test("in no look and no refusal", { timeout: 60_000 }, async () => {
    const looks: readonly (readonly [string, object])[] = [
      ["android_get_current_activity", {}],
      ["android_snapshot", {}],
      ["android_click", { x: 300, y: 300 }],
      ["take_ax_snapshot", { surface: surface() }],
      ["element_at_point", { x: 300, y: 300, surface: surface() }],
      ["get_focused_element", { surface: surface() }],
      ["ocr", { surface: surface() }],
      ["android_screenshot", { include_ocr: true }],
      ["mark_regions", { surface: surface(), include_image: false }],
    ];
    const telling: string[] = [];
    for (const [tool, args] of looks.filter((_look, index) => door !== "CLI" || index % 4 === 0)) {
      asked[door]++;
      const { data, text: told } = await doors[door].ask(tool, args);
      const text = JSON.stringify([data, told]);
      if (/contact|ListActivity/i.test(text)) telling.push(`${tool}: ${text}`);
      else silent[door]++;
    }
    expect(telling).toEqual([]);
  });
});
