import { expect, test } from "vitest";
import type { Bus } from "../dbus/bus.ts";
import { Variant } from "../dbus/value.ts";
import { isOwnedBy, readMenu, toPlaces } from "./gtk-exports.ts";

const places = { bus: ":1.7", groups: { app: "/app", win: undefined }, menus: ["/menu"] };

type Item = ReadonlyMap<string, Variant>;
const entry = (label: string, action = "app.quit"): Item =>
  new Map([
    ["label", new Variant("s", label)],
    ["action", new Variant("s", action)],
  ]);
const submenu = (label: string, group: number): Item =>
  new Map([
    ["label", new Variant("s", label)],
    [":submenu", new Variant("(uu)", [group, 0])],
  ]);

/** A bus on which every menu group has these items. */
function busWith(items: (group: number) => readonly Item[]): { readonly bus: Bus; readonly asked: Set<number> } {
  const asked = new Set<number>();
  const call = async ({ member }: { readonly member: string }, _: string, [groups]: readonly [readonly number[]]) => {
    if (member !== "Start") return [];
    for (const group of groups) asked.add(group);
    return [groups.map((group) => [group, 0, items(group)])];
  };
  return { bus: { call } as unknown as Bus, asked };
}

test("only a unique name and object paths are asked", () => {
  const paths = ["/org/app", undefined, "/org/app/menus/menubar", undefined];
  expect(toPlaces(":1.7", paths)).toEqual({
    bus: ":1.7",
    groups: { app: "/org/app", win: undefined },
    menus: ["/org/app/menus/menubar"],
  });
  for (const name of ["org.bank.App", "", ":", ":1", ":1.7\n"]) expect(toPlaces(name, paths)).toBeUndefined();
  for (const path of ["org/app", "/org//app", "/org/", "/a b"]) expect(toPlaces(":1.7", [path])).toBeUndefined();
});

test("the name must belong to the process of the window", async () => {
  const bus = { callDaemon: async () => [42] } as unknown as Bus;
  expect(await isOwnedBy(bus, places, 42, {})).toBe(true);
  expect(await isOwnedBy(bus, places, 43, {})).toBe(false);
});

test("a menu that contains itself ends there", async () => {
  const { bus } = busWith((group) => [entry(`Entry ${group}`), submenu("Again", 0), submenu("More", 1)]);
  const entries = await readMenu(bus, places, "/menu", {});
  expect(entries.map(({ path }) => path.join(" > "))).toEqual(["Entry 0", "More > Entry 1"]);
});

test("menus that share submenus are read up to a limit", async () => {
  const { bus, asked } = busWith((group) => [
    entry("Entry"),
    ...Array.from({ length: 50 }, (_, index) => submenu(`To ${index}`, group * 50 + index + 1)),
  ]);
  await readMenu(bus, places, "/menu", {});
  expect(asked.size).toBeLessThanOrEqual(400);
  const full = busWith((group) => [
    ...Array.from({ length: 30 }, () => entry("Entry")),
    ...Array.from({ length: 30 }, () => submenu("Deeper", group + 1)),
  ]);
  expect((await readMenu(full.bus, places, "/menu", {})).length).toBeLessThanOrEqual(4_000);
});
