import { join } from "node:path";
import { markerName } from "./processes.ts";

/** What distinguishes one desktop from another for the programs inside it. */
export interface DesktopPlace {
  readonly id: string;
  /** Contains the cookie, the configuration and, below `run`, every socket of the desktop. */
  readonly folder: string;
  readonly display: string;
  readonly scale: number;
}

export const runtimeFolder = (folder: string): string => join(folder, "run");
export const authorityPath = (folder: string): string => join(folder, "Xauthority");
export const sessionBus = (folder: string): string => `unix:path=${join(runtimeFolder(folder), "bus")}`;

/**
 * Variables of the surrounding session that would lead a program out of the private desktop (another display, session
 * manager or input method), turn accessibility off, or scale a second time.
 */
const foreign = [
  "WAYLAND_DISPLAY",
  "WAYLAND_SOCKET",
  "SESSION_MANAGER",
  "DESKTOP_STARTUP_ID",
  "XDG_ACTIVATION_TOKEN",
  "XDG_CURRENT_DESKTOP",
  "XDG_SESSION_ID",
  "XDG_SESSION_DESKTOP",
  "DESKTOP_SESSION",
  "GNOME_SETUP_DISPLAY",
  "WINDOWID",
  "DBUS_STARTER_ADDRESS",
  "DBUS_STARTER_BUS_TYPE",
  "AT_SPI_BUS",
  "AT_SPI_BUS_ADDRESS",
  "NO_AT_BRIDGE",
  "GTK_A11Y",
  "GTK_IM_MODULE",
  "QT_IM_MODULE",
  "QT_IM_MODULES",
  "XMODIFIERS",
  "GDK_SCALE",
  "GDK_DPI_SCALE",
  "QT_SCALE_FACTOR",
  "QT_SCREEN_SCALE_FACTORS",
  "QT_FONT_DPI",
  "QT_USE_PHYSICAL_DPI",
  "QT_DEVICE_PIXEL_RATIO",
];

/** The environment for everything that runs inside the desktop, based on the caller's own. */
export function desktopEnvironment(base: NodeJS.ProcessEnv, place: DesktopPlace): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...base };
  for (const name of foreign) delete env[name];
  const outer = base[markerName];
  return Object.assign(env, {
    [markerName]: outer ? `${outer}:${place.id}` : place.id,
    DISPLAY: place.display,
    XAUTHORITY: authorityPath(place.folder),
    XDG_RUNTIME_DIR: runtimeFolder(place.folder),
    XDG_SESSION_TYPE: "x11",
    DBUS_SESSION_BUS_ADDRESS: sessionBus(place.folder),
    // AT_SPI_BUS_ADDRESS stays unset: Qt 6 would use that bus but never register its elements there. Everyone finds
    // the bus by the root window's property or by asking the session bus.
    // Toolkits that prefer Wayland would find the person's compositor.
    GDK_BACKEND: "x11",
    QT_QPA_PLATFORM: "xcb",
    CLUTTER_BACKEND: "x11",
    SDL_VIDEODRIVER: "x11",
    MOZ_ENABLE_WAYLAND: "0",
    ELECTRON_OZONE_PLATFORM_HINT: "x11",
    QT_ACCESSIBILITY: "1",
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
    GNOME_ACCESSIBILITY: "1",
    // Two dconf services that write one file lose settings, and turning accessibility on is itself a setting.
    GSETTINGS_BACKEND: "memory",
    // A FUSE mount inside our folder would outlive its process and prevent the folder from being removed.
    GVFS_DISABLE_FUSE: "1",
    // Without the first two Qt 5 ignores the dots per inch; without the third it rounds 1.5 up to 2.
    QT_ENABLE_HIGHDPI_SCALING: "1",
    QT_AUTO_SCREEN_SCALE_FACTOR: "1",
    QT_SCALE_FACTOR_ROUNDING_POLICY: "PassThrough",
    XCURSOR_SIZE: String(cursorSize(place.scale)),
  });
}

/** Dots per inch at which text has the right size; Qt derives the whole scale from it. */
export const textDpi = (scale: number): number => Math.round(96 * scale);
export const cursorSize = (scale: number): number => Math.round(24 * scale);
