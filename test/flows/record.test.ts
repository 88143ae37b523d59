import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { centre, screenPoint, type Rect } from "../../src/base/geometry.ts";
import { readFlow } from "../../src/flows/file/read-flow.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { openEye } from "../support/eye.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { openPerson } from "../support/person.ts";

/** A fresh desktop with handsight on it. */
async function openDesktop(): Promise<{ readonly env: NodeJS.ProcessEnv; readonly handsight: Handsight }> {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  return { env: desktop.env, handsight };
}

interface Where {
  readonly surface: string;
  readonly offset: { readonly x: number; readonly y: number };
}

/** Somebody who looks, moves the mouse there, hesitates, and clicks. */
function openHands(env: NodeJS.ProcessEnv, handsight: Handsight) {
  const person = openPerson(env);
  onTestFinished(() => person[Symbol.asyncDispose]());
  const [look, wait] = [350, 450];
  return {
    ...person,
    async pointAt(selector: string, { surface = "desktop", offset = { x: 0, y: 0 } } = {}): Promise<void> {
      // A person sees where it is; here the elements say so.
      const { elements } = await handsight.call("find_elements", { selector, only: true, surface });
      const [{ bounds }] = elements as [{ bounds: Rect }];
      const { x, y } = centre(bounds);
      await person.moveTo({ x: Math.round(x + offset.x), y: Math.round(y + offset.y) });
      await person.rest(look);
    },
    async clickOn(selector: string, where?: Where): Promise<void> {
      await this.pointAt(selector, where);
      await person.click();
      await person.rest(wait);
    },
    async write(text: string): Promise<void> {
      await person.type(text);
      await person.rest(wait);
    },
  };
}

async function openControls(fixture: string) {
  const { env, handsight } = await openDesktop();
  const app = await startFixture(fixture, { env, args: ["--title", "Controls"] });
  onTestFinished(() => app.stop());
  await handsight.call("wait_for", { window_title: "Controls" });
  return { env, handsight, app };
}

/** Plays the flow on this desktop, from the command line. */
async function play(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  using sandbox = openSandbox(env);
  const args = ["flow", "run", file, "--desktop", "real", "--policy", "allow"];
  const { code, stdout, stderr } = await sandbox.run(args, { env: { PASSWORD: "s3cr" } });
  expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
}

/** What the app itself says was done to it. */
const deeds = ({ events }: Fixture): readonly string[] =>
  events.flatMap(({ event, name, text, on, answer, length }) => {
    if (event === "text" && text === "Ada L.") return ["Username: Ada L."];
    if (event === "secret" && length === 4) return ["Password: 4"];
    if (event === "toggled" && name === "Check me") return [`Check me: ${String(on)}`];
    if (event === "picked" && name === "Fast") return ["Fast"];
    if (event === "menu") return [`menu ${String(name)}`];
    return event === "answer" ? [`answer ${String(answer)}`] : [];
  });
const all = ["Username: Ada L.", "Password: 4", "Check me: true", "Fast", "menu Save", "answer Yes"];

