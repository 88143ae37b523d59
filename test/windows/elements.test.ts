import { afterAll, beforeAll, expect, test } from "vitest";
import type { Handsight } from "../support/handsight.ts";
import { startWindowsApp, type WindowsApp } from "../support/windows/app.ts";
import { describeWindows, startWine, type Wine } from "../support/wine.ts";

/** The reported effect must be what the app itself says happened. */
interface Cell {
  readonly name: string;
  readonly run: (handsight: Handsight, app: WindowsApp) => Promise<Record<string, unknown>>;
  /** Effects that are not in the app's log: moving the focus. */
  readonly unlogged?: boolean;
}

const foreground = { delivery: "foreground" };
const background = { delivery: "background" };

const click =
  (selector: string, more: Record<string, unknown> = {}) =>
  (handsight: Handsight, { title }: WindowsApp) =>
    handsight.call("click", { selector, window_title: title, ...more });

async function uidOf(handsight: Handsight, { title }: WindowsApp, selector: string): Promise<string> {
  const { elements } = await handsight.call("find_elements", { selector, window_title: title });
  const [first] = elements as { uid: string }[];
  if (!first) throw new Error(`no ${selector}`);
  return first.uid;
}

const onUid =
  (tool: string, selector: string, more: Record<string, unknown> = {}) =>
  async (handsight: Handsight, app: WindowsApp) =>
    handsight.call(tool, { uid: await uidOf(handsight, app, selector), ...more });

const byInput: readonly Cell[] = [
  { name: "button, pointer", run: click("Button:Press me", foreground) },
  { name: "button that does nothing, pointer", run: click("Button:Do nothing", foreground) },
  { name: "button that acts after 400 ms, pointer", run: click("Button:Late", foreground) },
  { name: "button that renames itself, pointer", run: click("Button:Play", foreground) },
  { name: "disabled button, pointer", run: click("Button:Disabled", foreground) },
  { name: "check box, pointer", run: click("CheckBox:Check me", foreground) },
  { name: "radio, pointer", run: click(":Slow", foreground) },
  { name: "radio that is set already, pointer", run: click(":Slow", foreground) },
  {
    name: "field, typing",
    run: (handsight, { title }) =>
      handsight.call("type_text", { text: "bob", selector: "TextBox:Username", window_title: title }),
  },
  { name: "list row, pointer", run: click("ListItem:Fruit 5", foreground) },
  {
    name: "drag and drop",
    run: async (handsight, app) =>
      handsight.call("drag", {
        uid: await uidOf(handsight, app, "*:Drag me"),
        to_uid: await uidOf(handsight, app, "*:Drop here"),
      }),
  },
];

/** Every answer of the UI Automation fixture takes several processes, so it gets one cell of each kind. */
const few: readonly Cell[] = byInput.filter(({ name }) =>
  [
    "button, pointer",
    "button that does nothing, pointer",
    "button that renames itself, pointer",
    "field, typing",
    "drag and drop",
  ].includes(name),
);

const byActions: readonly Cell[] = [
  { name: "button, native", run: click("Button:Press me", background) },
  { name: "button that does nothing, native", run: click("Button:Do nothing", background) },
  { name: "button that acts after 400 ms, native", run: click("Button:Late", background) },
  { name: "button that renames itself, native", run: click("Button:Pause", background) },
  { name: "check box, native", run: click("CheckBox:Check me", background) },
  { name: "slider, set_value", run: onUid("ax_set_value", "Slider:Volume", { value: 42 }) },
  { name: "slider, same value again", run: onUid("ax_set_value", "Slider:Volume", { value: 42 }) },
  { name: "field, set_value", run: onUid("ax_set_value", "TextBox:Username", { text: "ann" }) },
  { name: "password, set_value", run: onUid("ax_set_value", "TextBox:Password", { text: "hidden" }) },
  { name: "list row, ax_select", run: onUid("ax_select", "ListItem:Fruit 3") },
];

const byMessages: readonly Cell[] = [
  { name: "button, native", run: click("Button:Press me", background) },
  { name: "button, pointer", run: click("Button:Press me", foreground) },
  { name: "button that does nothing, native", run: click("Button:Do nothing", background) },
  { name: "check box, native", run: click("CheckBox:Check me", background) },
  { name: "field, set_value", run: onUid("ax_set_value", "TextBox:Notes", { text: "Héllo 漢字 🎉" }) },
  { name: "field, same text again", run: onUid("ax_set_value", "TextBox:Notes", { text: "Héllo 漢字 🎉" }) },
  { name: "password, set_value", run: onUid("ax_set_value", "TextBox:Secret", { text: "much longer" }) },
  { name: "combo box, set_value", run: onUid("ax_set_value", "ComboBox:Size", { text: "Large" }) },
  { name: "list row, ax_select", run: onUid("ax_select", "ListItem:Fruit 3") },
];

