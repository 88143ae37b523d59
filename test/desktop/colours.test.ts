import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("elements are found with their colours, if that is asked for", async () => {
  const { handsight } = await openApp("gtk3_controls", "GTK3 Controls");
  const find = { role: "button", name: "Press me" };
  const plain = (await handsight.call("find_elements", find))["elements"] as readonly object[];
  expect(plain[0]).not.toHaveProperty("background");
  const { data, text } = await handsight.ask("find_elements", { ...find, colors: true });
  const [button] = data["elements"] as readonly { readonly background: string; readonly color: string }[];
  expect(button).toMatchObject({
    background: expect.stringMatching(/^#[0-9a-f]{6}$/) as string,
    color: expect.stringMatching(/^#[0-9a-f]{6}$/) as string,
  });
  // A light button with dark letters, in the theme of the test desktop.
  const light = (colour: string): number => Number.parseInt(colour.slice(1, 3), 16);
  expect(light(button?.background ?? "")).toBeGreaterThan(light(button?.color ?? "") + 60);
  expect(text).toContain(`${button?.color} on ${button?.background}`);
});
