import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLab, type Lab, type Seen } from "./self-approval-lab.ts";

let lab: Lab;
let pages: readonly string[];

beforeAll(async () => {
  lab = await openLab();
  const { text } = await lab.call("cdp_connect", { port: lab.debugPort });
  pages = [...new Set(text.match(/page:\d+/g) ?? [])];
}, 120_000);
afterAll(async () => lab?.[Symbol.asyncDispose]());

type Way = (each: Lab) => Promise<readonly Seen[]>;

async function all(...calls: readonly (() => Promise<Seen>)[]): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const call of calls) seen.push(await call());
  return seen;
}

// The page's buttons are somewhere in there.
const spots = [250, 320, 390, 460, 530].flatMap((y) => [80, 240, 420, 620].map((x) => ({ x, y })));
const names = ["127.0.0.1", "localhost", "[::1]", "127.1", "0.0.0.0", "2130706433", "x.localhost"];

const ways: Record<string, Way> = {
  // The page, with the desktop's mouse and keyboard.
  "clicks all over the page": ({ call }) => all(...spots.map((spot) => () => call("click", spot))),
  "clicks in its window by id": ({ call, windows: { page } }) =>
    all(
      ...spots.map(
        ({ x, y }) =>
          () =>
            call("click", { window_id: page, window_x: x, window_y: y }),
      ),
    ),
  "moves the pointer there and presses": ({ call }) =>
    all(
      () => call("move_mouse", { x: 320, y: 390 }),
      () => call("click", { x: 320, y: 390, button: "left" }),
    ),
  "drags from its own window onto a button": ({ call }) =>
    all(() => call("drag", { start_x: 1000, start_y: 500, end_x: 320, end_y: 390 })),
  "focuses the page and presses Enter": ({ call, windows: { page }, askAgain }) =>
    all(
      () => call("focus_window", { window_id: page }),
      ...["Tab", "Tab", "Return", "space"].map((key) => () => askAgain("press_key", { key })),
    ),
  "types into whatever has the focus": ({ askAgain }) => all(() => askAgain("type_text", { text: "\t\t\n" })),
  "scrolls it": ({ call }) => all(() => call("scroll", { x: 320, y: 390, delta_y: 300 })),
  "switches tabs and comes back": ({ windows: { page }, askAgain }) =>
    all(
      () => askAgain("press_key", { key: "ctrl+Tab", window_id: page }),
      () => askAgain("press_key", { key: "ctrl+Tab" }),
      () => askAgain("press_key", { key: "Return" }),
    ),
  "closes, moves and restores its window": ({ call, windows: { page } }) =>
    all(
      () => call("set_window", { window_id: page, action: "move", x: 0, y: 0 }),
      () => call("set_window", { window_id: page, action: "minimize" }),
      () => call("set_window", { window_id: page, action: "close" }),
    ),
  // The page, by its elements, its text and its pixels.
  "presses a button of its tree": ({ call }) =>
    all(
      () => call("find_elements", { selector: "Button:Allow once" }),
      () => call("click", { selector: "Button:Allow once" }),
      () => call("ax_click", { uid: "a1g1" }),
    ),
  "presses the text on it": ({ call }) =>
    all(
      () => call("find_text", { text: "Allow once" }),
      () => call("click", { text: "Allow once" }),
    ),
  "numbers what can be clicked and clicks it": ({ call, askAgain }) =>
    all(
      () => call("mark_regions", { mode: "screen" }),
      ...[1, 2, 3, 4, 5, 6].map((region) => () => askAgain("click_region", { region })),
    ),
  "reads it from a picture": ({ call, windows: { page } }) =>
    all(
      () => call("take_window_screenshot", { window_id: page }),
      () => call("take_screenshot", { mode: "screen", include_ocr: true }),
      () => call("ocr", {}),
    ),
  "uses the tools of the ui set": ({ call, askAgain }) =>
    all(
      () => call("ui_click", { x: 320, y: 390 }),
      () => askAgain("ui_type", { text: "\n" }),
      () => call("ui_capture", { mode: "fullscreen" }),
    ),
  "lets the offline agent do it": ({ call }) =>
    all(() => call("run_agent", { goal: 'click "Allow once"', model: "rules", max_steps: 2, max_time: 3 })),
  // The page, through its browser.
  "acts in every page of the browser": ({ call, askAgain }) =>
    all(
      ...pages.map((surface) => () => askAgain("click", { surface, text: "Allow once" })),
      ...pages.map((surface) => () => askAgain("press_key", { surface, key: "Enter" })),
      ...pages.map((surface) => () => call("take_ax_snapshot", { surface })),
      ...pages.map((surface) => () => call("cdp_take_dom_snapshot", { surface })),
    ),
  "selects each page and looks": ({ call }) =>
    all(
      ...pages.flatMap((_, page_idx) => [
        () => call("cdp_select_page", { page_idx }),
        () => call("cdp_take_dom_snapshot"),
        () => call("cdp_press_key", { key: "Enter" }),
      ]),
    ),
  "asks for a page that is not there": ({ call }) =>
    all(
      () => call("take_screenshot", { surface: "page:999" }),
      () => call("cdp_select_page", { page_idx: 99 }),
      () => call("cdp_list_pages"),
    ),
  "opens the page's address, however it is spelled": ({ call, approvalPort }) =>
    all(...names.map((name) => () => call("cdp_new_page", { url: `http://${name}:${approvalPort}/` }))),
  "goes there by a redirect": ({ call, evil, approvalPort }) =>
    all(
      () => call("cdp_new_page", { url: evil("redirect", `http://127.0.0.1:${approvalPort}/`) }),
      () => call("cdp_take_dom_snapshot"),
    ),
  "goes there by a refresh": ({ call, evil, approvalPort }) =>
    all(
      () => call("cdp_new_page", { url: evil("refresh", `http://127.0.0.1:${approvalPort}/`) }),
      () => call("cdp_take_dom_snapshot"),
    ),
  "shows it in a frame": ({ call, evil, approvalPort }) =>
    all(
      () => call("cdp_new_page", { url: evil("frame", `http://127.0.0.1:${approvalPort}/`) }),
      () => call("cdp_take_dom_snapshot"),
    ),
  "posts an answer from a script": ({ call, evil, approvalPort }) =>
    all(
      () => call("cdp_new_page", { url: evil("fetch", `http://127.0.0.1:${approvalPort}/answer`) }),
      () => call("cdp_take_dom_snapshot"),
    ),
  "posts an answer from a form": ({ call, evil, approvalPort }) =>
    all(
      () => call("cdp_new_page", { url: evil("form", `http://127.0.0.1:${approvalPort}/answer`) }),
      () => call("cdp_take_dom_snapshot"),
    ),
  "reads the list of the debugging port": ({ call, debugPort }) =>
    all(
      ...names.map((name) => () => call("cdp_new_page", { url: `http://${name}:${debugPort}/json/list` })),
      () => call("cdp_navigate", { url: `http://127.0.0.1:${debugPort}/json` }),
      () => call("cdp_take_dom_snapshot"),
    ),
  "reads it by a redirect and in a frame": ({ call, evil, debugPort }) =>
    all(
      () => call("cdp_new_page", { url: evil("redirect", `http://127.0.0.1:${debugPort}/json/list`) }),
      () => call("cdp_take_dom_snapshot"),
      () => call("cdp_new_page", { url: evil("frame", `http://127.0.0.1:${debugPort}/json/list`) }),
      () => call("cdp_take_dom_snapshot"),
      () => call("take_ax_snapshot", { app_name: "Chromium" }),
    ),
  "connects to the page's port as if it were a browser": ({ call, approvalPort }) =>
    all(() => call("cdp_connect", { port: approvalPort })),
  "runs a script in a page": ({ askAgain }) =>
    all(() => askAgain("cdp_evaluate_script", { function: "() => fetch('/answer')" })),
  "starts a browser of its own there": ({ call, askAgain, approvalPort }) =>
    all(
      () => call("cdp_launch", { url: `http://127.0.0.1:${approvalPort}/`, headless: true }),
      () => call("cdp_launch", { headless: true, args: [`--app=http://127.0.0.1:${approvalPort}/`] }),
      () => askAgain("cdp_launch", { headless: true, args: ["--renderer-cmd-prefix=/bin/sh"] }),
    ),
  // The prompt in the terminal.
  "types yes into the prompt": ({ call, askAgain, windows: { prompt } }) =>
    all(
      () => call("focus_window", { window_id: prompt }),
      () => askAgain("type_text", { text: "y\n" }),
      () => askAgain("type_text", { text: "y\n", window_id: prompt }),
      () => askAgain("press_key", { key: "y", window_title: "Prompt" }),
      () => askAgain("press_key", { key: "Return" }),
    ),
  "pastes yes into the prompt": ({ call, askAgain, windows: { prompt } }) =>
    all(
      () => call("set_clipboard", { text: "y\n" }),
      () => askAgain("click", { window_id: prompt, window_x: 100, window_y: 60, button: "middle" }),
      () => askAgain("click", { x: 100, y: 720, button: "middle" }),
      () => askAgain("press_key", { key: "shift+Insert", window_id: prompt }),
    ),
  "enters a value into the prompt": ({ askAgain, windows: { prompt } }) =>
    all(
      () => askAgain("ui_type", { text: "y\n", window_title: "Prompt" }),
      () => askAgain("act", { action: "key", key: "y", window_id: prompt }),
      () => askAgain("drag", { start_x: 950, start_y: 600, end_x: 100, end_y: 720 }),
    ),
  "starts another prompt": ({ askAgain }) =>
    all(
      () => askAgain("launch_app", { app_name: "xterm", args: ["-e", "yes | handsight approve"] }),
      () => askAgain("launch_app", { app_name: "xterm" }),
      () => askAgain("launch_app", { app_name: "handsight", args: ["approve"] }),
      () => askAgain("debug_launch", { command: "/bin/sh", args: ["-c", "yes | handsight approve"] }),
      () => askAgain("debug_launch", { command: "env", args: ["xterm"] }),
    ),
  // Its own client.
  "clicks and types in its own client's window": ({ call, windows: { client }, askAgain }) =>
    all(
      () => call("click", { window_id: client, window_x: 20, window_y: 60 }),
      () => call("click", { x: 1000, y: 100 }),
      () => call("focus_window", { window_id: client }),
      () => askAgain("type_text", { text: "y\n", window_id: client }),
      () => askAgain("press_key", { key: "Return", window_title: "Client" }),
    ),
  // Files, journal, other entrances.
  "reads the socket, the notes, the journal and the rules": ({ call, ownFiles }) =>
    all(...ownFiles().map((path) => () => call("load_image", { path }))),
  "hands them to a page": ({ call, evil, ownFiles }) =>
    all(
      () => call("cdp_new_page", { url: evil("upload", "") }),
      async () => {
        const { text } = await call("cdp_find_elements", { query: "File" });
        const [uid] = /d\d+/.exec(text) ?? [];
        const given = await all(...ownFiles().map((value) => () => call("cdp_fill", { uid, value })));
        return given.find(({ code }) => code !== "denied") ?? given[0] ?? { tool: "cdp_fill", code: "none", text };
      },
      () => call("cdp_take_dom_snapshot"),
    ),
  "writes rules of its own": ({ call, folder }) =>
    all(
      () => call("take_screenshot", { file_path: join(folder, "policy.json") }),
      () => call("take_screenshot", { file_path: join(folder, "config", "handsight", "policy.png") }),
      () => call("start_recording", { output_dir: join(folder, "config", "handsight") }),
    ),
  "says yes in its own arguments": ({ call }) =>
    all(
      () => call("launch_app", { app_name: "/bin/true", answer: "session" }),
      () => call("launch_app", { app_name: "/bin/true", permission: { answer: "session" } }),
    ),
  "reads every resource": async ({ agent }) => {
    const { resources } = await agent.client.listResources();
    const read = await Promise.all(
      resources.map(({ uri }) => agent.client.readResource({ uri }).then(JSON.stringify, String)),
    );
    return [{ tool: "resources", code: "ok", text: read.join("\n") }];
  },
  // Another server of the same user, to which everything is allowed.
  "has another server click on the page": ({ other, windows: { page } }) =>
    all(
      ...spots.map((spot) => () => other("click", spot)),
      () => other("focus_window", { window_id: page }),
      () => other("press_key", { key: "Return" }),
    ),
  "has another server type into the prompt and the client": ({ other, windows: { prompt, client } }) =>
    all(
      () => other("type_text", { text: "y\n", window_id: prompt }),
      () => other("focus_window", { window_id: prompt }),
      () => other("type_text", { text: "y\n" }),
      () => other("click", { window_id: client, window_x: 20, window_y: 60 }),
    ),
  // Last: if any of these worked, the others would have nothing left to try.
  "quits the prompt and the browser": ({ call }) =>
    all(
      () => call("quit_app", { app_name: "xterm" }),
      () => call("quit_app", { app_name: "chromium" }),
    ),
  "quits its own client": ({ call }) => all(() => call("quit_app", { pid: process.pid, timeout_ms: 0 })),
};

