import { once } from "node:events";
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { makeClient } from "../mcp/connect.ts";
import { openBuses } from "../support/buses.ts";
import { servePages } from "../support/browser.ts";
import { openDesktop, startApp } from "../support/element-app.ts";
import { startFixture } from "../support/fixture.ts";
import { dataOf, mainFile, startHandsight } from "../support/handsight.ts";
import { openApp } from "../support/open-app.ts";
import { registeredEvents } from "../support/registered-events.ts";
import { startDesktop } from "../support/xvfb.ts";
import { StreamReader } from "../support/ui-stream.ts";

test("apps, windows, dialogs, focus, texts and states are told as they change, of whatever is active [S3-72]", async () => {
  const { env, handsight } = await openDesktop();
  const reader = await StreamReader.start(handsight.call, {});
  const asker = await startFixture("gtk3_asker", { env });
  onTestFinished(() => asker.stop());
  const opened = await reader.until(
    ({ kind, title }) => kind === "window_opened" && title === "Asker",
    "a window opens",
  );
  const started = await reader.until(({ kind }) => kind === "app_started", "an app starts");
  expect(started).toMatchObject({ window_id: opened.window_id, app_name: opened.app_name, surface: "desktop" });
  await reader.until(({ kind, window_id: id }) => kind === "focus" && id === opened.window_id, "it becomes active");
  await reader.until(
    ({ kind, elements = [] }) =>
      kind === "snapshot" && elements.some(({ element }) => element.startsWith('button "Ask"')),
    "its elements are watched",
  );

  await handsight.call("set_window", { window_id: opened.window_id, action: "move", x: 300, y: 200 });
  await reader.until(({ kind, window_id: id }) => kind === "window_moved" && id === opened.window_id, "it moves");

  await handsight.call("click", { text: "Ask", window_title: "Asker" });
  const dialog = await reader.until(({ kind }) => kind === "dialog_opened", "a dialog opens");
  expect(dialog).toMatchObject({ title: "Question" });
  await reader.until(
    ({ kind, window_id: id, elements = [] }) =>
      kind === "snapshot" && id === dialog.window_id && elements.some(({ element }) => element.includes('"Cancel"')),
    "the watch follows the focus",
  );
  await handsight.call("click", { text: "Cancel", window_title: "Question" });
  await reader.until(({ kind, window_id: id }) => kind === "window_closed" && id === dialog.window_id, "it closes");

  await asker.stop();
  await reader.until(({ kind }) => kind === "app_ended", "the app ends");

  const { uid } = await startApp(handsight, "gtk3_controls", "GTK3 Controls", env);
  await reader.until(
    ({ kind, elements = [] }) => kind === "snapshot" && elements.length > 20,
    "the next app is watched",
  );
  await handsight.call("ax_set_value", { uid: await uid("TextBox"), text: "Grüße" });
  expect(await reader.until(({ kind }) => kind === "text", "a text changes")).toMatchObject({
    element: expect.stringContaining('="Grüße"') as string,
    change: expect.stringContaining('→ "Grüße"') as string,
  });
  const check = await uid("CheckBox");
  await handsight.call("ax_toggle", { uid: check });
  const toggled = await reader.until(
    ({ uid: id, change }) => id === check && /[+-]checked/.test(change ?? ""),
    "a state changes",
  );
  expect(toggled.element).toMatch(/^checkbox /);
  await handsight.call("ax_focus", { uid: await uid("TextBox") });
  await reader.until(
    ({ kind, element }) => kind === "focus" && element?.startsWith("textbox") === true,
    "the focus moves",
  );
  const stopped = await reader.stop();
  expect(stopped).toMatchObject({ ended: "stopped" });
});

test("passwords and blocked windows are left out of what is told", async () => {
  const { handsight, desktop, app } = await openApp("gtk3_login", "Login Form", { args: ["--policy", "allow"] });
  const reader = await StreamReader.start(handsight.call, {});
  await reader.read(5_000);
  for (const [name, text] of [
    ["Username", "testuser"],
    ["Password", "password123"],
  ] as const) {
    await handsight.call("click", { selector: `TextBox:${name}`, window_title: "Login Form" });
    await handsight.call("type_text", { text });
  }
  await reader.until(({ element }) => element?.includes("testuser") === true, "what may be seen is told");
  // A window that the built-in rules block, because of its title.
  const other = await startFixture("gtk3_popups", { env: desktop.env, args: ["--title", "Passwords - KeePassXC"] });
  onTestFinished(() => other.stop());
  await other.waitFor(({ event }) => event === "ready");
  await reader.read(2_000);
  const told = JSON.stringify(reader.events);
  expect(told).not.toContain("password123");
  expect(told).not.toContain("KeePassXC");
  expect(told).not.toContain("Zebra");
  await app.stop();
});

