import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runAgent, type AgentResult } from "../../src/agent/run.ts";
import type { Session } from "../../src/tools/session.ts";
import { call, openAgentDesk, scripted, type AgentDesk } from "../support/agent.ts";
import { openSandbox } from "../support/cli.ts";
import type { Fixture } from "../support/fixture.ts";

let desk: AgentDesk;
let session: Session;
let app: Fixture;

beforeAll(async () => {
  desk = await openAgentDesk();
  app = await desk.start("gtk3_controls");
  session = await desk.open({ settleMs: "500" });
});
afterAll(async () => {
  await app?.stop();
  await desk?.[Symbol.asyncDispose]();
});

const pressed = (): number => app.events.filter(({ event }) => event === "pressed").length;

/** The centre of "Press me" in a picture of its window, computed from the tree alone. */
async function buttonIn(size: { readonly width: number; readonly height: number }): Promise<{ x: number; y: number }> {
  const { elements } = (await call(session, "find_elements", { selector: 'Button:"Press me"', pid: app.pid })) as {
    elements: { bounds: Record<"x" | "y" | "width" | "height", number> }[];
  };
  const { windows } = (await call(session, "list_windows", { pid: app.pid })) as {
    windows: { bounds: Record<"x" | "y" | "width" | "height", number> }[];
  };
  const [button, window] = [elements[0]?.bounds, windows[0]?.bounds];
  if (!button || !window) throw new Error("no button");
  return {
    x: ((button.x + button.width / 2 - window.x) / window.width) * size.width,
    y: ((button.y + button.height / 2 - window.y) / window.height) * size.height,
  };
}

describe("the loop", () => {
  test.each([
    ["title", () => ({ window: "gtk3 contr" })],
    ["pid", () => ({ pid: app.pid })],
  ])("chooses the window by %s, focuses it, and shows its picture with the goal [S0-58…S0-60]", async (_how, where) => {
    const other = await desk.start("gtk3_editor");
    onTestFinished(() => other.stop());
    const model = scripted([[{ action: "done" }]]);
    const { history } = await runAgent(session, { goal: "look at it", model, where: where() });
    expect(await call(session, "get_active_window")).toMatchObject({ window: { title: "GTK3 Controls" } });
    const [turn] = model.turns;
    expect(turn?.goal).toBe("look at it");
    expect(turn?.observation.place).toContain("GTK3 Controls");
    expect(turn?.observation.picture?.mimeType).toBe("image/jpeg");
    expect(turn?.observation.outline).toMatch(/<screen-content \w+> .*\n[^]*button "Press me" a\d+g\d+/);
    expect(history[0]?.window).toMatchObject({ title: "GTK3 Controls" });
  });

  test("carries out the pixel the model names, in a picture smaller than the window, until it says done [S0-11, S0-62, S0-63]", async () => {
    const before = pressed();
    const model = scripted(
      [
        async ({ observation }) => {
          const { size } = observation.picture ?? { size: { width: 0, height: 0 } };
          expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(400);
          return [{ action: "click", ...(await buttonIn(size)), why: "the button" }];
        },
        [{ action: "done", why: "it was pressed" }],
      ],
      { limits: { maxSide: 400, maxPixels: 1_000_000 } },
    );
    const { verdict, history } = await runAgent(session, { goal: "press", model, where: { pid: app.pid } });
    expect(verdict).toMatchObject({
      status: "done",
      message: "it was pressed",
      evidence: { confirmed: 1, unconfirmed: [] },
    });
    expect(history[0]?.actions[0]?.changes.length).toBeGreaterThan(0);
    expect(model.turns[1]?.history[0]?.outcome).toContain("click: confirmed");
    expect(model.turns.map(({ observation }) => observation.picture?.mimeType)).toEqual(["image/jpeg", "image/jpeg"]);
    await expect.poll(pressed).toBe(before + 1);
  });

  test("text that its field took only in part is not what the model is believed to have done", async () => {
    const picky = await desk.start("gtk3_picky");
    onTestFinished(() => picky.stop());
    const model = scripted([
      [{ action: "type", target: "Code", text: "ABCxyz", done: true }],
      [{ action: "done", why: "the model gives up" }],
    ]);
    const { verdict } = await runAgent(session, { goal: "enter it", model, where: { pid: picky.pid } });
    // The first claim counted for nothing, and the model was told why.
    expect(model.turns).toHaveLength(2);
    expect(model.turns[1]?.history[0]?.outcome).toContain('"yz" is missing');
    expect(verdict.evidence).toMatchObject({
      confirmed: 0,
      unconfirmed: [expect.stringContaining("only a part of the text arrived") as string],
    });
  });

  test("takes a number of the picture, a ref of the list, and the name of a thing [S3-20]", async () => {
    const before = pressed();
    const model = scripted([
      ({ observation }) => [
        { action: "click", region: Number(/(\d+) button "Press me"/.exec(observation.outline)?.[1]) },
      ],
      ({ observation }) => [{ action: "click", ref: /"Press me" (a\d+g\d+)/.exec(observation.outline)?.[1] }],
      [{ action: "click", target: "Press me", done: true }],
    ]);
    const { verdict } = await runAgent(session, { goal: "press", model, where: { pid: app.pid } });
    expect(verdict).toMatchObject({ status: "done", evidence: { confirmed: 3 } });
    await expect.poll(pressed).toBe(before + 3);
  });

  test("sends no picture to a model that does not see [S3-48]", async () => {
    const model = scripted([[{ action: "wait", ms: 1 }], [{ action: "done" }]], { sees: false });
    const { history } = await runAgent(session, { goal: "look", model, where: { pid: app.pid } });
    expect(
      model.turns.flatMap((turn) => [turn.observation, ...turn.history.map((past) => past.observation)]),
    ).toSatisfy((seen: readonly { readonly picture: unknown }[]) => seen.every(({ picture }) => picture === undefined));
    expect(history[0]?.shot?.file).toMatch(/\.jpg$/);
  });

  test("drops old pictures from what the model gets, and keeps the first and the last", async () => {
    const press = { action: "click", target: "Press me" } as const;
    const model = scripted([[press], [press], [press], [press], [{ action: "done" }]]);
    await runAgent(session, { goal: "press", model, where: { pid: app.pid } });
    const kept = model.turns.at(-1)?.history.map(({ keepsPicture }) => keepsPicture);
    expect(kept).toEqual([true, false, false, true]);
    expect(model.turns.at(-1)?.history.map(({ memory }) => memory)).toEqual([1, 2, 3, 4]);
  });

  test("in the background moves neither the pointer nor the focus", async () => {
    const other = await desk.start("gtk3_editor");
    onTestFinished(() => other.stop());
    const still = async () => [await call(session, "get_mouse_position"), await call(session, "get_active_window")];
    const before = [await still(), pressed()] as const;
    const goal = 'click "Press me"';
    const { verdict } = await runAgent(session, { goal, where: { pid: app.pid }, background: true });
    expect(verdict).toMatchObject({ status: "done", evidence: { confirmed: 1 } });
    await expect.poll(pressed).toBe(before[1] + 1);
    expect(await still()).toEqual(before[0]);
  });

  test("follows its app into the window that a form opens [S1-113]", async () => {
    const login = await desk.start("gtk3_login");
    onTestFinished(() => login.stop());
    const goal =
      'Type "testuser" into Username, type "password123" into Password, click Submit, then wait for "Welcome, testuser"';
    const result = await runAgent(session, { goal, where: { window: "Login Form" } });
    expect(result.verdict).toMatchObject({ status: "done", evidence: { confirmed: 4, unconfirmed: [] } });
    expect(result.history.at(-1)?.place).toContain("Dashboard");
  });
});

