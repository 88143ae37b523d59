import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { makeClient } from "../mcp/connect.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { startFixture } from "../support/fixture.ts";
import { mainFile, startHandsight, type Handsight } from "../support/handsight.ts";
import { openTestWindow } from "../support/windows.ts";
import { kill, startDesktop } from "../support/xvfb.ts";

interface Frame {
  readonly timestamp_ms: number;
  readonly path: string;
  readonly app_name: string;
  readonly window_id: number;
  readonly origin_x: number;
  readonly origin_y: number;
  readonly scale: number;
  readonly pixel_width: number;
  readonly pixel_height: number;
}

interface Recorded {
  readonly ended: string;
  readonly frames: readonly Frame[];
  readonly dropped: number;
  readonly masked: number;
  readonly duration_ms: number;
}

const frameFiles = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => /^frame-\d+\.jpg$/.test(name));

/** Acts once there are two frames. */
function whenRecording(folder: string, act: () => void): void {
  const timer = setInterval(() => {
    if (!existsSync(folder) || frameFiles(folder).length < 2) return;
    clearInterval(timer);
    act();
  }, 20);
}

/** The picture of a frame, which must be a JPEG of the reported size. */
async function readFrame({ path, pixel_width, pixel_height }: Frame) {
  const { format, width, height } = await sharp(path).metadata();
  expect([format, width, height]).toEqual(["jpeg", pixel_width, pixel_height]);
  const { data } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return (x: number, y: number): readonly number[] => [...data.subarray((y * pixel_width + x) * 3).subarray(0, 3)];
}

