import { describe, expect, test } from "vitest";
import { convertText } from "../file/convert-text.ts";
import { problemLine, readFlow } from "../file/read-flow.ts";
import { commands } from "./commands.ts";

const convert = (body: string, head = "appId: com.example.app") => {
  const { text, unsupported, notes } = convertText(`${head}\n---\n${body}`, "m.yaml");
  const { text: read, problems } = readFlow(text, "converted");
  return {
    steps: read?.flow.steps[0]?.steps,
    flow: read?.flow,
    problems: problems.map(problemLine),
    unsupported: unsupported.map(problemLine),
    notes: notes.map(({ message }) => message),
  };
};

/** Written by us from Maestro's documentation: each command in its usual forms, and what it means here. */
const same: readonly (readonly [string, unknown])[] = [
  ["- launchApp", { launch: "com.example.app" }],
  ["- launchApp: com.other", { launch: "com.other" }],
  ["- launchApp:\n    appId: com.other", { launch: "com.other" }],
  ["- tapOn: Sign in", { click: "Sign in" }],
  ["- tapOn:\n    text: Sign in\n    index: 1", { click: { name: "Sign in", nth: 2 } }],
  ["- tapOn:\n    id: submit\n    enabled: true", { click: { id: "submit", enabled: true } }],
  ["- tapOn:\n    point: 50%,50%", { click: { point: "50%,50%" } }],
  [
    "- tapOn:\n    text: Later\n    optional: true\n    label: Dismiss it",
    { name: "Dismiss it", click: "Later", optional: true },
  ],
  ["- tapOn:\n    text: OK\n    childOf:\n      id: dialog", { click: { name: "OK", within: { id: "dialog" } } }],
  ["- tapOn:\n    text: Plus\n    repeat: 3", { repeat: { times: 3 }, steps: [{ click: "Plus" }] }],
  ["- tapOn:\n    text: Go\n    waitToSettleTimeoutMs: 500", { click: "Go", settle: "0.5s" }],
  ["- doubleTapOn: Photo", { click: { text: "Photo", count: 2 } }],
  ["- inputText: Hello ${NAME}", { type: "Hello ${NAME}" }],
  ["- eraseText: 5", { press: { key: "backspace", times: 5 } }],
  ["- eraseText", { press: { key: "backspace", times: 50 } }],
  ["- pressKey: Enter", { press: "enter" }],
  ["- pressKey: Back", { back: true }],
  ["- back", { back: true }],
  ["- assertVisible: Welcome", { expect: { visible: "Welcome" } }],
  ["- assertVisible:\n    id: title\n    focused: true", { expect: { visible: { id: "title", focused: true } } }],
  ["- assertNotVisible: Error", { expect: { hidden: "Error" } }],
  ["- extendedWaitUntil:\n    visible: Home\n    timeout: 10000", { wait: { visible: "Home", within: "10s" } }],
  ["- extendedWaitUntil:\n    notVisible: Loading\n    timeout: 500", { wait: { hidden: "Loading", within: "0.5s" } }],
  ["- scroll", { scroll: "down" }],
  ["- scrollUntilVisible:\n    element: Terms\n    direction: DOWN", { scroll: { until: "Terms", direction: "down" } }],
  ["- swipe:\n    direction: LEFT", { swipe: "left" }],
  [
    "- swipe:\n    start: 90%,50%\n    end: 10%,50%",
    { swipe: { from: { point: "90%,50%" }, to: { point: "10%,50%" } } },
  ],
  ["- copyTextFrom:\n    id: total", { read: { id: "total", as: "copiedText" } }],
  ["- takeScreenshot: home", { screenshot: "home.png" }],
  ["- runFlow: login.yaml", { run: "login.yaml" }],
  [
    "- runFlow:\n    file: login.yaml\n    env:\n      USER: ada",
    { steps: [{ run: { flow: "login.yaml", vars: { USER: "ada" } } }] },
  ],
  [
    "- runFlow:\n    when:\n      visible: Cookies\n    commands:\n      - tapOn: Accept",
    { when: { visible: "Cookies" }, steps: [{ click: "Accept" }] },
  ],
  [
    "- runFlow:\n    when:\n      platform: Android\n    commands:\n      - back",
    { when: { on: "device" }, steps: [{ back: true }] },
  ],
  ["- repeat:\n    times: 3\n    commands:\n      - tapOn: More", { repeat: { times: 3 }, steps: [{ click: "More" }] }],
  [
    "- repeat:\n    while:\n      notVisible: End\n    commands:\n      - scroll",
    { repeat: { while: { hidden: "End" } }, steps: [{ scroll: "down" }] },
  ],
  ["- retry:\n    maxRetries: 2\n    commands:\n      - tapOn: Sync", { retry: 2, steps: [{ click: "Sync" }] }],
  ["- tapOn: Price \\$5\\.00", { click: "Price $5.00" }],
];