describe("the rules", () => {
  // Not 2+2: the second 2 changes nothing that can be seen, and they claim only what they have seen.
  test("compute 2+3=5 on a calculator that they start", async () => {
    const goal = "click 2, then click +, then click 3 and click =";
    const { verdict, history } = await runAgent(session, { goal, where: { app: "galculator" } });
    onTestFinished(async () => void (await call(session, "quit_app", { app_name: "galculator", force: true })));
    expect(verdict.status).toBe("done");
    expect(history[0]?.prompt).toMatchObject({ understood: ['click "2"', 'click "+"', 'click "3"', 'click "="'] });
    await call(session, "wait_for", { condition: "element", selector: "TextBox[value=5]", app_name: "galculator" });
  });

  test("refuse what they do not understand before anything is done, and say why", async () => {
    const before = pressed();
    const goal = 'click "Press me" and then make the app nicer';
    const { verdict } = await runAgent(session, { goal, where: { pid: app.pid } });
    expect(verdict).toMatchObject({ status: "stopped", reason: "refused" });
    expect(verdict.message).toContain('"make the app nicer"');
    expect(pressed()).toBe(before);
  });

  test("refuse what is not there, and name what is", async () => {
    const { verdict } = await runAgent(session, { goal: 'click "Press my"', where: { pid: app.pid } });
    expect(verdict).toMatchObject({ status: "stopped", reason: "refused" });
    expect(verdict.candidates).toContain("Press me");
  });
});

describe("handsight agent", () => {
  const inWindow = (...args: readonly string[]) => [
    "agent",
    ...args,
    "--pid",
    String(app.pid),
    "--policy",
    "allow",
    "--json",
  ];

  test("runs from the command line and prints its result as JSON [S0-71]", async () => {
    const before = pressed();
    using sandbox = openSandbox(desk.desktop.env);
    const { code, stdout, stderr } = await sandbox.run(inWindow('click "Press me"'));
    expect([code, stderr]).toEqual([0, ""]);
    const result = JSON.parse(stdout) as AgentResult & { run_folder: string };
    expect(result).toMatchObject({ model: "rules", steps: 1, verdict: { status: "done" } });
    expect(result.report).toBe(`${result.run_folder}/report.html`);
    await expect.poll(pressed).toBe(before + 1);
  });

  test("without --json says what it understood, does it and names the report", async () => {
    using sandbox = openSandbox(desk.desktop.env);
    const { code, stdout } = await sandbox.run(inWindow('click "Press me"').slice(0, -1));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Understood:\n {2}1\. click "Press me"\nDoing it:\n {2}1\. .*\n {5}confirmed.*\ndone: .*\n.*\nreport: .*report\.html\n$/,
    );
  });

  test("ends with a code that says how it went", async () => {
    using sandbox = openSandbox(desk.desktop.env);
    const refused = await sandbox.run(inWindow("book a flight"));
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([1, { verdict: { reason: "refused" } }]);
    const dry = await sandbox.run(inWindow('click "Press me"', "--dry-run"));
    expect([dry.code, JSON.parse(dry.stdout)]).toMatchObject([0, { verdict: { reason: "dry_run" } }]);
    const unknown = await sandbox.run(inWindow("click OK", "--model", "oracle"));
    expect(unknown.code).toBe(2);
    const denied = await sandbox.run([
      "agent",
      "click OK",
      "--pid",
      String(app.pid),
      "--policy",
      "observe-only",
      "--json",
    ]);
    expect([denied.code, JSON.parse(denied.stdout)]).toMatchObject([3, { verdict: { reason: "denied" } }]);
  });
});
