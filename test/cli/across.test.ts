import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSandbox, type CliResult, type Sandbox } from "../support/cli.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../simulators/android/lab.ts";
import { small } from "../simulators/android/session.ts";

/** Each line of a job is a process of its own: what one has found, the next one uses. */
function openLine(sandbox: Sandbox, env: NodeJS.ProcessEnv) {
  const run = (...args: string[]): Promise<CliResult> =>
    sandbox.run(args, { env: { ...env, HANDSIGHT_SESSION: "", HANDSIGHT_POLICY: "allow" } });
  const say = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  return { run, say };
}

const uidIn = (text: string, pattern: RegExp): string => {
  const [, uid] = pattern.exec(text) ?? [];
  if (uid === undefined) throw new Error(`${pattern} is not in:\n${text}`);
  return uid;
};

const confirmed = /^(?:<screen-data \w+> )?confirmed/;

describe("on a page", () => {
  let sandbox: Sandbox;
  let server: Server;
  const page = `<!doctype html><title>Form</title><label>Name <input id="name"></label> <button id="edit">Edit</button>
<p id="said">Nobody</p><script>
const at = (id) => document.getElementById(id);
at("edit").onclick = () => { at("said").textContent = "Editing"; };
at("name").oninput = () => { at("said").textContent = "Hello " + at("name").value; };
</script>`;
  beforeAll(async () => {
    sandbox = openSandbox();
    server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await openLine(sandbox, {}).run("session", "stop", "--all");
    server.closeAllConnections();
    server.close();
    sandbox[Symbol.dispose]();
  });

  test("six commands look, click by uid, fill and read; a pixel of a picture and a numbered region can be clicked", async () => {
    const { say } = openLine(sandbox, {});
    await say("open", "--desktop", "virtual", "--size", "1000x700");
    const { port } = server.address() as AddressInfo;
    const surface = uidIn(await say("cdp_launch", `http://127.0.0.1:${port}/`, "--headless"), /(page:\d+)/);
    const seen = await say("take_ax_snapshot", "--surface", surface);
    expect(await say("click", "--uid", uidIn(seen, /button "Edit" (d\d+)/))).toMatch(confirmed);
    expect(await say("cdp_fill", "--uid", uidIn(seen, /textbox "Name" (d\d+)/), "Ada")).toMatch(confirmed);
    expect(await say("take_ax_snapshot", "--surface", surface)).toContain("Hello Ada");

    const marks = await say("mark_regions", "--surface", surface);
    expect(await say("click_region", uidIn(marks, /(\d+) button "Edit"/), "--surface", surface)).toMatch(confirmed);
    await say("cdp_fill", "--uid", uidIn(seen, /textbox "Name" (d\d+)/), "Grace");
    const shot = JSON.parse(await say("take_screenshot", "--surface", surface, "--json")) as Record<string, number>;
    const found = JSON.parse(await say("find_text", "Edit", "--surface", surface, "--json")) as {
      matches: readonly { x: number; y: number }[];
    };
    const [at] = found.matches;
    const scale = shot["screenshot_scale"] ?? 1;
    const pixel = (value = 0, origin = 0): string => String(Math.round((value - origin) * scale));
    const clicked = await say(
      "click",
      "--surface",
      surface,
      "--screenshot-id",
      String(shot["screenshot_id"]),
      "--screenshot-x",
      pixel(at?.x, shot["screenshot_origin_x"]),
      "--screenshot-y",
      pixel(at?.y, shot["screenshot_origin_y"]),
    );
    expect(clicked).toMatch(confirmed);
    expect(await say("take_ax_snapshot", "--surface", surface)).toContain("Editing");
  });
});

describe("on a device", () => {
  let sandbox: Sandbox;
  let lab: AndroidLab;
  let device: AndroidTarget;
  beforeAll(async () => {
    lab = await startAndroid(small);
    [device] = lab.devices as [AndroidTarget];
    sandbox = openSandbox();
  });
  afterAll(async () => {
    await openLine(sandbox, {}).run("session", "stop", "--all");
    sandbox?.[Symbol.dispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  test("six commands look, fill and click by uid, and read; a pixel of a picture can be clicked", async () => {
    const { say } = openLine(sandbox, { ...lab.env, ...sandbox.env });
    const surface = `android:${device.serial}`;
    await say("android_connect", device.serial);
    await say("android_launch_app", "org.example.notes");
    const seen = await say("take_ax_snapshot", "--surface", surface);
    const note = uidIn(seen, /textbox[^\n]*? (n\d+(?:g\d+)?)/);
    expect(await say("ax_set_value", "--uid", note, "milk")).toMatch(confirmed);
    expect(await say("read_text", "--uid", note)).toContain("milk");
    expect(await say("click", "--uid", uidIn(seen, /button "Save" (n\d+(?:g\d+)?)/))).toMatch(confirmed);
    expect(device.events().filter(({ kind }) => kind === "submit")).toHaveLength(1);

    await say("android_press_key", "KEYCODE_HOME");
    const shot = JSON.parse(await say("take_screenshot", "--surface", surface, "--json")) as Record<string, number>;
    const found = JSON.parse(await say("android_find_text", "Settings", "--json")) as {
      matches: readonly { x: number; y: number }[];
    };
    const [at] = found.matches;
    const scale = shot["screenshot_scale"] ?? 1;
    const clicked = await say(
      "click",
      "--surface",
      surface,
      "--screenshot-id",
      String(shot["screenshot_id"]),
      "--screenshot-x",
      String(Math.round((at?.x ?? 0) * scale)),
      "--screenshot-y",
      String(Math.round((at?.y ?? 0) * scale)),
    );
    expect(clicked).toMatch(confirmed);
    expect(device.events().at(-1)).toEqual({ kind: "launch", package: "com.android.settings" });
  });
});
