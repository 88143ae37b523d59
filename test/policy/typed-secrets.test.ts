import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { checkout } from "../support/checkout.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { openSandbox } from "../support/cli.ts";
import {
  enterAll,
  eachKey,
  findSecrets,
  readRecords,
  secretKinds,
  startRecorded,
  type RecordedHandsight,
  type Way,
} from "../support/secret-kinds.ts";

const forms = { "GTK 3": "gtk3_login", "Qt 5": "qt5_login", mute: "gtk3_login" } as const;
type Form = keyof typeof forms;

let desktop: VirtualDesktop;
let server: RecordedHandsight;
const apps = new Map<Form, Fixture>();
const appOf = (form: Form): Fixture => apps.get(form) as Fixture;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  for (const [form, fixture] of Object.entries(forms)) {
    const env = { ...desktop.env, ...(form === "mute" ? { NO_AT_BRIDGE: "1" } : {}) };
    apps.set(form as Form, await startFixture(fixture, { env, args: ["--title", form] }));
  }
  server = await startRecorded(desktop.env);
  for (const { pid } of apps.values()) await server.handsight.call("wait_for", { pid, timeout_ms: 20_000 });
}, 90_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  for (const app of apps.values()) await app.stop();
  await desktop?.[Symbol.asyncDispose]();
});

const ask = (tool: string, args: object, signal?: AbortSignal) => server.handsight.ask(tool, args, signal);
const selector = "TextBox:Password";

const paste = (window_title: string): Way => ({
  async enter(text) {
    await ask("set_clipboard", { text });
    await ask("press_key", { key: "ctrl+v", window_title });
    await ask("get_clipboard", {});
  },
  takesLong: true,
});

/** What is wrong with a call tells nothing about what it holds. */
const mistakes: Readonly<Record<string, Way>> = {
  "a misspelt tool": { enter: (text) => ask("typ_text", { text, deep: [{ text }] }), takesLong: true },
  "a misspelt field": { enter: (txt) => ask("type_text", { txt }), takesLong: true },
  "a text that is too long": { enter: (text) => ask("press_key", { key: `${text}${"x".repeat(101)}` }) },
  "a key that is none": { enter: (text) => ask("press_key", { key: `${text}${text}`.slice(0, 90) }) },
  "a field that is not there": { enter: (text) => ask("type_text", { text, into: "No such field" }), takesLong: true },
};

/** Typing 100 kB takes an app minutes: it is called off when the first letter has arrived. */
async function callOff(app: Fixture, typing: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const off = new AbortController();
  const from = app.events.length;
  const ended = typing(off.signal).catch(() => "called off");
  await app.waitFor((event) => event.event === "secret" && app.events.indexOf(event) >= from, 30_000);
  off.abort();
  await ended;
}

interface Found {
  readonly uid: string;
  readonly click_point: { readonly x: number; readonly y: number };
}

async function findField(window_title: string): Promise<Found> {
  const { elements } = await server.handsight.call("find_elements", { selector, window_title });
  return (elements as Found[])[0] as Found;
}

