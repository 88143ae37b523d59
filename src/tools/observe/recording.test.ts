import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFakeSession, type FakeSession } from "../../../test/support/fake-session.ts";
import { ToolError } from "../../base/errors.ts";
import { colourOf } from "../../platform/fake/screen.ts";
import { RecordingFolder } from "./recording-folder.ts";

const windows = [
  { id: 1, title: "Editor", appName: "Editor", bounds: { x: 10, y: 20, width: 64, height: 48 } },
  { id: 2, title: "My passwords", appName: "Vault", bounds: { x: 100, y: 20, width: 64, height: 48 } },
  { id: 3, title: "Mail", appName: "Mail", bounds: { x: 200, y: 20, width: 80, height: 60 } },
];

interface Recorded {
  readonly ended: string;
  readonly message: string;
  readonly index: string;
  readonly frames: readonly { path: string; timestamp_ms: number; window_id: number; app_name: string }[];
  readonly frame_count: number;
  readonly dropped: number;
  readonly skipped: { readonly blocked: number; readonly no_window: number; readonly failed: number };
}

let folder: string;
const opened: FakeSession[] = [];

function open(flags: Record<string, string> = {}): FakeSession {
  const session = openFakeSession({ windows }, flags);
  opened.push(session);
  return session;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handsight-recording-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { session } of opened.splice(0)) await session[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const start = (fake: FakeSession, args: object = {}) =>
  fake.call("start_recording", { output_dir: join(folder, "out"), fps: 30, ...args });
const stop = async (fake: FakeSession) => (await fake.call("stop_recording")) as unknown as Recorded;
const going = (fake: FakeSession) => fake.session.recorder.current;
const framesTaken = (fake: FakeSession) => going(fake)?.frames.length ?? 0;
const refusal = async (work: Promise<unknown>) => (await work.catch((error: unknown) => error)) as { code: string };

test("stopping before starting says that nothing is being recorded, and how to begin [S2-96]", async () => {
  const error = await refusal(open().call("stop_recording"));
  expect(error).toMatchObject({ code: "not_active", hint: expect.stringContaining("start_recording") as string });
});

test("every frame is a separate file named in the result, and the index lists them all", async () => {
  const fake = open();
  await start(fake);
  await expect.poll(() => framesTaken(fake)).toBeGreaterThanOrEqual(4);
  const { frames, frame_count, index, ended } = await stop(fake);
  expect(ended).toBe("stopped");
  expect(frames).toHaveLength(frame_count);
  expect(new Set(frames.map(({ path }) => path)).size).toBe(frame_count);
  expect(frames.map(({ timestamp_ms }) => timestamp_ms)).toEqual(
    frames.map(({ timestamp_ms }) => timestamp_ms).toSorted((a, b) => a - b),
  );
  const { data, info } = await sharp(frames[3]?.path).raw().toBuffer({ resolveWithObject: true });
  expect([info.format, info.width, info.height]).toEqual(["raw", 64, 48]);
  expect(Math.abs((data[0] ?? 0) - ((colourOf(1) >> 16) & 0xff))).toBeLessThan(8);
  const listed = JSON.parse(readFileSync(index, "utf8")) as { ended: string; frames: { path: string }[] };
  expect(listed.ended).toBe("stopped");
  expect(listed.frames.map(({ path }) => join(folder, "out", path))).toEqual(frames.map(({ path }) => path));
  expect(readdirSync(join(folder, "out"))).toHaveLength(frame_count + 1);
});

test("more frames than fit into a message are left to the index, and the result says how many", async () => {
  const fake = open();
  await start(fake);
  const [frame] = going(fake)?.frames ?? [];
  if (!frame) throw new Error("there is no frame");
  going(fake)?.frames.push(...Array.from({ length: 20_000 }, () => frame));
  const { frames, frame_count, index, omitted = 0 } = (await stop(fake)) as Recorded & { omitted?: number };
  expect([frames.length + omitted, omitted > 0]).toEqual([frame_count, true]);
  expect(JSON.stringify(frames).length).toBeLessThan(2_000_000);
  expect((JSON.parse(readFileSync(index, "utf8")) as Recorded).frames).toHaveLength(frame_count);
});

test("there is one recording at a time, even if two start at the same moment", async () => {
  const fake = open();
  const both = await Promise.allSettled([start(fake), start(fake, { output_dir: join(folder, "other") })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  // Either may be first.
  const into = both[0].status === "fulfilled" ? "out" : "other";
  expect(await refusal(start(fake))).toMatchObject({
    code: "already_active",
    message: expect.stringContaining(into) as string,
    hint: expect.stringContaining("stop_recording") as string,
  });
  await stop(fake);
  await start(fake);
});

test("arguments that make no sense are refused in words, and nothing is left behind [S2-90]", async () => {
  const fake = open();
  const file = join(folder, "file");
  writeFileSync(file, "");
  symlinkSync("/etc", join(folder, "link"));
  mkdirSync(join(folder, "empty"));
  const attempts: [object, string, RegExp][] = [
    [{ output_dir: undefined }, "invalid_argument", /output_dir/],
    [{ output_dir: "" }, "invalid_argument", /output_dir/],
    [{ fps: 0 }, "invalid_argument", /fps/],
    [{ fps: 1_000 }, "invalid_argument", /fps/],
    [{ fps: -5 }, "invalid_argument", /fps/],
    [{ fps: Number.NaN }, "invalid_argument", /fps/],
    [{ fps: "fast" }, "invalid_argument", /fps/],
    [{ max_duration_ms: -1 }, "invalid_argument", /max_duration_ms/],
    [{ max_duration_ms: 1e12 }, "invalid_argument", /max_duration_ms/],
    [{ output_dir: join(folder, "missing", "out") }, "not_found", /missing" does not exist/],
    [{ output_dir: file }, "invalid_argument", /is not a folder/],
    [{ output_dir: join(file, "out") }, "denied", /does not lead to a file/],
    [{ output_dir: "/etc" }, "denied", /outside the folders/],
    [{ output_dir: join(folder, "link") }, "denied", /outside the folders/],
    [{ output_dir: join(folder, "empty", "../..", "../..", "../..", "etc") }, "denied", /outside the folders/],
  ];
  for (const [args, code, message] of attempts) {
    expect([args, await refusal(start(fake, args))]).toMatchObject([
      args,
      { code, message: expect.stringMatching(message) as string },
    ]);
    expect(going(fake)?.isGoingOn ?? false).toBe(false);
  }
  expect(readdirSync(folder).toSorted()).toEqual(["empty", "file", "link"]);
});

test("ends by itself when its time is over, and still returns its frames [S2-92, S2-94]", async () => {
  const fake = open();
  await start(fake, { max_duration_ms: 150 });
  await going(fake)?.done;
  expect(await stop(fake)).toMatchObject({ ended: "max_duration" });
  expect(await refusal(fake.call("stop_recording"))).toMatchObject({ code: "not_active" });
});

test("a frame that comes late is dropped and counted; two are never taken at the same time", async () => {
  const fake = open();
  await start(fake);
  let [now, most] = [0, 0];
  fake.backend.desktop.beforeEach = async (operation) => {
    if (operation !== "capture") return;
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 100));
    now--;
  };
  await expect.poll(() => going(fake)?.dropped).toBeGreaterThanOrEqual(4);
  fake.backend.desktop.beforeEach = undefined;
  const { dropped, frame_count } = await stop(fake);
  expect([most, dropped >= 4, frame_count > 0]).toEqual([1, true, true]);
});

test("a window that is blocked is left out and counted; the next window is recorded again [S1-99, S2-93]", async () => {
  const fake = open();
  fake.backend.desktop.activeWindow = 2;
  await start(fake);
  await expect.poll(() => going(fake)?.skipped.blocked).toBeGreaterThanOrEqual(3);
  expect(framesTaken(fake)).toBe(0);
  fake.backend.desktop.activeWindow = 3;
  await expect.poll(() => framesTaken(fake)).toBeGreaterThanOrEqual(2);
  fake.backend.desktop.activeWindow = undefined;
  await expect.poll(() => going(fake)?.skipped.no_window).toBeGreaterThanOrEqual(2);
  const { frames } = await stop(fake);
  expect(new Set(frames.map(({ window_id, app_name }) => `${window_id} ${app_name}`))).toEqual(new Set(["3 Mail"]));
});

test("a rule about one app applies to every frame, not only to the window it began with", async () => {
  const rules = join(folder, "rules.json");
  writeFileSync(rules, JSON.stringify({ rules: [{ app: "Mail", verdict: "deny" }] }));
  const fake = open({ rules });
  await start(fake);
  fake.backend.desktop.activeWindow = 3;
  await expect.poll(() => going(fake)?.skipped.blocked).toBeGreaterThanOrEqual(2);
  const { frames } = await stop(fake);
  expect(new Set(frames.map(({ window_id }) => window_id))).toEqual(new Set([1]));
});

test("a window that turns into a blocked one while its picture is taken is not in the recording", async () => {
  const fake = open();
  await start(fake);
  fake.backend.desktop.beforeEach = (operation) => {
    if (operation === "capture") fake.backend.desktop.update(1, { title: "My passwords" });
  };
  const before = framesTaken(fake);
  await expect.poll(() => going(fake)?.skipped.blocked).toBeGreaterThanOrEqual(2);
  // One frame may have been in progress when the window changed.
  expect((await stop(fake)).frame_count).toBeLessThanOrEqual(before + 1);
});

test("nor is one that a rule refuses from then on", async () => {
  const rules = join(folder, "rules.json");
  writeFileSync(rules, JSON.stringify({ rules: [{ window: "Inbox*", verdict: "deny" }] }));
  const fake = open({ rules });
  // At this rate, the next frame is far off when this one has been written.
  await start(fake, { fps: 5 });
  let captures = 0;
  fake.backend.desktop.beforeEach = (operation) => {
    if (operation !== "capture") return;
    captures++;
    fake.backend.desktop.update(1, { title: "Inbox (3)" });
  };
  const before = framesTaken(fake);
  await expect.poll(() => going(fake)?.skipped.blocked, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
  // Its picture was taken once, before the new title was known, and is not among the frames.
  expect([captures, (await stop(fake)).frame_count - before]).toEqual([1, 0]);
});

test("an existing file is never replaced", async () => {
  const out = join(folder, "out");
  mkdirSync(out);
  const now = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
  const mine = ["recording-1000000.json", "frame-1000000.jpg", "frame-1000001.jpg"];
  for (const name of mine) writeFileSync(join(out, name), "mine");
  const fake = open();
  await start(fake);
  const { frames, index } = await stop(fake);
  now.mockRestore();
  expect(mine.map((name) => readFileSync(join(out, name), "utf8"))).toEqual(mine.map(() => "mine"));
  expect([index, frames[0]?.path]).toEqual([join(out, "recording-1000001.json"), join(out, "frame-1000002.jpg")]);
});

test("the screen that goes away, the folder that goes away and the disk that is full each end it with their name", async () => {
  const fake = open();
  await start(fake);
  fake.backend.desktop.beforeEach = () => {
    throw new ToolError("not_connected", "The display is gone.");
  };
  await going(fake)?.done;
  fake.backend.desktop.beforeEach = undefined;
  expect(await stop(fake)).toMatchObject({
    ended: "screen_lost",
    message: "The screen was lost. The display is gone.",
  });

  await start(fake, { output_dir: join(folder, "gone") });
  rmSync(join(folder, "gone"), { recursive: true });
  await going(fake)?.done;
  expect(await stop(fake)).toMatchObject({
    ended: "write_failed",
    message: expect.stringContaining("ENOENT") as string,
  });

  await start(fake, { output_dir: join(folder, "full") });
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  vi.spyOn(RecordingFolder.prototype, "write").mockRejectedValue(full);
  await going(fake)?.done;
  const { ended, message, frames } = await stop(fake);
  expect([ended, frames.length > 0]).toEqual(["disk_full", true]);
  expect(message).toMatch(/no room left.*ENOSPC/);
});

test("a folder that is swapped for a link while it is written to leads nowhere", async () => {
  const fake = open();
  await start(fake);
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  rmSync(join(folder, "out"), { recursive: true });
  symlinkSync(elsewhere, join(folder, "out"));
  await going(fake)?.done;
  expect(await stop(fake)).toMatchObject({ ended: "write_failed" });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("no display is an error of the start, and leaves no file", async () => {
  const fake = open();
  fake.backend.desktop.beforeEach = () => {
    throw new ToolError("not_connected", "There is no display.");
  };
  expect(await refusal(start(fake))).toMatchObject({ code: "not_connected" });
  expect(readdirSync(join(folder, "out"))).toEqual([]);
  fake.backend.desktop.beforeEach = undefined;
  await start(fake);
});

test("ends when its client leaves, after which nobody can collect it; the index stays", async () => {
  const fake = open();
  const connection = new AbortController();
  const args = { output_dir: join(folder, "out"), fps: 30 };
  const begun = await fake.outcome("start_recording", args, { connection: connection.signal });
  const recording = going(fake);
  connection.abort();
  await recording?.done;
  expect(await refusal(fake.call("stop_recording"))).toMatchObject({ code: "not_active" });
  const index = begun.kind === "done" ? String(begun.data["index"]) : "";
  expect(JSON.parse(readFileSync(index, "utf8"))).toMatchObject({ ended: "disconnected" });
});

test("ends with the session", async () => {
  const fake = open();
  const { index } = await start(fake);
  await fake.session[Symbol.asyncDispose]();
  expect(JSON.parse(readFileSync(index as string, "utf8"))).toMatchObject({ ended: "disconnected" });
  expect(existsSync(`${String(index)}.new`)).toBe(false);
});

test("continues while others act, and delays nobody while a frame takes its time", async () => {
  const fake = open();
  await start(fake);
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  fake.backend.desktop.beforeEach = (operation) => (operation === "capture" ? held : undefined);
  await fake.call("click", { x: 300, y: 300, settle_ms: 0 });
  await fake.call("press_key", { key: "a", settle_ms: 0 });
  release();
  fake.backend.desktop.beforeEach = undefined;
  const before = framesTaken(fake);
  await expect.poll(() => framesTaken(fake)).toBeGreaterThan(before + 1);
  await stop(fake);
});

test("begins and ends while an action is in progress, without waiting for it", async () => {
  const fake = open();
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isMoving = false;
  fake.backend.desktop.beforeEach = (operation) => {
    if (operation !== "move") return undefined;
    isMoving = true;
    return held;
  };
  const clicking = fake.call("click", { x: 300, y: 300, settle_ms: 0 });
  await expect.poll(() => isMoving).toBe(true);
  await start(fake);
  expect(await stop(fake)).toMatchObject({ ended: "stopped" });
  release();
  await clicking;
});

test("counts as one capture, however many frames it takes; ending it needs no permission", async () => {
  const rules = join(folder, "rules.json");
  writeFileSync(rules, JSON.stringify({ maxCapturesPerMinute: 1, requireApprovalForCapture: true }));
  const fake = open({ policy: "ask", rules });
  const args = { output_dir: join(folder, "out"), fps: 30 };
  const asked = await fake.outcome("start_recording", args, { canAsk: true });
  if (asked.kind !== "ask") throw new Error("it did not ask");
  const request = { canAsk: true, answer: "once", questionId: asked.question.id } as const;
  expect(await fake.outcome("start_recording", args, request)).toMatchObject({ kind: "done" });
  await expect.poll(() => framesTaken(fake)).toBeGreaterThanOrEqual(3);
  expect((await stop(fake)).frame_count).toBeGreaterThanOrEqual(3);
  const again = await fake.outcome("start_recording", args, { canAsk: true, answer: "once", questionId: undefined });
  expect(again).toMatchObject({ kind: "failed", envelope: { error: { code: "rate_limited" } } });
});