async function judge(handsight: Handsight, app: WindowsApp, cells: readonly Cell[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { name, run, unlogged } of cells) {
    const already = app.events.length;
    const result = await run(handsight, app).catch((error: unknown) => ({ error }));
    const told = "error" in result ? `error ${JSON.stringify(result.error)}` : String(result["effect"]);
    const truth = unlogged || app.events.length > already ? "confirmed" : "no_change";
    const changes = "changes" in result ? JSON.stringify(result["changes"]) : "";
    process.stdout.write(`${told === truth ? " " : "×"} ${app.title} ${name}: app ${truth}, told ${told}\n`);
    if (told !== truth) wrong.push(`${name}: app ${truth}, told ${told} ${changes}`);
  }
  return wrong;
}

describeWindows("elements on Windows", () => {
  let wine: Wine;
  let handsight: Handsight;
  beforeAll(async () => {
    wine = await startWine();
    handsight = await wine.handsight();
  });
  afterAll(async () => {
    await handsight?.[Symbol.asyncDispose]();
    await wine?.[Symbol.asyncDispose]();
  });

  test("MSAA: the reported effect is what the app says happened", { timeout: 180_000 }, async () => {
    await using app = await startWindowsApp(wine, "msaa");
    expect(await judge(handsight, app, [...byInput, ...byActions])).toEqual([]);
  });

  test("UI Automation: the reported effect is what the app says happened", { timeout: 180_000 }, async () => {
    await using app = await startWindowsApp(wine, "uia", 6);
    expect(await judge(handsight, app, few)).toEqual([]);
  });

  test("window messages: the reported effect is what the app says happened", { timeout: 180_000 }, async () => {
    await using app = await startWindowsApp(wine, "common");
    expect(await judge(handsight, app, byMessages)).toEqual([]);
  });

  test("reads every window on the highest rung that has something to say, and says which", async () => {
    await using painted = await startWindowsApp(wine, "msaa", 1);
    await using common = await startWindowsApp(wine, "common");
    const { findings } = await handsight.call("capabilities");
    const { detail } =
      (findings as { ability: string; detail: string }[]).find(({ ability }) => ability === "elements") ?? {};
    expect(detail).toMatch(/^Elements by UI Automation, else MSAA, else child windows\. /);
    expect(detail).toMatch(/: (?=.*1 by MSAA)(?=.*1 by child windows)/);
    expect([painted.pid, common.pid]).not.toContain(0);
  });

  test("never tells what a password field contains", async () => {
    await using app = await startWindowsApp(wine, "common");
    const snapshot = await handsight.ask("take_ax_snapshot", { window_title: app.title });
    expect(JSON.stringify(snapshot)).toContain("Secret");
    expect(JSON.stringify(snapshot)).not.toContain("hunter2");
    await using careless = await startWindowsApp(wine, "msaa", 1);
    const uid = await uidOf(handsight, careless, "TextBox:Password");
    await handsight.call("ax_set_value", { uid, text: "hunter2" });
    expect(JSON.stringify(await handsight.ask("take_ax_snapshot", { window_title: careless.title }))).not.toContain(
      "hunter2",
    );
  });

  test("a provider that hangs costs its deadline; the next call, on another app, works", async () => {
    await using app = await startWindowsApp(wine, "msaa", 1);
    await using other = await startWindowsApp(wine, "msaa", 2);
    await app.tell("hang");
    const hung = await handsight.ask("find_elements", { selector: "Button:Press me", pid: app.pid });
    expect(hung.data).toMatchObject({ error: { code: "timeout" } });
    const { data } = await handsight.ask("find_elements", { selector: "ListItem:Fruit 2", pid: other.pid });
    expect(data["elements"]).toHaveLength(1);
    const found = async () =>
      (await handsight.ask("find_elements", { selector: "Button:Press me", pid: app.pid })).data["elements"];
    await expect.poll(found, { timeout: 30_000 }).toHaveLength(1);
  });

  test("an app that is killed between looking and acting is gone, and the next call works", async () => {
    await using other = await startWindowsApp(wine, "msaa", 1);
    const app = await startWindowsApp(wine, "msaa", 1);
    const { elements } = await handsight.call("find_elements", { selector: "Button:Press me", pid: app.pid });
    const [{ uid }] = elements as [{ uid: string }];
    await app.kill();
    const { data } = await handsight.ask("click", { uid, ...background });
    expect(["uid_not_found", "window_gone"]).toContain((data["error"] as { code: string }).code);
    const next = await handsight.call("find_elements", { selector: "Button:Press me", pid: other.pid });
    expect(next["elements"]).toHaveLength(1);
  });
});