async function fieldWays(form: Form): Promise<Readonly<Record<string, Way>>> {
  const [window_title, { pid }] = [form, appOf(form)];
  const { uid } = await findField(form);
  const marks = { window_title, details: true, sources: ["accessibility"], include_image: false };
  const { regions } = await server.handsight.call("mark_regions", marks);
  const region = (regions as { region: number; name: string }[]).find(({ name }) => name === "Password")?.region;
  /** What goes to the cursor: a tab that was typed before has moved it. */
  const atCursor = (tool: string, argsOf: (text: string) => object) => async (text: string) => {
    await ask("ax_focus", { uid, settle_ms: 0 });
    return ask(tool, argsOf(text));
  };
  const every = {
    type_text: { enter: (text: string) => ask("type_text", { selector, window_title, text }) },
    "type_text, called off": {
      enter: (text: string) => callOff(appOf(form), (signal) => ask("type_text", { uid, text }, signal)),
      only: "100 kB",
    },
    "act set_value": { enter: (value: string) => ask("act", { action: "set_value", uid, value }) },
    ax_set_value: { enter: (text: string) => ask("ax_set_value", { uid, text }), takesLong: true },
    ui_type: { enter: atCursor("ui_type", (text) => ({ text, window_title, delay_ms: 0 })) },
    "set_clipboard and ctrl+v": paste(window_title),
    press_key: eachKey(atCursor("press_key", (key) => ({ key, window_title }))),
  };
  // Once is enough for what differs in the call and not in the app.
  if (form !== "GTK 3") return every;
  return {
    ...every,
    "type_text at the cursor": { enter: atCursor("type_text", (text) => ({ text, window_title })) },
    "type_text at a region": { enter: (text) => ask("type_text", { region, text }) },
    "act type": { enter: (text) => ask("act", { action: "type", uid, text }) },
    "act key": eachKey((key) => ask("act", { action: "key", key, pid })),
    "ui_type keys": eachKey((key) => ask("ui_type", { keys: [key], window_title })),
    ...mistakes,
  };
}

/** All that shows values of elements. */
async function look(window_title: Form): Promise<string> {
  const { x, y } = (await findField(window_title)).click_point;
  const answers = [
    await ask("take_ax_snapshot", { window_title, format: "json" }),
    await ask("take_ax_snapshot", { window_title }),
    await ask("get_focused_element", {}),
    await ask("read_text", { selector, window_title }),
    await ask("element_at_point", { x, y }),
    await ask("wait_for", { selector, pid: appOf(window_title).pid }),
    await ask("ui_get_element", { selector, window_title }),
    await ask("mark_regions", { window_title, details: true, include_image: false, sources: ["accessibility"] }),
    await ask("find_elements", { selector: "TextBox", window_title }),
  ];
  for (const { isError, data } of answers) expect([isError, data["Error"] ?? null]).toEqual([false, null]);
  return JSON.stringify(answers.map(({ data }) => data));
}

describe.each(["GTK 3", "Qt 5"] as const)("what is typed into %s", (form) => {
  test(
    "is found in no record, log, trace or temporary file when it is a password field",
    { timeout: 120_000 },
    async () => {
      const kinds = secretKinds(form.replace(" ", ""));
      await enterAll(kinds, await fieldWays(form));
      const told = await look(form);
      for (const { pieces } of kinds) for (const piece of pieces) expect(told).not.toContain(piece);
      expect(await server.hits(kinds)).toEqual([]);
    },
  );

  test("is kept when the field shows it, and stands in no line of the log [S1-106]", async () => {
    const [plain, key] = [`plain ${form}`, "k"];
    await server.handsight.call("type_text", { selector: "TextBox:Username", window_title: form, text: plain });
    await server.handsight.call("press_key", { key, window_title: form });
    const written = await server.written();
    const kept = [`"text":"${plain}"`, `\\"${plain}${key}\\"`];
    expect(kept.filter((text) => !written.includes(text))).toEqual([]);
    const lines = written.split("\n").filter((line) => line.includes("[UI]"));
    expect(lines.filter((line) => line.includes('type_text text="[REDACTED]"')).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes(plain) || line.includes(`key=${key} `))).toEqual([]);
  });
});

