import { makeField, type App, type Field } from "./app.ts";
import { appBar, button, column, field, inset, label, screen, type Row } from "./widgets.ts";

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