describe("a recording", { timeout: 120_000 }, () => {
  let desktop: Awaited<ReturnType<typeof openVirtualDesktop>>;
  let c: Connection;
  let sandbox: Sandbox;
  let handsight: Handsight;
  const base = mkdtempSync(join(tmpdir(), "handsight-observe-"));
  const ids = { red: 0, blue: 0 };

  beforeAll(async () => {
    desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 2, scale: 1 });
    c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
    const size = { width: 300, height: 200 };
    ids.red = await openTestWindow(c, { ...size, x: 60, y: 80, title: "Red", className: "RedApp", colour: 0xcc2222 });
    // On the second monitor.
    ids.blue = await openTestWindow(c, {
      ...size,
      x: 900,
      y: 60,
      title: "Blue",
      className: "BlueApp",
      colour: 0x2222cc,
    });
    sandbox = openSandbox(desktop.env);
    handsight = await startHandsight(sandbox.env);
    await handsight.call("wait_for", { window_title: "Blue" });
  });
  afterAll(async () => {
    await handsight[Symbol.asyncDispose]();
    sandbox[Symbol.dispose]();
    c.close();
    await desktop[Symbol.asyncDispose]();
    rmSync(base, { recursive: true });
  });

  const place = (name: string): string => join(sandbox.folder, "tmp", name);
  const enough = async (folder: string, count: number): Promise<void> => {
    await expect.poll(() => frameFiles(folder).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
  };
  const stop = async () => (await handsight.call("stop_recording")) as unknown as Recorded;

  test("follows the window in front from app to app, each frame a JPEG with its position [S2-89, S2-93, S2-94, S2-95, S2-5h]", async () => {
    const folder = place("switch");
    await handsight.call("focus_window", { window_id: ids.red });
    await handsight.call("start_recording", { output_dir: folder, fps: 10 });
    await enough(folder, 3);
    await handsight.call("focus_window", { window_id: ids.blue });
    const before = frameFiles(folder).length;
    await enough(folder, before + 3);
    const { frames, ended } = await stop();
    expect(ended).toBe("stopped");
    expect(frames.map(({ path }) => path).toSorted()).toEqual(
      frameFiles(folder)
        .map((name) => join(folder, name))
        .toSorted(),
    );
    const { windows } = await handsight.call("list_windows");
    const seen = frames.map(({ window_id }) => window_id);
    expect(seen).toEqual([...seen.filter((id) => id === ids.red), ...seen.filter((id) => id === ids.blue)]);
    expect(new Set(seen)).toEqual(new Set([ids.red, ids.blue]));
    for (const frame of frames) {
      const listed = (windows as { window_id: number; app_name: string; bounds: object }[]).find(
        ({ window_id }) => window_id === frame.window_id,
      );
      const { origin_x: x, origin_y: y, scale, pixel_width: width, pixel_height: height } = frame;
      expect({ app: frame.app_name, bounds: { x, y, width, height }, scale }).toEqual({
        app: listed?.app_name,
        bounds: listed?.bounds,
        scale: 1,
      });
      const pixel = await readFrame(frame);
      const [red = 0, , blue = 0] = pixel(Math.floor(width / 2), Math.floor(height / 2));
      expect(red > blue ? ids.red : ids.blue).toBe(frame.window_id);
    }
  });

  test.each([undefined, 200])(
    "hides a password field where the origin and scale of the frame put it (longest side %s)",
    async (max_side) => {
      await using app = await startFixture("gtk3_login", { env: desktop.env });
      await app.waitFor(({ event }) => event === "ready");
      const { window } = await handsight.call("wait_for", { window_title: "Login Form" });
      const { window_id } = window as { window_id: number };
      await handsight.call("focus_window", { window_id });
      const { elements } = await handsight.call("find_elements", { selector: "TextBox:Password", window_id });
      const [{ bounds } = { bounds: { x: 0, y: 0, width: 0, height: 0 } }] = elements as {
        bounds: { x: number; y: number; width: number; height: number };
      }[];
      const folder = place(`login-${max_side}`);
      await handsight.call("start_recording", { output_dir: folder, fps: 10, max_side });
      await enough(folder, 3);
      const { frames, masked } = await stop();
      expect(masked).toBe(frames.length);
      const frame = frames.at(-1);
      if (!frame) throw new Error("there is no frame");
      expect(Math.max(frame.pixel_width, frame.pixel_height)).toBe(max_side ?? Math.max(frame.pixel_width, 1));
      const pixel = await readFrame(frame);
      const isBlack = (screenX: number, screenY: number): boolean =>
        Math.max(
          ...pixel(
            Math.round((screenX - frame.origin_x) * frame.scale),
            Math.round((screenY - frame.origin_y) * frame.scale),
          ),
        ) < 40;
      const [middleX, middleY] = [bounds.x + bounds.width / 2, bounds.y + bounds.height / 2];
      // Two pixels of the frame away from each edge: compression blurs across it.
      const rim = 2 / frame.scale;
      expect({
        middle: isBlack(middleX, middleY),
        left: [isBlack(bounds.x + rim, middleY), isBlack(bounds.x - rim, middleY)],
        top: [isBlack(middleX, bounds.y + rim), isBlack(middleX, bounds.y - rim)],
        right: [isBlack(bounds.x + bounds.width - rim, middleY), isBlack(bounds.x + bounds.width + rim, middleY)],
        bottom: [isBlack(middleX, bounds.y + bounds.height - rim), isBlack(middleX, bounds.y + bounds.height + rim)],
      }).toEqual({
        middle: true,
        left: [true, false],
        top: [true, false],
        right: [true, false],
        bottom: [true, false],
      });
    },
  );

  test("takes about as many frames as asked for, or says how many it dropped [S2-91, S2-92]", async () => {
    const folder = place("pace");
    await handsight.call("focus_window", { window_id: ids.red });
    const begun = await handsight.call("start_recording", { output_dir: folder, max_duration_ms: 2_000 });
    expect(begun).toMatchObject({ fps: 5, output_dir: folder });
    await expect
      .poll(() => JSON.parse(readFileSync(String(begun["index"]), "utf8")) as unknown, { timeout: 30_000 })
      .toMatchObject({ ended: "max_duration" });
    const { frames, dropped, ended, duration_ms } = await stop();
    expect(ended).toBe("max_duration");
    expect(duration_ms).toBeGreaterThanOrEqual(1_990);
    // One at the beginning and one every 200 ms; frames that the machine could not keep up with are counted.
    expect(frames.length + dropped).toBe(10);
    for (const [index, { timestamp_ms }] of frames.entries()) {
      if (index > 0) expect(timestamp_ms).toBeGreaterThan(frames[index - 1]?.timestamp_ms ?? 0);
    }
  });

  test("the emergency stop ends it, and none can be started until resume", async () => {
    const folder = place("stopped");
    const { index } = await handsight.call("start_recording", { output_dir: folder, fps: 10 });
    await enough(folder, 2);
    expect((await sandbox.run(["stop"])).code).toBe(0);
    await expect
      .poll(() => JSON.parse(readFileSync(String(index), "utf8")) as unknown, { timeout: 10_000 })
      .toMatchObject({ ended: "emergency_stop" });
    const count = frameFiles(folder).length;
    expect((await handsight.ask("start_recording", { output_dir: place("refused") })).data).toMatchObject({
      error: { code: "denied", hint: expect.stringContaining("handsight resume") as string },
    });
    expect(await stop()).toMatchObject({ ended: "emergency_stop" });
    expect(frameFiles(folder)).toHaveLength(count);
    await sandbox.run(["resume"]);
    await handsight.call("start_recording", { output_dir: folder });
    await stop();
  });

  test("in a terminal it continues until its time is over or Ctrl-C ends it, then prints what stop_recording returns", async () => {
    const args = ["--policy", "allow", "--json"];
    const timed = await sandbox.run(["start_recording", place("cli"), "--max-duration-ms", "600", ...args]);
    expect([timed.code, timed.stderr]).toEqual([0, ""]);
    expect(JSON.parse(timed.stdout)).toMatchObject({ ended: "max_duration", output_dir: place("cli") });
    const folder = place("cli-interrupted");
    const interrupted = await sandbox.run(["call", "start_recording", `output_dir=${folder}`, "fps=10", ...args], {
      started: (child) => whenRecording(folder, () => child.kill("SIGINT")),
    });
    expect([interrupted.code, interrupted.stderr]).toEqual([0, ""]);
    const { ended, frames } = JSON.parse(interrupted.stdout) as Recorded;
    expect([ended, frames.length]).toEqual(["stopped", frameFiles(folder).length]);
    let stopping: Promise<unknown> | undefined;
    const stopped = await sandbox.run(["start_recording", place("cli-stopped"), ...args], {
      started: () =>
        whenRecording(place("cli-stopped"), () => {
          stopping = sandbox.run(["stop"]);
        }),
    });
    // On a busy machine it ends after what it has stopped, and could stop what comes next.
    await stopping;
    await sandbox.run(["resume"]);
    expect([stopped.code, JSON.parse(stopped.stdout)]).toMatchObject([130, { ended: "emergency_stop" }]);
    const nothing = await sandbox.run(["stop_recording", ...args]);
    expect([nothing.code, JSON.parse(nothing.stdout)]).toMatchObject([1, { error: { code: "not_active" } }]);
  });

  test.each(["2025-11-25", "2026-07-28"] as const)("continues between the calls of a client of %s", async (era) => {
    const folder = place(`era-${era}`);
    const client = makeClient(era);
    const env = Object.fromEntries(Object.entries(sandbox.env).map(([name, value]) => [name, value ?? ""]));
    const args = [mainFile, "mcp", "--policy", "allow", "--tools", "observe"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["start_recording", "stop_recording"]),
    );
    await client.callTool({ name: "start_recording", arguments: { output_dir: folder, fps: 10 } });
    await enough(folder, 3);
    const { structuredContent } = await client.callTool({ name: "stop_recording", arguments: {} });
    expect(structuredContent).toMatchObject({ ended: "stopped", frame_count: frameFiles(folder).length });
    await client.close();
  });

  test("ends with the server, and the index names the frames that were taken", async () => {
    const folder = place("ended");
    const other = await startHandsight(sandbox.env);
    const { index } = await other.call("start_recording", { output_dir: folder, fps: 10 });
    await enough(folder, 2);
    await other[Symbol.asyncDispose]();
    const listed = JSON.parse(readFileSync(String(index), "utf8")) as Recorded;
    expect(listed.ended).toBe("disconnected");
    expect(listed.frames.map(({ path }) => path).toSorted()).toEqual(frameFiles(folder).toSorted());
  });
});

