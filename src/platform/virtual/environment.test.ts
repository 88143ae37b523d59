import { expect, test } from "vitest";
import { desktopEnvironment } from "./environment.ts";
import { markerName } from "./processes.ts";

const place = { id: "inner", folder: "/tmp/inner", display: ":7", scale: 2 };

test("leads programs to the private display and buses and away from the person's session", () => {
  const env = desktopEnvironment(
    { HOME: "/somewhere", DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0", NO_AT_BRIDGE: "1", GTK_IM_MODULE: "ibus" },
    place,
  );
  expect(env).toMatchObject({
    HOME: "/somewhere",
    DISPLAY: ":7",
    XAUTHORITY: "/tmp/inner/Xauthority",
    XDG_RUNTIME_DIR: "/tmp/inner/run",
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/tmp/inner/run/bus",
    GDK_BACKEND: "x11",
    QT_QPA_PLATFORM: "xcb",
    XCURSOR_SIZE: "48",
  });
  for (const name of ["WAYLAND_DISPLAY", "NO_AT_BRIDGE", "GTK_IM_MODULE", "AT_SPI_BUS_ADDRESS"])
    expect(env).not.toHaveProperty(name);
});

test("drops every variable that would scale a second time", () => {
  const env = desktopEnvironment(
    { GDK_SCALE: "2", GDK_DPI_SCALE: "0.5", QT_SCALE_FACTOR: "2", QT_FONT_DPI: "192" },
    place,
  );
  expect(Object.keys(env).filter((name) => /^GDK.*SCALE|QT_SCALE_FACTOR$|QT_FONT/.test(name))).toEqual([]);
});

test("a desktop inside a desktop has both marks, so ending the outer one ends it, too", () => {
  expect(desktopEnvironment({ [markerName]: "outer" }, place)).toHaveProperty(markerName, "outer:inner");
  expect(desktopEnvironment({}, place)).toHaveProperty(markerName, "inner");
});
