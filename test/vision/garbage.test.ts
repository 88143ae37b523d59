import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { bomb } from "../support/bomb.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { residentMb } from "../support/memory.ts";

let folder: string;
let desktop: VirtualDesktop;
let handsight: Handsight;
let memoryBefore: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-garbage-"));
  desktop = await openVirtualDesktop({ width: 640, height: 480, scale: 1, monitors: 1 });
  handsight = await startHandsight(desktop.env);
  await handsight.call("take_screenshot", { mode: "screen" });
  memoryBefore = await residentMb(handsight.pid);
});
afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const red = { r: 220, g: 30, b: 40 };
const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: red } });
const noise = (width: number, height: number) =>
  sharp(
    Uint8Array.from({ length: width * height * 3 }, (_, at) => Math.imul(at ^ (at >>> 7), 0x9e3779b1) >>> 24),
    { raw: { width, height, channels: 3 } },
  );

async function errorOf(tool: string, args: object): Promise<unknown> {
  const { isError, data } = await handsight.ask(tool, args);
  expect(isError, `${tool} ${JSON.stringify(args)} answered ${JSON.stringify(data).slice(0, 200)}`).toBe(true);
  return data["error"];
}

async function save(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe("a picture that cannot be used is refused with what is wrong about it:", () => {
  test.each([
    ["nothing", "empty.png", async () => Buffer.alloc(0), "empty"],
    ["text called .png", "text.png", async () => Buffer.from("no picture at all"), "cannot be read as a picture"],
    [
      "half a picture",
      "half.png",
      async () => (await noise(60, 60).png().toBuffer()).subarray(0, 900),
      "cannot be read",
    ],
    [
      "one with its middle overwritten",
      "torn.png",
      async () => torn(await noise(60, 60).png().toBuffer()),
      "cannot be read",
    ],
    ["20 000 × 20 000 pixels", "bomb.png", async () => bomb(20_000, 20_000), "20000×20000 pixels"],
  ])("%s", async (_what, name, make, message) => {
    const path = await save(name, await make());
    const refused = { code: "invalid_argument", message: expect.stringContaining(message) };
    expect(await errorOf("load_image", { path })).toMatchObject(refused);
    const image = Buffer.from(await make()).toString("base64");
    if (image === "") return;
    expect(await errorOf("load_image", { image_base64: image })).toMatchObject(refused);
    expect(await errorOf("find_image", { template_image_base64: image })).toMatchObject(refused);
  });
});

describe("an odd picture is loaded as what it is:", () => {
  test.each([
    ["one pixel", "dot.png", () => plain(1, 1).png(), { width: 1, height: 1 }],
    ["CMYK", "print.jpg", () => plain(16, 16).toColourspace("cmyk").jpeg(), { channels: 3, mime: "image/jpeg" }],
    ["16 bits a channel", "deep.png", () => plain(16, 16).toColourspace("rgb16").png(), { channels: 3 }],
    [
      "a JPEG called .png",
      "photo.png",
      () => plain(16, 16).jpeg(),
      { mime: "image/jpeg", note: expect.stringContaining(".png") },
    ],
  ])("%s", async (_what, name, make, told) => {
    const path = await save(name, await make().toBuffer());
    expect(await handsight.call("load_image", { path })).toMatchObject(told);
  });

  test("an animation, of which the first picture counts", async () => {
    const frames = Buffer.concat([Buffer.alloc(300, 250), Buffer.alloc(300, 5)]);
    const gif = sharp(frames, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } }).gif();
    const path = await save("moving.gif", await gif.toBuffer());
    expect(await handsight.call("load_image", { path })).toMatchObject({
      width: 10,
      height: 10,
      note: expect.stringContaining("first of its 2 pictures"),
    });
  });
});

describe("a search that cannot succeed says why:", () => {
  test.each([
    ["a template larger than the screen", () => noise(900, 700).png(), "larger than the picture to search"],
    ["a template of one pixel", () => plain(1, 1).png(), "only 1×1 pixels"],
    ["a template of one colour", () => plain(40, 40).png(), "a single colour"],
  ])("%s", async (_what, make, message) => {
    const image = (await make().toBuffer()).toString("base64");
    const args = { template_image_base64: image, scales: { min: 1, max: 1 } };
    expect(await errorOf("find_image", args)).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/Cut out/),
    });
  });
});

test.each([
  ["find_image", { template_id: "img77zzz" }, "img77zzz"],
  ["mark_regions", { mode: "screen", template_ids: ["img77zzz"] }, "img77zzz"],
  ["compare_screenshots", { before: "f77zzz" }, "f77zzz"],
  ["compare_screenshots", { before: "f77zzz", after: "f78zzz" }, "f77zzz"],
  ["ocr", { screenshot_id: "f77zzz" }, "f77zzz"],
  ["click", { screenshot_id: "f77zzz", screenshot_x: 5, screenshot_y: 5 }, "f77zzz"],
  ["click_region", { region: 77 }, "marked yet"],
  ["click_region", { region_id: "r77" }, "marked yet"],
])("%s with an unknown id is refused: %j", async (tool, args, message) => {
  expect(await errorOf(tool, args)).toMatchObject({
    code: expect.stringMatching(/^(not_found|invalid_argument)$/),
    message: expect.stringContaining(message),
  });
});

test("afterwards the server answers as before, and has kept none of it", async () => {
  const bytes = Buffer.from(bomb(20_000, 20_000)).toString("base64");
  for (let count = 0; count < 5; count++) await errorOf("load_image", { image_base64: bytes });
  expect(await handsight.call("get_mouse_position")).toMatchObject({ x: expect.any(Number) });
  // Decoded, a single large one would take 1200 MB.
  expect((await residentMb(handsight.pid)) - memoryBefore).toBeLessThan(250);
});

function torn(bytes: Buffer): Buffer {
  const out = Buffer.from(bytes);
  out.fill(0xa5, 45, Math.min(out.length - 12, 2_000));
  return out;
}
