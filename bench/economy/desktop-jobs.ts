import type { DesktopAgent, Step, Target } from "./agent.ts";

export interface DesktopJob {
  readonly id: string;
  /** One of bench/tasks or bench/economy/tasks: the app, its files and the check from outside. */
  readonly task: string;
  run(agent: DesktopAgent): Promise<unknown>;
}

// Roles as servers write them: "textbox" and "text-field", "menuitem" and "menu-item".
const text: Target = { role: "(?:textbox|text-field|text-area)", name: "" };
const field = (name: string, label: "before" | "after"): Target => ({ role: "(?:textbox|text-field)", name, label });
const button = (name: string): Target => ({ role: "(?:toggle-?)?button", name });
const click = (target: Target): Step => ({ click: target });
const named = (name: string): Target => ({ name });

export const desktopJobs: readonly DesktopJob[] = [
  {
    id: "editor: write and save as",
    task: "mousepad-new-note",
    async run(agent) {
      await agent.act([{ type: "Buy milk and bread" }]);
      await agent.command(["File", "Save As..."], "ctrl+shift+s");
      await agent.act([{ fill: field("Name", "after"), text: "shopping.txt" }, click(button("Save"))], /shopping\.txt/);
    },
  },
  {
    id: "editor: find and replace",
    task: "mousepad-replace",
    async run(agent) {
      await agent.command(["Search", "Find and Replace..."], "ctrl+r");
      await agent.act([
        { fill: field("Search for:", "before"), text: "colour" },
        { fill: field("Replace with:", "before"), text: "color" },
        { check: { role: "check-?box", name: "Replace all in:" } },
      ]);
      await agent.act([click(button("Replace All")), click(button("Close"))]);
      await agent.command(["File", "Save"], "ctrl+s");
    },
  },
  {
    id: "calculator: a product",
    task: "galculator-multiply",
    run: (agent) =>
      agent.act(
        ["1", "2", "*", "8", "="].map((key) => click(button(key))),
        /"(96)"/,
      ),
  },
  {
    id: "editor: change case by menus",
    task: "mousepad-uppercase",
    async run(agent) {
      await agent.command(["Edit", "Select All"], "ctrl+a");
      await agent.command(["Edit", "Convert", "To Uppercase"], undefined, /NO SMOKING/);
      await agent.command(["File", "Save"], "ctrl+s");
    },
  },
  {
    id: "editor: turn a setting on",
    task: "mousepad-line-numbers",
    run: (agent) => agent.command(["View", "Line Numbers"], undefined),
  },
  {
    id: "Qt editor: add a line",
    task: "featherpad-add-line",
    async run(agent) {
      await agent.act([click(text), { press: "ctrl+End" }, { type: "Tuesday: sun" }]);
      await agent.command(["File", "Save"], "ctrl+s");
    },
  },
  {
    id: "form: fill and send",
    task: "yad-form",
    run: (agent) =>
      agent.act([
        { fill: field("Name", "after"), text: "Ada Lovelace" },
        { fill: field("City", "after"), text: "London" },
        { fill: field("Email", "after"), text: "ada@example.org" },
        { check: { role: "check-?box", name: "Newsletter" } },
        click(button("Save")),
      ]),
  },
  {
    id: "table: choose a row",
    task: "yad-list",
    run: (agent) => agent.act([click(named("Cobalt")), click(button("Book"))]),
  },
  {
    id: "files: rename",
    task: "thunar-rename",
    async run(agent) {
      await agent.act([click(named("report.txt"))]);
      await agent.command(["Edit", "Rename..."], "F2");
      await agent.act([{ press: "ctrl+a" }, { type: "summary.txt" }, { press: "Enter" }], /summary\.txt/);
    },
  },
  {
    id: "GTK 4 editor: add and save",
    task: "text-editor-add",
    async run(agent) {
      await agent.act([click(text), { press: "ctrl+End" }, { type: "\nTuesday: sun" }]);
      await agent.command(["Main Menu", "Save"], "ctrl+s");
    },
  },
  {
    id: "sheet: enter values",
    task: "calc-values",
    async run(agent) {
      await agent.act([
        { type: "Rope" },
        { press: "Tab" },
        { type: "12" },
        { press: "Enter" },
        { type: "Anchor" },
        { press: "Tab" },
        { type: "99" },
        { press: "Enter" },
      ]);
      await agent.command(["File", "Save"], "ctrl+s");
      await agent.act([click(button("Use Text CSV Format"))]);
    },
  },
  {
    id: "two windows: copy and paste",
    task: "mousepad-copy-over",
    async run(agent) {
      await agent.command(["Edit", "Select All"], "ctrl+a");
      await agent.command(["Edit", "Copy"], "ctrl+c");
      await agent.command(["File", "Close Window"], "ctrl+w");
      await agent.act([{ press: "ctrl+End" }]);
      await agent.command(["Edit", "Paste"], "ctrl+v");
      await agent.command(["File", "Save"], "ctrl+s");
    },
  },
];