test("what is typed on the command line is found nowhere, nor printed", { timeout: 120_000 }, async () => {
  const kinds = secretKinds("command line").filter(({ kind }) => kind !== "100 kB");
  using sandbox = openSandbox(desktop.env);
  const runs = join(sandbox.folder, "runs");
  const printed: string[] = [];
  const run = async (...words: string[]): Promise<void> => {
    const recorded = [
      "--runs-dir",
      runs,
      "--log-level",
      "debug",
      "--policy",
      "allow",
      "--ocr",
      "off",
      "--settle-ms",
      "60",
    ];
    const { code, stdout, stderr } = await sandbox.run([...words, "--json", ...recorded]);
    expect([code, stderr.includes("internal")]).toEqual([0, false]);
    printed.push(stdout, stderr);
  };
  const where = { selector, window_title: "GTK 3" };
  // In turn: each is a process of its own.
  const ways = [
    (text: string) => run("type_text", text, "--selector", selector, "--window-title", "GTK 3"),
    (text: string) => run("call", "type_text", JSON.stringify({ ...where, text })),
    (text: string) => run("set_clipboard", text),
  ];
  for (const [index, { text }] of kinds.entries()) await ways[index % ways.length]?.(text);
  const files = await readRecords(runs, sandbox.folder);
  files.set("printed", Buffer.from(printed.join("\n")));
  expect(files.size).toBeGreaterThan(kinds.length);
  expect(findSecrets(files, kinds)).toEqual([]);
});

test("a password field that is made to show its content stays one", async () => {
  const [window_title, text] = ["GTK 3", "r3vealed-c4nary"] as const;
  const kinds = [{ kind: "a revealed password", text, pieces: [text] }];
  const { uid } = await findField(window_title);
  await server.handsight.call("act", { action: "set_value", uid, value: text });
  appOf(window_title).tell("show");
  await appOf(window_title).waitFor(({ event }) => event === "revealed");
  await ask("type_text", { uid, text });
  expect((await look(window_title)).includes(text)).toBe(false);
  expect(await server.hits(kinds)).toEqual([]);
});

test("what is typed into an app without elements is found nowhere", { timeout: 90_000 }, async () => {
  const kinds = secretKinds("mute");
  const [window_title, { pid }] = ["mute", appOf("mute")];
  await enterAll(kinds, {
    type_text: { enter: (text) => ask("type_text", { window_title, text }) },
    ui_type: { enter: (text) => ask("ui_type", { window_title, text, delay_ms: 0 }) },
    "set_clipboard and ctrl+v": paste(window_title),
    press_key: eachKey((key) => ask("press_key", { key, window_title, settle_ms: 0 })),
    "act key": eachKey((key) => ask("act", { action: "key", key, pid, settle_ms: 0 })),
  });
  expect(await server.hits(kinds)).toEqual([]);
});

test("what a debugger types is found nowhere", { timeout: 90_000 }, async () => {
  const kinds = secretKinds("debug");
  const args = [join(checkout, "test/fixtures/gtk3_login.py"), "--title", "Debugged"];
  const { sessionId } = await server.handsight.call("debug_launch", { command: "/usr/bin/python3", args });
  const { data } = await ask("debug_ui", { sessionId });
  const id = /"id":"([^"]+)","role":"textbox","title":"Password"/.exec(JSON.stringify(data))?.[1];
  const act = (action: string, rest: object) => ask("debug_ui_action", { sessionId, action, id, ...rest });
  await enterAll(kinds, {
    set_value: { enter: (value) => act("set_value", { value }) },
    type: { enter: (text) => act("type", { text }) },
    key: eachKey((key) => act("key", { key })),
  });
  await ask("debug_ui", { sessionId });
  expect(await server.hits(kinds)).toEqual([]);
});

test(
  "what the agent types into a password field is found nowhere, and its report says what it did",
  { timeout: 90_000 },
  async () => {
    const kinds = secretKinds("agent").filter(({ kind }) => kind !== "100 kB");
    const steps = kinds.map(({ text }) => `set Password to “${text}”`);
    const goal = [...steps, 'type "plain agent" into Username'].join(", then ");
    const result = await server.handsight.call("run_agent", { goal, model: "rules", pid: appOf("GTK 3").pid });
    expect(result).toMatchObject({ status: "done" });
    expect(await server.hits(kinds)).toEqual([]);
    const written = await server.written();
    expect(written).toContain("fill in &quot;[REDACTED]&quot; into &quot;Password&quot;");
    expect(written).toContain("type &quot;plain agent&quot;");
  },
);
