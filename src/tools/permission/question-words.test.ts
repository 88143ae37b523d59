import { expect, test } from "vitest";
import type { WindowInfo } from "../../platform/backend.ts";
import { describeCall } from "./question-words.ts";
import { allTools } from "../registry.ts";

const notes = { title: "Notes", appName: "mousepad" } as WindowInfo;
const windows = [notes];
const button = { role: "button", name: "Save" } as never;

test.each([
  ["click", { x: 1, y: 2 }, { windows }, 'click in the window "Notes" (mousepad)'],
  ["click", { uid: "a1g1" }, { windows, node: button }, 'click on the button "Save" in the window "Notes" (mousepad)'],
  ["click", { selector: "Button:OK" }, { windows }, 'click on "Button:OK" in the window "Notes" (mousepad)'],
  ["type_text", { text: "a\nb" }, { windows }, 'type text "a\\nb" in the window "Notes" (mousepad)'],
  ["press_key", { key: "ctrl+s" }, {}, 'press the key "ctrl+s"'],
  ["quit_app", { app_name: "gimp" }, {}, 'quit the app "gimp"'],
  ["launch_app", { app_name: "gimp", args: ["a.png"] }, {}, 'start "gimp a.png"'],
  ["cdp_launch", { args: ["--x"], profile: "/p" }, {}, 'start a browser with the profile "/p" with "--x"'],
  ["press_key", { key: "q", modifiers: ["ctrl"] }, {}, 'press the key "ctrl+q"'],
  ["set_window", { action: "close" }, { windows }, 'close the window "Notes" (mousepad)'],
  ["quit_app", { pid: 7, force: true }, {}, "kill the app with pid 7"],
  ["run_agent", { goal: "save it", app: "mousepad" }, {}, 'let handsight pursue the goal "save it"'],
  [
    "cdp_connect",
    { host: "evil.example", port: 9 },
    {},
    'connect to the browser on "evil.example:9" and see and use its pages',
  ],
  ["cdp_click", { uid: "d1" }, { page: { id: "page:1", title: "Shop", url: "http://x" } }, 'click in the page "Shop"'],
  ["android_click", { x: 1, y: 1 }, { device: "emulator-5554" }, 'tap on the device "emulator-5554"'],
  [
    "drag",
    { start_x: 1, start_y: 1, end_x: 9, end_y: 9 },
    { windows: [notes, { ...notes, title: "Mail", appName: "" }] },
    'drag in the windows "Notes" (mousepad) and "Mail"',
  ],
  ["ui_click", { x: 1, y: 1 }, {}, "click"],
])("%s %j is asked about as a person would say it", (name, input, touched, words) => {
  const tool = allTools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  expect(describeCall(tool, input, touched)).toBe(words);
});