test.each(["gtk3_controls", "gtk4_controls", "qt6_controls"])(
  "what a person does in %s becomes a flow that does the same on a fresh desktop [S1-121]",
  async (fixture) => {
    const folder = mkdtempSync(join(tmpdir(), "handsight-flow-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "form.flow.yaml");
    {
      const { env, handsight, app } = await openControls(fixture);
      const hands = openHands(env, handsight);
      await handsight.call("start_demonstration", { file_path: file });
      await hands.clickOn("Field:Username");
      await hands.write("Ada L.");
      await hands.clickOn("Field:Password");
      await hands.write("s3cr");
      await hands.clickOn('checkbox:"Check me"');
      await hands.clickOn('"Fast"');
      await hands.clickOn('"File"');
      await hands.clickOn('"Save"');
      await hands.clickOn('button:"Open dialog"');
      await hands.clickOn("button:Yes");
      await expect.poll(() => deeds(app), { timeout: 5_000 }).toEqual(all);
      expect(await handsight.call("stop_demonstration", {})).toMatchObject({ ended: "stopped", file_path: file });
    }
    const written = readFileSync(file, "utf8");
    expect(written).not.toContain("s3cr");
    const { env, app } = await openControls(fixture);
    await play(file, env);
    await expect.poll(() => deeds(app), { timeout: 5_000 }).toEqual(all);
  },
);

test("what a person does in a page becomes a flow that opens the page and does the same", async () => {
  const received: string[] = [];
  const page = `<title>Order</title><form method=post>
    <label>Name <input name=who></label><label>Password <input name=pin type=password></label>
    <label><input type=checkbox name=gift>As a gift</label>
    <button type=button onclick="more.hidden = false">More</button>
    <p id=more hidden><label>Note <textarea name=note></textarea></label></p><button>Send</button></form>`;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (request.method === "POST") received.push(body);
      response.setHeader("content-type", "text/html");
      response.end(request.method === "POST" ? "<title>Thanks</title><h1>Thank you</h1>" : page);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const sent = "who=Ada&pin=s3cr&gift=on&note=By+noon";
  const folder = mkdtempSync(join(tmpdir(), "handsight-flow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "order.flow.yaml");
  let written = "";
  {
    const { env, handsight } = await openDesktop();
    const hands = openHands(env, handsight);
    await handsight.call("cdp_launch", { url });
    const surface = "page:1";
    // Where the page is on the screen.
    const script = "() => [screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]";
    const { result } = await handsight.call("cdp_evaluate_script", { function: script, surface });
    const [x = 0, y = 0] = result as number[];
    const clickOn = (selector: string) => hands.clickOn(selector, { surface, offset: { x, y } });
    await handsight.call("start_demonstration", {});
    await clickOn("Field:Name");
    await hands.write("Ada");
    await clickOn("Field:Password");
    await hands.write("s3cr");
    await clickOn('checkbox:"As a gift"');
    await clickOn("button:More");
    await clickOn("Field:Note");
    await hands.write("By noon");
    await clickOn("button:Send");
    await expect.poll(() => received, { timeout: 5_000 }).toEqual([sent]);
    const { flow } = await handsight.call("stop_demonstration", {});
    written = String(flow);
  }
  expect(written).not.toContain("s3cr");
  writeFileSync(file, written);
  const { env } = await openDesktop();
  await play(file, env);
  expect(received).toEqual([sent, sent]);
});

test("flow record launches the app, follows the person until they press the keys, and writes marks and asserts", async () => {
  const { env, handsight } = await openDesktop();
  const hands = openHands(env, handsight);
  using sandbox = openSandbox(env);
  const file = join(sandbox.folder, "tmp", "note.flow.yaml");
  const args = ["flow", "record", file, "--desktop", "real", "--policy", "allow", "--json", "--", "mousepad"];
  const recording = sandbox.run(args);
  await handsight.call("wait_for", { window_title: "Mousepad", timeout_ms: 20_000 });
  await handsight.call("wait_for", { expect: { visible: { role: "textbox" } }, timeout_ms: 20_000 });
  // The person sees that they are watched, and begins.
  using eye = await openEye(env);
  const [middle, pupil] = [screenPoint(640, 15), 0xde363e];
  await expect.poll(() => eye.colourAt(middle), { timeout: 20_000 }).toBe(pupil);
  await hands.rest(1_000);
  await hands.write("Buy milk");
  await hands.chord("ctrl", "alt", "m");
  await hands.rest(300);
  await hands.clickOn('"Edit"');
  await hands.press("escape");
  await hands.rest(500);
  await hands.pointAt("textbox");
  await hands.chord("ctrl", "alt", "e");
  await hands.rest(800);
  await hands.chord("ctrl", "alt", "s");
  const { code, stdout } = await recording;
  expect(await eye.colourAt(middle)).not.toBe(pupil);
  expect({ code, told: JSON.parse(stdout) as unknown }).toMatchObject({
    code: 0,
    told: { ended: "keys", file_path: file },
  });
  const { text } = readFlow(readFileSync(file, "utf8"), file);
  expect(text?.flow.steps).toMatchObject([
    { launch: "mousepad" },
    { fill: { text: "Buy milk" } },
    { name: "Part 1", click: "Edit" },
    { press: "escape" },
    { expect: { value: "Buy milk" } },
  ]);
});
