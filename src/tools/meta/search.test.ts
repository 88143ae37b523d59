import { describe, expect, test } from "vitest";
import { selectTools } from "../registry.ts";
import { searchTools } from "./search.ts";

const tools = selectTools(["default"]);

/** What somebody would ask who does not know the names. */
const questions: readonly (readonly [query: string, tool: string])[] = [
  ["take a picture of the screen", "take_screenshot"],
  ["screenshot of one window", "take_window_screenshot"],
  ["which windows are open", "list_windows"],
  ["switch to another window", "focus_window"],
  ["bring a window to the front", "focus_window"],
  ["maximize the window", "set_window"],
  ["move and resize a window", "set_window"],
  ["which window is active right now", "get_active_window"],
  ["how many monitors are there", "list_displays"],
  ["start a program", "launch_app"],
  ["kill an application", "quit_app"],
  ["which programs are installed", "list_apps"],
  ["double click", "click"],
  ["press a button with the mouse", "click"],
  ["write text", "type_text"],
  ["keyboard shortcut ctrl+s", "press_key"],
  ["mouse wheel", "scroll"],
  ["drag and drop", "drag"],
  ["hover over something", "move_mouse"],
  ["where is the cursor", "get_mouse_position"],
  ["read what was copied", "get_clipboard"],
  ["copy text to the clipboard", "set_clipboard"],
  ["accessibility tree of an app", "take_ax_snapshot"],
  ["find a word on the screen", "find_text"],
  ["look for buttons by role", "find_elements"],
  ["what is at this position", "element_at_point"],
  ["which field has the keyboard focus", "get_focused_element"],
  ["read the text of a field", "read_text"],
  ["native press of a button without the mouse", "ax_click"],
  ["move a slider to a value", "ax_set_value"],
  ["choose a row of a list", "ax_select"],
  ["tick a check box", "ax_toggle"],
  ["unfold a tree item", "ax_expand"],
  ["give the keyboard focus to a field", "ax_focus"],
  ["scroll an element into view", "ax_scroll"],
  ["wait until a dialog appears", "wait_for"],
  ["what is in the menus of an app", "list_commands"],
  ["choose a menu entry", "run_command"],
  ["do several things in one call", "run_steps"],
  ["play a recorded flow file", "run_flow"],
  ["find mistakes in a flow file", "check_flow"],
  ["OCR", "ocr"],
  ["read the words in a picture", "ocr"],
  ["load a picture file", "load_image"],
  ["find an icon on the screen", "find_image"],
  ["template matching", "find_image"],
  ["compare two screenshots", "compare_screenshots"],
  ["what is different between two pictures", "compare_screenshots"],
  ["number everything that can be clicked", "mark_regions"],
  ["click a numbered mark", "click_region"],
  ["describe what the screen shows", "describe_screen"],
  ["record a video", "start_recording"],
  ["end the recording", "stop_recording"],
  ["note what the mouse hovers over", "start_hover_tracking"],
  ["make a flow of what the person does", "start_demonstration"],
  ["end the demonstration", "stop_demonstration"],
  ["save what was done in this session as a flow", "save_flow"],
  ["what has the pointer rested on", "get_hover_events"],
  ["end hover tracking", "stop_hover_tracking"],
  ["draw the numbers on the person's screen", "show_overlay"],
  ["remove the outlines from the screen", "hide_overlay"],
  ["let the user point at the element they mean", "pick_element"],
  ["watch what changes in a window", "start_watching"],
  ["what has happened in the watched window", "get_ui_events"],
  ["stop watching", "stop_watching"],
  ["attach to a running Chrome", "cdp_connect"],
  ["open a browser", "cdp_launch"],
  ["close the browser", "cdp_close"],
  ["html of the page", "cdp_take_dom_snapshot"],
  ["css selector in a web page", "cdp_find_elements"],
  ["fill a field of a web form", "cdp_fill"],
  ["accept an alert of a page", "cdp_handle_dialog"],
  ["go to a url", "cdp_navigate"],
  ["reload the page", "cdp_navigate"],
  ["open a new tab", "cdp_new_page"],
  ["close a tab", "cdp_close_page"],
  ["list browser tabs", "cdp_list_pages"],
  ["switch to another tab", "cdp_select_page"],
  ["run javascript", "cdp_evaluate_script"],
  ["which phones are connected", "android_list_devices"],
  ["connect to an emulator", "android_connect"],
  ["screenshot of the phone", "android_screenshot"],
  ["swipe on the phone", "android_swipe"],
  ["long press on android", "android_long_press"],
  ["press the home key of the device", "android_press_key"],
  ["open an app on the phone", "android_launch_app"],
  ["packages installed on the device", "android_list_apps"],
  ["resolution of the phone's display", "android_get_display_info"],
  ["which activity is in the foreground", "android_get_current_activity"],
  ["let an agent do a whole task", "run_agent"],
  ["what works on this machine", "capabilities"],
];

describe("a plain question finds the tool among the first three", () => {
  test.each(questions)("%s → %s", (query, tool) => {
    const found = searchTools(tools, query).map(({ name }) => name);
    expect(found.slice(0, 3), found.slice(0, 8).join(" ")).toContain(tool);
  });

  test("every tool is asked for", () => {
    const asked = new Set(questions.map(([, tool]) => tool));
    // Found by the same words as the tool of the desktop, and listed beside it.
    const twins =
      /^(?:cdp|android)_(?:click|hover|press_key|type_text|wait_for|element_at_point|find_text|snapshot|disconnect)$/;
    const own = ["act", "find_tools", "call_tool"];
    expect(
      tools.map(({ name }) => name).filter((name) => !asked.has(name) && !twins.test(name) && !own.includes(name)),
    ).toEqual([]);
  });
});

test.each(tools.map(({ name }) => name))("its own name finds %s first", (name) => {
  expect(searchTools(tools, name)[0]?.name).toBe(name);
  expect(searchTools(tools, name.replaceAll("_", " "))[0]?.name).toBe(name);
});

test("words that no tool has find nothing", () => {
  expect(searchTools(tools, "quantum chromodynamics")).toEqual([]);
  expect(searchTools(tools, "?!")).toEqual([]);
});