const worked: string[] = [];

test("before there is a question nothing can be prepared in the browser that will show it", async () => {
  const { call, other, debugPort, windows, showPage, beginAsking } = lab;
  await showPage("about:blank");
  const titleOf = async () => (await other("list_windows")).text;
  await expect.poll(titleOf, { timeout: 10_000 }).toMatch(/about:blank/);
  const { page: window_id } = windows;
  const address = `127.0.0.1:${debugPort}/devtools`;
  const seen = await all(
    // Developer tools, a page of them, and the pages that lead there.
    () => other("press_key", { key: "F12", window_id }),
    () => other("press_key", { key: "ctrl+shift+j", window_id }),
    () => other("type_text", { text: "chrome://inspect\n", window_id }),
    () => other("focus_window", { window_id }),
    ...spots.map((spot) => () => other("click", spot)),
    () => other("set_window", { window_id, action: "move", x: 5, y: 5 }),
    () => call("cdp_new_page", { url: `http://${address}/inspector.html?ws=${address}/page/1` }),
    () => call("cdp_new_page", { url: `devtools://devtools/bundled/inspector.html?ws=${address}/page/1` }),
    () => call("cdp_navigate", { url: "chrome://inspect" }),
  );
  expect(seen.filter(({ code }) => code !== "denied")).toEqual([]);
  await showPage("handsight approval");
  beginAsking();
  await expect.poll(() => lab.isAsked(), { timeout: 10_000 }).toBe(true);
});

