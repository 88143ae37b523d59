import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { browsers } from "../support/page-browser.ts";
import { openPageStage, type PageStage } from "../support/page-stage.ts";
import type { FixtureEvent } from "../support/fixture.ts";
import type { Handsight } from "../support/handsight.ts";

interface Stage {
  readonly handsight: Handsight;
  readonly pid: number;
  /** The uid of an element by selector. */
  readonly uid: (selector: string) => Promise<string>;
}

/** One action; the page's own log says what it did. */
interface Case {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<Record<string, unknown>>;
  /** What the page should log; nothing if missing. */
  readonly logs?: Readonly<Record<string, unknown>>;
  /** Browsers that refuse it with this code, because their native interface cannot do it. */
  readonly refusedBy?: Readonly<Record<string, string>>;
  /** An effect that pages do not see: opening a list, moving the focus. */
  readonly isUnlogged?: boolean;
}

const click =
  (selector: string, more: Record<string, unknown> = {}) =>
  ({ handsight, pid }: Stage) =>
    handsight.call("click", { selector, pid, ...more });

const onUid =
  (tool: string, selector: string, more: Record<string, unknown> = {}) =>
  async ({ handsight, uid }: Stage) =>
    handsight.call(tool, { uid: await uid(selector), ...more });

const act =
  (selector: string, value: string | number) =>
  async ({ handsight, uid }: Stage) =>
    handsight.call("act", { action: "set_value", uid: await uid(selector), value, fallback: "type" });

const foreground = { delivery: "foreground" };
const background = { delivery: "background" };
const noText = { chromium: "not_dispatchable", firefox: "not_dispatchable" };
const text = "Héllo 你好 🎉";

const cases: readonly Case[] = [
  { name: "button, native", run: click("Button:Press me", background), logs: { event: "pressed", name: "Press me" } },
  { name: "button, pointer", run: click("Button:Press me", foreground), logs: { event: "pressed", name: "Press me" } },
  { name: "button, ax_click", run: onUid("ax_click", "Button:Press me"), logs: { event: "pressed" } },
  { name: "button that does nothing, native", run: click("Button:Do nothing", background) },
  { name: "button that does nothing, pointer", run: click("Button:Do nothing", foreground) },
  { name: "button after 400 ms, native", run: click("Button:Late", background), logs: { name: "Late" } },
  { name: "button after 400 ms, pointer", run: click("Button:Late", foreground), logs: { name: "Late" } },
  { name: "button that renames itself, native", run: click("Button:Play", background), logs: { name: "Pause" } },
  { name: "button that renames itself, pointer", run: click("Button:Pause", foreground), logs: { name: "Play" } },
  { name: "disabled button, pointer", run: click("Button:Disabled", foreground) },
  { name: "toggle button, ax_toggle", run: onUid("ax_toggle", ":Toggle me"), logs: { name: "Toggle me", on: true } },
  { name: "toggle button, pointer", run: click(":Toggle me", foreground), logs: { name: "Toggle me", on: false } },
  { name: "check box, ax_toggle", run: onUid("ax_toggle", "CheckBox:Check me"), logs: { name: "Check me", on: true } },
  { name: "check box, pointer", run: click("CheckBox:Check me", foreground), logs: { name: "Check me", on: false } },
  { name: "radio, ax_select", run: onUid("ax_click", "Radio:Fast"), logs: { name: "Fast", on: true } },
  { name: "radio, pointer", run: click("Radio:Slow", foreground), logs: { name: "Slow", on: true } },
  { name: "radio that is set already", run: click("Radio:Slow", foreground) },
  { name: "link, native", run: click("Link:A link", background), logs: { name: "A link" } },
  { name: "link, pointer", run: click("Link:A link", foreground), logs: { name: "A link" } },
  { name: "in a frame, native", run: click("Button:Inside", background), logs: { name: "Inside" } },
  { name: "in a frame, pointer", run: click("Button:Inside", foreground), logs: { name: "Inside" } },
  {
    name: "slider, set_value",
    run: onUid("ax_set_value", "Slider:Volume", { value: 42 }),
    logs: { name: "Volume", value: "42" },
  },
  { name: "slider, same value again", run: onUid("ax_set_value", "Slider:Volume", { value: 42 }) },
  {
    name: "number field, native",
    run: onUid("ax_set_value", "SpinButton:Quantity", { value: 7 }),
    logs: { name: "Quantity", value: "7" },
    refusedBy: { firefox: "not_dispatchable" },
  },
  { name: "number field, act", run: act("SpinButton:Quantity", 12), logs: { name: "Quantity", value: "12" } },
  { name: "field, native", run: onUid("ax_set_value", "TextBox:Username", { text }), refusedBy: noText },
  { name: "field, act", run: act("TextBox:Username", text), logs: { name: "Username", value: text } },
  {
    name: "field, typing",
    run: onUid("type_text", "TextBox:Comments", { text: "two words" }),
    logs: { name: "Comments", value: "two words" },
  },
  {
    name: "password, typing",
    run: onUid("type_text", "TextBox:Password", { text: "s3cret" }),
    logs: { name: "Password", length: 6 },
  },
  { name: "editable box, act", run: act("TextBox:Notes", "some notes"), logs: { name: "Notes", value: "some notes" } },
  {
    name: "list of options, native",
    run: onUid("ax_set_value", "ComboBox:Colour", { text: "Blue" }),
    logs: { name: "Colour", value: "Blue" },
    refusedBy: { firefox: "not_dispatchable" },
  },
  { name: "list of options, act", run: act("ComboBox:Colour", "Green"), logs: { name: "Colour", value: "Green" } },
  { name: "option, ax_select", run: onUid("ax_select", "ListItem:Medium"), logs: { name: "Sizes", value: "Medium" } },
  { name: "option, pointer", run: click("ListItem:Large", foreground), logs: { name: "Sizes", value: "Large" } },
  { name: "tab, ax_select", run: onUid("ax_select", "Tab:Two"), logs: { event: "selected", name: "Two" } },
  { name: "tab, pointer", run: click("Tab:One", foreground), logs: { event: "selected", name: "One" } },
  { name: "details, ax_expand", run: onUid("ax_expand", ":More"), logs: { name: "More", on: true } },
  {
    name: "details, collapse",
    run: onUid("ax_expand", ":More", { expanded: false }),
    logs: { name: "More", on: false },
  },
  {
    name: "list, scrolling by wheel",
    run: ({ handsight, pid }) => handsight.call("scroll", { selector: "Button:Row 2", pid, direction: "down" }),
    logs: { event: "scrolled", name: "Rows" },
  },
  {
    name: "row that is scrolled away, ax_scroll",
    run: async ({ handsight, uid }) => {
      const within = await uid("List:Rows");
      const { elements } = await handsight.call("find_elements", { selector: "Button:Row 40", within });
      const [row] = elements as { uid: string; click_point?: unknown }[];
      expect(row?.click_point).toBeUndefined();
      return handsight.call("ax_scroll", { uid: row?.uid });
    },
    logs: { event: "scrolled", name: "Rows" },
  },
  { name: "field, ax_focus", run: onUid("ax_focus", "TextBox:Username"), isUnlogged: true },
];

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? String(error);

