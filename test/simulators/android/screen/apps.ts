import type { App } from "./app.ts";
import { late } from "./app-late.ts";
import { busy, canvas, icons, restless, vault } from "./apps-odd.ts";
import { form, notes } from "./apps-forms.ts";
import { contacts, settings } from "./apps-lists.ts";
import { column, inset, label, layout, type Row } from "./widgets.ts";

export const launcherPackage = "com.android.launcher3";

/** The apps on the home screen, in this order. */
export const launchable: readonly App[] = [settings, notes, form, contacts, icons, busy, restless, canvas, vault];

export const launcher: App = {
  package: launcherPackage,
  activity: ".uioverrides.QuickstepLauncher",
  label: "Launcher",
  isSystem: true,
  color: "#10131c",
  open: (host) => ({
    views(area) {
      const size = area.width / 4;
      const rows: Row[] = Array.from({ length: Math.ceil(launchable.length / 4) }, (_, row) => ({
        height: area.dp(104),
        make: (bounds) =>
          layout(
            bounds,
            launchable.slice(row * 4, row * 4 + 4).map((app, index) => {
              const cell = { x: bounds.x + index * size, y: bounds.y, width: size, height: bounds.height };
              const icon = { ...inset(cell, (size - area.dp(56)) / 2, area.dp(8)), height: area.dp(56) };
              return {
                // The home screen's icons are text views with the name as text.
                ...label(cell, app.label, area, { shown: "" }),
                isFocusable: true,
                description: app.label,
                onTap: () => host.launch(app.package),
                onLongPress: () => {},
                children: [
                  {
                    type: "android.view.View",
                    bounds: icon,
                    isOnlyPainted: true,
                    look: { fill: app.color, radius: area.dp(28) },
                  },
                  {
                    type: "android.view.View",
                    bounds: { ...cell, y: icon.y + icon.height + area.dp(4), height: area.dp(24) },
                    isOnlyPainted: true,
                    look: { shown: app.label, size: area.dp(13), align: "middle", color: "#ffffff" },
                  },
                ],
              };
            }),
          ),
      }));
      const top = { ...area, y: area.y + area.dp(96), height: area.height - area.dp(96) };
      return [layout(area, column(top, rows), { type: "android.view.ViewGroup", look: { fill: "#22304f" } })];
    },
    back: () => true,
  }),
};

/** DeviceKit: mobile-mcp's helper, which others may use, too. */
export const clipboardHelper = "com.mobilenext.devicekit";
/** Has no window: takes text in any language from `am broadcast`. */
export const helperKeyboard = { package: "com.android.adbkeyboard", method: "com.android.adbkeyboard/.AdbIME" };
export const stockKeyboard = {
  package: "com.android.inputmethod.latin",
  method: "com.android.inputmethod.latin/.LatinIME",
};

export const allApps: readonly App[] = [launcher, ...launchable, late];
