import type { App, Area } from "./app.ts";
import type { View } from "./view.ts";
import { appBar, column, inset, label, layout, screen, switchRow, type Row } from "./widgets.ts";

/** A list that follows the finger and stops at its ends. */
function scrolling(area: Area, rows: readonly Row[], scroll: { at: number }, id: string): View {
  const total = rows.reduce((sum, { height }) => sum + height, 0);
  const most = Math.max(0, total - area.height);
  scroll.at = Math.min(scroll.at, most);
  return layout(area, column(area, rows, scroll.at), {
    type: "androidx.recyclerview.widget.RecyclerView",
    id,
    isDecoration: false,
    isFocusable: true,
    isScrollable: most > 0,
    onScroll: (_, dy) => {
      scroll.at = Math.max(0, Math.min(most, Math.round(scroll.at - dy)));
    },
  });
}

export const settings: App = {
  package: "com.android.settings",
  activity: ".Settings",
  label: "Settings",
  isSystem: true,
  color: "#6b7280",
  open(host) {
    const on = new Map([
      ["Wi-Fi", true],
      ["Bluetooth", false],
      ["Airplane mode", false],
      ["Dark theme", false],
      ["Location", true],
    ]);
    const plain = [
      "Display",
      "Sound & vibration",
      "Storage",
      "Battery",
      "Apps",
      "Security",
      "Accounts",
      "System",
      "About phone",
    ];
    const scroll = { at: 0 };
    let page: string | undefined;
    return {
      views(area) {
        const { bar, rest } = appBar(area, page ?? "Settings", "com.android.settings");
        if (page !== undefined) {
          const text = { ...inset(rest, area.dp(16), 0), height: area.dp(64) };
          return screen(area, [bar, label(text, `Nothing to set for ${page}`, area)]);
        }
        const rows: Row[] = [...on].map(([name, isOn]) => ({
          height: area.dp(72),
          make: (bounds) =>
            switchRow(bounds, name, isOn, area, "android:id/switch_widget", () => {
              on.set(name, !isOn);
              host.say({ kind: "toggle", name, on: !isOn });
            }),
        }));
        const links: Row[] = plain.map((name) => ({
          height: area.dp(72),
          make: (bounds) =>
            layout(bounds, [label(inset(bounds, area.dp(16), area.dp(8)), name, area, {}, "android:id/title")], {
              type: "android.widget.LinearLayout",
              isDecoration: false,
              isFocusable: true,
              onTap: () => {
                page = name;
              },
            }),
        }));
        return screen(area, [
          bar,
          scrolling(rest, [...rows, ...links], scroll, "com.android.settings:id/recycler_view"),
        ]);
      },
      back() {
        if (page === undefined) return false;
        page = undefined;
        return true;
      },
    };
  },
};

export const contacts: App = {
  package: "org.example.contacts",
  activity: ".ListActivity",
  label: "Contacts",
  color: "#2563eb",
  open(host) {
    const scroll = { at: 0 };
    let chosen: string | undefined;
    return {
      views(area) {
        const { bar, rest } = appBar(area, chosen ?? "Contacts", "org.example.contacts");
        const rows = Array.from({ length: 200 }, (_, index): Row => {
          const name = `Contact ${index + 1}`;
          return {
            height: area.dp(56),
            make: (bounds) => ({
              ...label(inset(bounds, area.dp(16), 0), name, area, {}, "org.example.contacts:id/name"),
              isFocusable: true,
              isSelected: chosen === name,
              onTap: () => {
                chosen = name;
              },
              onLongPress: () => host.say({ kind: "toggle", name, on: true }),
            }),
          };
        });
        return screen(area, [bar, scrolling(rest, rows, scroll, "org.example.contacts:id/list")]);
      },
      back() {
        if (chosen === undefined) return false;
        chosen = undefined;
        return true;
      },
    };
  },
};