test("a display that goes away ends it, says so, and keeps the frames", { timeout: 120_000 }, async () => {
  const desktop = await startDesktop({ size: "640x480" });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  using sandbox = openSandbox(desktop.env);
  await using handsight = await startHandsight(sandbox.env);
  const c = await openConnection(desktop.display, { env: desktop.env });
  await openTestWindow(c, { x: 20, y: 30, width: 200, height: 150, title: "Editor", colour: 0x335577 });
  await handsight.call("wait_for", { window_title: "Editor" });
  const folder = join(sandbox.folder, "tmp", "film");
  const { index } = await handsight.call("start_recording", { output_dir: folder, fps: 10 });
  await expect.poll(() => frameFiles(folder).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  await kill(desktop.server);
  await expect
    .poll(() => JSON.parse(readFileSync(String(index), "utf8")) as unknown, { timeout: 20_000 })
    .toMatchObject({ ended: "screen_lost" });
  const recorded = await handsight.call("stop_recording");
  expect(recorded).toMatchObject({ ended: "screen_lost", frame_count: frameFiles(folder).length });
  expect(recorded["message"]).toContain("The screen was lost.");
  // Nothing is left of it that would prevent the next one from being answered.
  expect((await handsight.ask("start_recording", { output_dir: folder })).data).toMatchObject({
    error: { code: "not_connected" },
  });
});

describe("over HTTP", () => {
  const open = async (era: "2025-11-25" | "2026-07-28") => {
    const folder = mkdtempSync(join(tmpdir(), "handsight-observe-http-"));
    const { session } = openFakeSession({ windows: [{ id: 1, title: "Editor" }] });
    const http = await serveHttp(session, { port: 0 });
    const client = makeClient(era);
    const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(http.url), { requestInit });
    await client.connect(transport);
    onTestFinished(async () => {
      await client.close();
      await http.close();
      await session[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });
    await client.callTool({ name: "start_recording", arguments: { output_dir: join(folder, "out"), fps: 20 } });
    return { client, transport, recording: session.recorder.current };
  };

  test.each(["2025-11-25", "2026-07-28"] as const)("it continues between the calls of a client of %s", async (era) => {
    const { client, recording } = await open(era);
    await expect.poll(() => recording?.frames.length).toBeGreaterThanOrEqual(3);
    const { structuredContent } = await client.callTool({ name: "stop_recording", arguments: {} });
    expect(structuredContent).toMatchObject({ ended: "stopped" });
  });

  test("it ends when a client of 2025-11-25 ends its session", async () => {
    const { transport, recording } = await open("2025-11-25");
    expect(recording?.isGoingOn).toBe(true);
    await transport.terminateSession();
    await recording?.done;
    expect(recording?.ending.why).toBe("disconnected");
  });
});