/** What cannot be said: each is named with its line, and nothing is lost without a word. */
const named: readonly (readonly [string, string])[] = [
  ["- tapOn:\n    text: Save\n    below: Name", "m.yaml:4:5: selector field below"],
  ["- tapOn:\n    containsChild: Ada", "m.yaml:4:5: selector field containsChild"],
  ["- tapOn: Item [0-9]+", 'm.yaml:3:10: text: the regular expression "Item [0-9]+"'],
  ["- inputText: ${output.name}", "m.yaml:3:14: the expression ${output.name}"],
  ["- launchApp:\n    clearState: true", "m.yaml:4:5: launchApp: field clearState"],
  ["- pressKey: volume up", "m.yaml:3:13: pressKey volume up"],
  ["- openLink: https://example.org", "m.yaml:3:13: openLink on a device"],
  ["- runFlow:\n    when:\n      true: ${a == 1}\n    commands:\n      - back", 'm.yaml:5:7: when true "${a == 1}"'],
  ["- frobnicate: 1", "m.yaml:3:15: unknown command frobnicate"],
  ["- evalScript: ${x = 1}", "m.yaml:3:15: evalScript"],
  ["- setLocation:\n    latitude: 1", "m.yaml:4:5: setLocation"],
];

describe("a Maestro flow", () => {
  test.each(same)("%s", (body, step) => {
    const { steps, problems, unsupported } = convert(body);
    expect({ problems, unsupported }).toEqual({ problems: [], unsupported: [] });
    expect(steps).toEqual([step]);
  });

  test.each(named)("%s is named", (body, remark) => {
    const { unsupported } = convert(body);
    expect(unsupported).toEqual([remark]);
    const played = readFlow(`appId: a\n---\n${body}`, "m.yaml").problems.map(problemLine);
    expect(played).toEqual([expect.stringContaining("is not supported")]);
  });

  test("has settings, too", () => {
    const head = "appId: com.example.app\nname: Log in\ntags: [smoke]\nenv:\n  USER: ada\nonFlowComplete:\n  - back";
    const { flow, notes } = convert("- launchApp\n- waitForAnimationToEnd\n- inputText: ${USER}\n", head);
    expect(flow).toEqual({
      flow: 1,
      name: "Log in",
      tags: ["smoke"],
      vars: { USER: "ada" },
      steps: [{ device: true, steps: [{ launch: "com.example.app" }, { type: "${USER}" }], finally: [{ back: true }] }],
    });
    expect(notes).toEqual(["waitForAnimationToEnd: every action waits until the screen is quiet"]);
  });

  test("is read as it is, and its steps know their lines", () => {
    const { text, problems } = readFlow(
      "url: https://example.org\n---\n- tapOn: A\n- waitForAnimationToEnd\n- assertVisible: B\n",
      "m.yaml",
    );
    expect(problems).toEqual([]);
    expect(text?.flow.steps).toEqual([
      { page: "https://example.org", steps: [{ click: "A" }, { expect: { visible: "B" } }] },
    ]);
    expect(text?.position(["steps", 0, "steps", 1])).toEqual({ line: 5, column: 3 });
  });

  test("has no command that is neither taken over nor named", () => {
    const tested = [...same, ...named].map(([body]) => /^- (\w+)/.exec(body)?.[1] ?? "");
    const missing = Object.keys(commands).filter((name) => !tested.includes(name));
    const left = missing.filter((name) => {
      const { unsupported, notes } = convert(`- ${name}: x\n- back`);
      return unsupported.length + notes.length === 0;
    });
    expect(left).toEqual(["openLink", "pasteText"].filter((name) => left.includes(name)));
  });
});
