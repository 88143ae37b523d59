import { expect, test } from "vitest";
import { textIn } from "../../bench/suites/osworld-items.ts";

test.each([
  ['Click the "Later" button in the popup.', "Later"],
  ["Click on 'Send by mail...'", "Send by mail..."],
  ['Select "Wallpaper" from the "View" menu.', "Wallpaper"],
  ['Click the arrow next to "Size"', undefined],
  ['Click the dropdown menu labeled "Folder"', undefined],
  ['Click the "Orientation" dropdown on the right', undefined],
  ["Open the settings", undefined],
])("%s names the text %s", (instruction, text) => {
  expect(textIn(instruction)).toBe(text);
});