const rows: string[] = [];

describe.each(browsers)("%s: the reported effect is what the page says happened", (name) => {
  let stage: Stage;
  let opened: PageStage | undefined;

  beforeAll(async () => {
    opened = await openPageStage(name);
    const { handsight, pid, find } = opened;
    stage = { handsight, pid, uid: async (selector) => (await find(selector)).uid };
    await handsight.call("wait_for", { condition: "stable", quiet_ms: 300, timeout_ms: 5_000 }).catch(() => undefined);
  });

  afterAll(async () => opened?.[Symbol.asyncDispose]());

  // Raw input is not the page's reaction to it.
  const answers = () =>
    (opened?.browser.events ?? []).filter(({ event }) => event !== "clicked" && event !== "focused");

  // Each continues where the previous one left the page, so none can be retried.
  test.each(cases)("$name", { retry: 0 }, async ({ name: title, run, logs, refusedBy, isUnlogged }) => {
    const already = answers().length;
    const result = await run(stage).catch((error: unknown) => ({ error }));
    const refusal = refusedBy?.[name];
    const isExpected = (event: FixtureEvent | undefined): boolean =>
      event !== undefined && Object.entries(logs ?? {}).every(([key, value]) => event[key] === value);
    // The log arrives separately and may come after the answer.
    if (logs && refusal === undefined) {
      await poll(async () => (isExpected(answers().slice(already).at(-1)) ? true : undefined), {
        timeoutMs: 3000,
        everyMs: 10,
      });
    }
    const happened = answers().slice(already);
    const told = "error" in result ? codeOf(result.error) : String(result["effect"]);
    const truth = refusal ?? (happened.length > 0 || isUnlogged === true ? "confirmed" : "no_change");
    const row = `${name.padEnd(8)} ${title.padEnd(40)} page: ${truth.padEnd(16)} told: ${told}`;
    rows.push(`${told === truth ? " " : "×"} ${row}`);
    expect(told, JSON.stringify({ result, happened })).toBe(truth);
    if (logs && refusal === undefined) expect(happened.at(-1)).toMatchObject(logs);
    else expect(happened).toEqual([]);
  });
});

afterAll(() => {
  process.stdout.write(
    `\n${rows.join("\n")}\n${rows.filter((row) => row.startsWith(" ")).length} of ${rows.length} right\n`,
  );
});