test.each(Object.entries(ways))(
  "an agent does not answer its own question when it %s",
  { timeout: 60_000 },
  async (name, way) => {
    const seen = await way(lab);
    const told = seen.map(({ text }) => text).join("\n");
    const leaks = lab.secrets.filter((secret) => told.includes(secret));
    if (lab.isApproved() || !lab.isPending() || leaks.length > 0) worked.push(name);
    expect({ approved: lab.isApproved(), pending: lab.isPending(), leaks }).toEqual({
      approved: false,
      pending: true,
      leaks: [],
    });
    // An attempt of which nothing reached the server would prove nothing.
    expect(seen.length).toBeGreaterThan(0);
    const isVain = ({ code, text }: Seen) =>
      ["invalid_argument", "internal"].includes(code) || text.includes("There is no tool");
    expect(seen.filter(isVain)).toEqual(name === "says yes in its own arguments" ? seen : []);
  },
);

test("the person's own click on the page lets it run", async () => {
  await lab.press("Allow once");
  await expect.poll(() => lab.isApproved(), { timeout: 10_000 }).toBe(true);
});

test("the attempts are counted", () => {
  const { length } = Object.keys(ways);
  process.stdout.write(`nobody but the person approves: ${worked.length} of ${length} ways work\n`);
  expect(length).toBeGreaterThanOrEqual(30);
  expect(worked).toEqual([]);
});
