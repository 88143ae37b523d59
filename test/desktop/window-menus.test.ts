import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

// There are two windows, so the menu has to be one's and not the other's.
test("an open menu is part of the window that opened it: in its snapshot, for a text, a selector and a uid", async () => {
  const { handsight, app, windowId } = await openApp("gtk3_popups", "Letters", { app: ["--title", "Letters"] });
  const open = async (): Promise<string> => {
    app.tell("menu");
    const { element } = await handsight.call("wait_for", { selector: 'MenuItem:"Zebra two"', window_id: windowId });
    return (element as { uid: string }).uid;
  };
  const chosen: unknown[] = [];
  for (const target of ["snapshot", "text", "selector"] as const) {
    await open();
    const { snapshot } = await handsight.call("take_ax_snapshot", { window_id: windowId });
    expect(snapshot).toMatch(/window "Letters"[^]*menuitem "Zebra one" \w+\n[^]*menuitem "Zebra four"/);
    const [, uid] = /menuitem "Zebra two" (\w+)/.exec(String(snapshot)) ?? [];
    const by = { snapshot: { uid }, text: { text: "Zebra two" }, selector: { selector: 'MenuItem:"Zebra two"' } }[
      target
    ];
    chosen.push((await handsight.call("click", { ...by, window_id: windowId }))["effect"]);
  }
  expect(chosen).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(app.events.filter(({ event }) => event === "chosen").map(({ name }) => name)).toEqual(
    Array(3).fill("Zebra two"),
  );
});
