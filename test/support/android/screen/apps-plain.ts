import { makeField, type App, type Area, type Field } from "./app.ts";
import { appBar, button, column, field, inset, label, layout, switchRow, type Row } from "./widgets.ts";
import type { View } from "./view.ts";

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

const screen = (area: Area, children: readonly View[]): View[] => [
  layout(area, [layout(area, children, { type: "android.widget.LinearLayout" })], { look: { fill: "#fbfbff" } }),
];

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

export const notes: App = {
  package: "org.example.notes",
  activity: ".NotesActivity",
  label: "Notes",
  color: "#e0a100",
  open(host) {
    const note = makeField("note", { isMultiline: true });
    const saved: string[] = [];
    return {
      views(area) {
        const { bar, rest } = appBar(area, "Notes", "org.example.notes");
        const rows: Row[] = [
          {
            height: area.dp(160),
            make: (bounds) =>
              field(inset(bounds, area.dp(16), area.dp(8)), note, area, host, {
                id: "org.example.notes:id/note",
                hint: "Note",
              }),
          },
          {
            height: area.dp(64),
            make: (bounds) =>
              button(inset(bounds, area.dp(16), area.dp(8)), "Save", area, "org.example.notes:id/save", () => {
                saved.unshift(note.text);
                host.say({ kind: "submit", data: { note: note.text } });
                Object.assign(note, { text: "", caret: 0, isAllSelected: false });
              }),
          },
          ...saved.map((text): Row => ({
            height: area.dp(48),
            make: (bounds) =>
              label(inset(bounds, area.dp(16), area.dp(4)), text, area, {}, "org.example.notes:id/saved"),
          })),
        ];
        return screen(area, [bar, ...column(rest, rows)]);
      },
    };
  },
};

export const form: App = {
  package: "org.example.form",
  activity: "org.example.form.SignUpActivity",
  label: "Sign up",
  color: "#1f8a4c",
  open(host) {
    const send = (): void => {
      if (name.text === "") return void (answer = "Please give a name");
      host.focus(undefined);
      host.say({
        kind: "submit",
        data: { name: name.text, email: email.text, password: password.text, news: String(wantsNews) },
      });
      answer = `Thank you, ${name.text}`;
    };
    const name: Field = makeField("name", { next: () => email, onEnter: () => host.focus(email) });
    const email: Field = makeField("email", { next: () => password, onEnter: () => host.focus(password) });
    const password: Field = makeField("password", { next: () => name, onEnter: send });
    let wantsNews = false;
    let answer = "";
    const id = (part: string): string => `org.example.form:id/${part}`;
    return {
      views(area) {
        const { bar, rest } = appBar(area, "Sign up", "org.example.form");
        const input = (it: Field, hint: string, isPassword = false): Row => ({
          height: area.dp(68),
          make: (bounds) =>
            field(inset(bounds, area.dp(16), area.dp(6)), it, area, host, { id: id(it.name), hint, isPassword }),
        });
        const rows: Row[] = [
          input(name, "Full name"),
          input(email, "Email"),
          input(password, "Password", true),
          {
            height: area.dp(56),
            make: (bounds) => ({
              ...label(inset(bounds, area.dp(16), area.dp(4)), "Send me news", area, {}, id("news")),
              type: "android.widget.CheckBox",
              isCheckable: true,
              isChecked: wantsNews,
              isFocusable: true,
              look: { shown: `${wantsNews ? "☑" : "☐"} Send me news`, size: area.dp(16), color: "#1b1b1f" },
              onTap: () => {
                wantsNews = !wantsNews;
                host.say({ kind: "toggle", name: "Send me news", on: wantsNews });
              },
            }),
          },
          {
            height: area.dp(60),
            make: (bounds) => button(inset(bounds, area.dp(16), area.dp(6)), "Submit", area, id("submit"), send),
          },
          {
            height: area.dp(48),
            make: (bounds) => label(inset(bounds, area.dp(16), area.dp(6)), answer, area, {}, id("answer")),
          },
        ];
        return screen(area, [bar, ...column(rest, answer === "" ? rows.slice(0, -1) : rows)]);
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