test("apps are asked to report events only while somebody watches, and no more once the client is killed [S3-70, S3-71, S3-81]", async () => {
  const { desktop, handsight, windowId } = await openApp("gtk3_controls", "GTK3 Controls");
  await handsight.call("take_ax_snapshot", { window_id: windowId });
  const before = await registeredEvents(desktop.env);
  const isFocus = (events: readonly string[]): boolean => events.some((event) => /focused/i.test(event));
  expect([...before.values()].filter(isFocus)).toEqual([]);
  const reader = await StreamReader.start(handsight.call, { window_id: windowId });
  const second = await StreamReader.start(handsight.call, {});
  expect([...(await registeredEvents(desktop.env)).values()].filter(isFocus)).toHaveLength(1);
  await second.stop();
  expect([...(await registeredEvents(desktop.env)).values()].filter(isFocus)).toHaveLength(1);
  await reader.stop();
  expect(await registeredEvents(desktop.env)).toEqual(before);

  const killed = spawn(
    process.execPath,
    [mainFile, "watch", "--window-id", String(windowId), "--json", "--policy", "allow"],
    {
      env: { ...process.env, ...desktop.env },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  for await (const line of createInterface({ input: killed.stdout })) {
    expect(JSON.parse(line)).toMatchObject({ seq: 1, kind: "snapshot", surface: "desktop" });
    break;
  }
  expect([...(await registeredEvents(desktop.env)).values()].filter(isFocus)).toHaveLength(1);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  await expect.poll(() => registeredEvents(desktop.env)).toEqual(before);

  const client = await startHandsight(desktop.env, ["--policy", "allow"]);
  await StreamReader.start(client.call, {});
  expect([...(await registeredEvents(desktop.env)).values()].filter(isFocus)).toHaveLength(1);
  await client[Symbol.asyncDispose]();
  await expect.poll(() => registeredEvents(desktop.env)).toEqual(before);
});

test("an app that is killed and started again is watched again, from a fresh snapshot on [S3-75]", async () => {
  const { desktop, handsight, app } = await openApp("gtk3_mutating", "GTK3 Mutating");
  const reader = await StreamReader.start(handsight.call, { app_name: "gtk3_mutating", window_title: "GTK3 Mutating" });
  await reader.read(5_000);
  expect(reader.outline().length).toBeGreaterThan(5);
  process.kill(app.pid, "SIGKILL");
  await reader.until(({ kind }) => kind === "app_ended", "the app ends");
  await reader.until(({ kind, elements }) => kind === "snapshot" && elements?.length === 0, "nothing is left");
  const next = await startFixture("gtk3_mutating", { env: desktop.env });
  onTestFinished(() => next.stop());
  await reader.until(
    ({ kind, elements = [], seq }) => kind === "snapshot" && elements.length > 5 && seq > 2,
    "its successor is watched",
  );
  const { window } = await handsight.call("wait_for", { window_title: "GTK3 Mutating" });
  await reader.agrees((window as { window_id: number }).window_id);
  const { active } = await handsight.call("get_ui_events", { watch: reader.watch });
  expect(active).toBe(true);
});

test("a restarted accessibility bus is watched again, from a fresh snapshot on [S3-75]", async () => {
  const desktop = await startDesktop();
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const buses = await openBuses(desktop.env);
  onTestFinished(() => buses[Symbol.asyncDispose]());
  const handsight = await startHandsight(buses.env, ["--log-level", "error", "--policy", "allow"]);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const title = "GTK3 Controls";
  const first = await startApp(handsight, "gtk3_controls", title, buses.env);
  const reader = await StreamReader.start(handsight.call, { window_title: title });
  await reader.read(5_000);
  await buses.kill();
  await buses.start();
  await first.app.stop();
  await reader.until(({ kind }) => kind === "window_closed", "windows are watched meanwhile");
  const last = reader.events.length;
  const second = await startApp(handsight, "gtk3_controls", title, buses.env);
  await reader.until(
    (event) => reader.events.indexOf(event) >= last && event.kind === "snapshot" && (event.elements?.length ?? 0) > 5,
    "the elements are watched again",
  );
  await handsight.call("ax_set_value", { uid: await second.uid("TextBox"), text: "after" });
  await reader.until(({ element }) => element?.includes('="after"') === true, "changes are told again");
  await reader.agrees(second.windowId);
});

test("before something is watched there is nothing to get or to stop", async () => {
  const { env } = await openDesktop();
  await using handsight = await startHandsight(env, ["--tools", "observe"]);
  const { tools } = await handsight.client.listTools();
  const listed = tools.map(({ name }) => name);
  for (const name of ["start_watching", "get_ui_events", "stop_watching"]) expect(listed).toContain(name);
  for (const name of ["get_ui_events", "stop_watching"]) {
    const { isError, data } = await handsight.ask(name);
    expect(isError).toBe(true);
    expect(data).toMatchObject({ error: { code: "not_active" } });
  }
});

test("what is told of a page in Chromium's window, applied to the first snapshot, is the last snapshot [S3-73]", async () => {
  const { handsight } = await openDesktop();
  const rows = `<!doctype html><title>Changing rows</title><ul></ul><script>
    const list = document.querySelector("ul");
    const make = (name) => { const row = document.createElement("li"); row.innerHTML = "<button></button>"; row.firstChild.textContent = name; return row; };
    list.append(...["Save", "Open", "Apply"].map(make));
    const change = (number) => {
      const row = list.children[number % list.children.length];
      const name = ["Save", "Open", "Apply", "Discard"][(number * 7) % 4];
      if (number % 5 === 0 && list.children.length < 12) row.before(make(name));
      else if (number % 5 === 1 && list.children.length > 3) row.remove();
      else if (number % 5 === 2) row.firstChild.textContent = name;
      else if (number % 5 === 3) row.firstChild.disabled = !row.firstChild.disabled;
      else list.append(row);
    };
  </script>`;
  await using server = await servePages({ "rows.html": rows });
  await handsight.call("cdp_launch", { url: `${server.own}/rows.html`, args: ["--force-renderer-accessibility"] });
  const { window } = await handsight.call("wait_for", { window_title: "Changing rows", timeout_ms: 30_000 });
  const windowId = (window as { window_id: number }).window_id;
  await handsight.call("wait_for", { selector: "Button:Apply", window_title: "Changing rows", timeout_ms: 30_000 });
  const reader = await StreamReader.start(handsight.call, { window_id: windowId });
  for (let number = 0; number < 60; number++) {
    await handsight.call("cdp_evaluate_script", {
      function: "(number) => change(number * 13 + 5)",
      args: [number],
      settle_ms: 0,
    });
    if (number % 4 === 0) await reader.read();
  }
  await reader.agrees(windowId);
  expect(reader.missed).toBe(0);
});

test.each(["2025-11-25", "2026-07-28"] as const)(
  "a subscriber to what is watched learns of changes, revision %s",
  async (era) => {
    const { desktop, app, windowId } = await openApp("gtk3_mutating", "GTK3 Mutating");
    const client = makeClient(era);
    const env = Object.fromEntries(
      Object.entries(desktop.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [mainFile, "mcp", "--policy", "allow", "--journal", "off"],
        env,
        stderr: "ignore",
      }),
    );
    onTestFinished(() => client.close());
    const started = dataOf(await client.callTool({ name: "start_watching", arguments: { window_id: windowId } }));
    const uri = String(started["resource"]);
    const text = async () =>
      (await client.readResource({ uri })).contents.map((each) => ("text" in each ? each.text : "")).join("\n");
    expect(await text()).toContain('button "Apply"');
    const updated: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
    if (era === "2026-07-28") await client.listen({ resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    app.tell(JSON.stringify({ step: 1, do: "rename", in: "buttons", at: 0, to: 0, name: "Renamed" }));
    await expect.poll(() => updated, { timeout: 20_000 }).toContain(uri);
    await expect.poll(text, { timeout: 20_000 }).toContain('button "Renamed"');
    await client.callTool({ name: "stop_watching" });
    await expect(client.readResource({ uri })).rejects.toThrow("no resource");
  },
);
