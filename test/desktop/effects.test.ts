import { afterAll, describe, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { toolkits } from "../support/toolkits.ts";

/** One action and what the app itself should log because of it. */
interface Case {
  readonly name: string;
  /** The tab it is on. */
  readonly tab?: "Lists" | "Table" | "Extras";
  readonly run: (stage: Stage) => Promise<Record<string, unknown>>;
  /** Effects that are not in the app's log: moving the focus, opening a menu. */
  readonly unlogged?: boolean;
}

interface Stage {
  readonly handsight: Handsight;
  readonly app: Fixture;
  readonly title: string;
  readonly env: NodeJS.ProcessEnv;
  /** The uid of an element by selector. */
  readonly uid: (selector: string) => Promise<string>;
}

const click =
  (selector: string, more: Record<string, unknown> = {}) =>
  ({ handsight, title }: Stage) =>
    handsight.call("click", { selector, window_title: title, ...more });

const onUid =
  (tool: string, selector: string, more: Record<string, unknown> = {}) =>
  async ({ handsight, uid }: Stage) =>
    handsight.call(tool, { uid: await uid(selector), ...more });

const dragOnto =
  (from: string, to: string) =>
  async ({ handsight, uid }: Stage) =>
    handsight.call("drag", { uid: await uid(from), to_uid: await uid(to) });

const foreground = { delivery: "foreground" };
const background = { delivery: "background" };

const scrollUp = ({ handsight, title }: Stage) =>
  handsight.call("scroll", { selector: 'ListItem:"Fruit 2"', window_title: title, direction: "up" });

const cases: readonly Case[] = [
  { name: "button, native", run: click("Button:Press me", background) },
  { name: "button, pointer", run: click("Button:Press me", foreground) },
  { name: "button, ax_click", run: onUid("ax_click", "Button:Press me") },
  { name: "button that does nothing, native", run: click("Button:Do nothing", background) },
  { name: "button that does nothing, pointer", run: click("Button:Do nothing", foreground) },
  { name: "button that acts after 400 ms, native", run: click("Button:Late", background) },
  { name: "button that acts after 400 ms, pointer", run: click("Button:Late", foreground) },
  { name: "button that renames itself, native", run: click("Button:Play", background) },
  { name: "button that renames itself, pointer", run: click("Button:Pause", foreground) },
  { name: "disabled button, pointer", run: click("Button:Disabled", foreground) },
  { name: "toggle, auto", run: click(":Toggle me") },
  { name: "toggle, pointer", run: click(":Toggle me", foreground) },
  { name: "check box, auto", run: click("CheckBox:Check me") },
  { name: "check box, pointer", run: click("CheckBox:Check me", foreground) },
  { name: "radio, auto", run: click(":Fast") },
  { name: "radio, pointer", run: click(":Slow", foreground) },
  { name: "radio that is set already, pointer", run: click(":Slow", foreground) },
  { name: "slider, set_value", run: onUid("ax_set_value", "Slider:Volume", { value: 42 }) },
  { name: "slider, same value again", run: onUid("ax_set_value", "Slider:Volume", { value: 42 }) },
  { name: "spin button, set_value", run: onUid("ax_set_value", "SpinButton:Quantity", { value: 7 }) },
  { name: "field, set_value", run: onUid("ax_set_value", "TextBox:Username", { text: "ann" }) },
  { name: "password, set_value", run: onUid("ax_set_value", "TextBox:Password", { text: "hidden" }) },
  { name: "button, scrolling", run: onUid("scroll", "Button:Do nothing", { direction: "down" }) },
  { name: "button, dragged onto another", run: dragOnto("Button:Do nothing", "Button:Late") },
  {
    name: "field, typing",
    run: ({ handsight, title }) =>
      handsight.call("type_text", { text: "bob", selector: "TextBox:Username", window_title: title }),
  },
  {
    name: "password, typing",
    run: ({ handsight, title }) =>
      handsight.call("type_text", { text: "s3cret", selector: "TextBox:Password", window_title: title }),
  },
  {
    name: "notes, typing",
    run: ({ handsight, title }) =>
      handsight.call("type_text", { text: "two words", selector: "TextBox:Notes", window_title: title }),
  },
  { name: "Tab key", unlogged: true, run: ({ handsight }) => handsight.call("press_key", { key: "shift+tab" }) },
  {
    name: "nothing, while another app opens a window",
    run: async (stage) => {
      const popup = startFixture("gtk3_canvas", { env: stage.env, args: ["--title", "Popup"] });
      const result = await click("Button:Do nothing", { ...background, settle_ms: 2_500 })(stage);
      await (await popup).stop();
      return result;
    },
  },
  { name: "dialog, opening", run: click("Button:Open dialog", background) },
  {
    name: "dialog, answering",
    run: ({ handsight }) => handsight.call("click", { selector: "Button:No", window_title: "Question" }),
  },
  { name: "list row, ax_select", tab: "Lists", run: onUid("ax_select", "ListItem:Fruit 3") },
  { name: "list row, pointer", tab: "Lists", run: click("ListItem:Fruit 5", foreground) },
  { name: "list, scrolling beyond its top", tab: "Lists", run: scrollUp },
  { name: "list, scrolling beyond its top again", tab: "Lists", run: scrollUp },
  {
    name: "list, scrolling",
    tab: "Lists",
    run: ({ handsight, title }) =>
      handsight.call("scroll", { selector: "ListItem:Fruit 2", window_title: title, direction: "down" }),
  },
  {
    name: "nothing, left click beside an animation",
    tab: "Extras",
    run: ({ handsight, title }) =>
      handsight.call("click", { text: "Context area", window_title: title, ...foreground }),
  },
  {
    name: "drag and drop",
    tab: "Extras",
    run: dragOnto("*:Drag me", "*:Drop here"),
  },
];

const tables = new Map<string, readonly string[]>();

// They spend most of the time waiting for effects that do not come, each on its own desktop.
describe.each(toolkits)(
  "%s: the reported effect is what the app says happened",
  { concurrent: true },
  (toolkit, title) => {
    test("over every control, action and delivery", { timeout: 240_000 }, async ({ expect }) => {
      await using desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
      await using handsight = await startHandsight(desktop.env);
      const wrong: string[] = [];
      const rows: string[] = [];
      tables.set(toolkit, rows);
      for (const tab of [undefined, "Lists", "Table", "Extras"] as const) {
        const own = cases.filter((each) => each.tab === tab);
        if (own.length === 0) continue;
        const args = tab ? ["--tab", tab, "--rows", "50"] : ["--rows", "50"];
        await using app = await startFixture(`${toolkit}_controls`, { env: desktop.env, args });
        await app.waitFor(({ event }) => event === "ready");
        await handsight.call("wait_for", { window_title: title });
        await handsight
          .call("wait_for", { condition: "stable", quiet_ms: 200, timeout_ms: 3_000 })
          .catch(() => undefined);
        const uid = async (selector: string) => {
          const { elements } = await handsight.call("find_elements", { selector, window_title: title });
          const [first] = elements as { uid: string }[];
          if (!first) throw new Error(`no ${selector}`);
          return first.uid;
        };
        for (const each of own) {
          const already = app.events.length;
          const result = await each
            .run({ handsight, app, title, env: desktop.env, uid })
            .catch((error: unknown) => ({ error }));
          const logged = app.events.length > already;
          const told =
            "error" in result ? `error ${JSON.stringify(result.error).slice(0, 160)}` : String(result["effect"]);
          const truth = each.unlogged || logged ? "confirmed" : "no_change";
          const fits = told === truth;
          rows.push(
            `${fits ? " " : "×"} ${toolkit.padEnd(5)} ${each.name.padEnd(44)} app: ${truth.padEnd(10)} told: ${told}`,
          );
          if (!fits)
            wrong.push(
              `${each.name}: app ${truth}, told ${told} ${JSON.stringify("changes" in result ? result["changes"] : "")}`,
            );
        }
      }
      expect(wrong).toEqual([]);
    });
  },
);

afterAll(() => {
  const rows = toolkits.flatMap(([toolkit]) => tables.get(toolkit) ?? []);
  process.stdout.write(
    `\n${rows.join("\n")}\n${rows.filter((row) => row.startsWith(" ")).length} of ${rows.length} right\n`,
  );
});
