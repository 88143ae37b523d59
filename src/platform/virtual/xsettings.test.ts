import { expect, test } from "vitest";
import { desktopSettings, encodeSettings } from "./xsettings.ts";

test("encodes numbers and texts as the XSETTINGS specification says", () => {
  const bytes = encodeSettings({ "A/Bcde": -2, Name: "value" });
  const number = "\0\0\x06\0A/Bcde\0\0\0\0\0\0\xfe\xff\xff\xff";
  const text = "\x01\0\x04\0Name\0\0\0\0\x05\0\0\0value\0\0\0";
  expect(bytes.toString("latin1")).toBe(`\0\0\0\0\0\0\0\0\x02\0\0\0${number}${text}`);
});

test.each([1, 1.25, 1.5, 2, 2.5, 3])("window scale times text scale is %d", (scale) => {
  const settings = desktopSettings(scale);
  const whole = Number(settings["Gdk/WindowScalingFactor"]);
  expect(Number.isInteger(whole)).toBe(true);
  expect((whole * Number(settings["Gdk/UnscaledDPI"])) / (96 * 1024)).toBeCloseTo(scale, 3);
});
