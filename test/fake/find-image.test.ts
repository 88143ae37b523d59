import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createHash } from "node:crypto";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compileKernel, kernels } from "../../scripts/setup/kernel.mjs";
import { openFakeSession } from "../support/fake-session.ts";

const root = join(import.meta.dirname, "../..");
const editor = {
  id: 1,
  title: "Editor",
  appName: "Editor",
  pid: 11,
  bounds: { x: 100, y: 50, width: 400, height: 300 },
};
const mail = { id: 2, title: "Mail", appName: "Mail", pid: 22, bounds: { x: 600, y: 300, width: 200, height: 150 } };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-images-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function open() {
  const fake = openFakeSession({ width: 960, height: 540, windows: [editor, mail] });
  onTestFinished(() => fake.session[Symbol.asyncDispose]());
  return fake;
}

/** A part of the whole fake screen, as a file: only the corner of a window can be found. */
async function cutScreen(fake: ReturnType<typeof open>, x: number, y: number, width: number, height: number) {
  const { screenshot_id: id } = await fake.call("take_screenshot", { mode: "screen" });
  const whole = await fake.session.readFrame?.(String(id));
  const path = join(folder, `cut-${x}-${y}.png`);
  await sharp(whole?.bytes).extract({ left: x, top: y, width, height }).png().toFile(path);
  return path;
}

describe("load_image", () => {
  test("keeps a file and says what it is [S2-147, S2-148, S2-149]", async () => {
    const { call } = open();
    const path = join(folder, "icon.png");
    const bytes = await sharp({ create: { width: 40, height: 20, channels: 4, background: "#f008" } })
      .png()
      .toBuffer();
    await writeFile(path, bytes);
    const loaded = await call("load_image", { path, id_prefix: "icon", return_base64: true });
    expect(loaded).toMatchObject({
      image_id: expect.stringMatching(/^icon/),
      width: 40,
      height: 20,
      channels: 4,
      mime: "image/png",
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    const back = await sharp(Buffer.from(String(loaded["image_base64"]), "base64")).metadata();
    expect(back).toMatchObject({ width: 40, height: 20, format: "png" });
    expect(await call("load_image", { path, max_width: 10 })).toMatchObject({ width: 10, height: 5 });
    expect(await call("load_image", { path, as_mask: true })).toMatchObject({ channels: 1 });
    expect(await call("load_image", { path })).not.toHaveProperty("image_base64");
  });

  test("says when the name of a file is wrong about it, and when there is more in it", async () => {
    const { call } = open();
    const path = join(folder, "photo.png");
    const two = Buffer.concat([Buffer.alloc(300, 250), Buffer.alloc(300, 5)]);
    const gif = await sharp(two, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } })
      .gif()
      .toBuffer();
    await writeFile(path, gif);
    const { note, mime } = await call("load_image", { path });
    expect(mime).toBe("image/gif");
    expect(note).toContain("first of its 2 pictures");
    expect(note).toContain("ends in .png, but it is image/gif");
  });

  test.each([
    [{}, "invalid_argument", "either path or image_base64"],
    [{ path: "a.png", image_base64: "AAAA" }, "invalid_argument", "either path or image_base64"],
    [{ path: "no-such-file.png" }, "not_found", "no-such-file.png"],
    [{ path: import.meta.dirname }, "invalid_argument", "is a folder, not a file"],
    [{ path: "/dev/zero" }, "denied", "outside the folders"],
    [{ path: import.meta.filename }, "invalid_argument", "cannot be read as a picture"],
    [{ image_base64: "?" }, "invalid_argument", "not base64"],
    [{ path: "a.png", id_prefix: "../x" }, "invalid_argument", "id_prefix"],
  ])("%j is refused", async (args, code, message) => {
    const { call } = open();
    await expect(call("load_image", args)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe("find_image", () => {
  test("finds a template in a new picture of the screen; a click there lands in its centre [S2-150, S2-158, S2-159]", async () => {
    const fake = open();
    const { image_id } = await fake.call("load_image", { path: await cutScreen(fake, 80, 40, 60, 30) });
    const { matches, screenshot_id } = await fake.call("find_image", { template_id: image_id });
    expect(matches).toEqual([
      {
        score: 1,
        bbox: { x: 80, y: 40, w: 60, h: 30 },
        center: { x: 110, y: 55 },
        scale: 1,
        rotation: 0,
        screen_x: 110,
        screen_y: 55,
      },
    ]);
    expect(screenshot_id).toMatch(/^f\d/);
    const [{ screen_x: x, screen_y: y }] = matches as [{ screen_x: number; screen_y: number }];
    await fake.call("click", { x, y });
    expect(fake.backend.desktop.events).toContain("move 110,55");
  });

  test("in a shrunk screenshot: boxes in its pixels, searched at full size [S2-151]", async () => {
    const fake = open();
    const { image_id } = await fake.call("load_image", { path: await cutScreen(fake, 584, 284, 64, 64) });
    const shot = await fake.call("take_screenshot", { mode: "screen", max_side: 240 });
    const { matches } = await fake.call("find_image", { template_id: image_id, screenshot_id: shot["screenshot_id"] });
    expect(matches).toMatchObject([
      { bbox: { x: 146, y: 71, w: 16, h: 16 }, center: { x: 154, y: 79 }, screen_x: 616, screen_y: 316 },
    ]);
  });

  test("in a screenshot of a window that moved since, it is where the window is now", async () => {
    const fake = open();
    // The fake paints a window in one colour, so an edge must come from the picture of a region.
    const { image_id } = await fake.call("load_image", { path: await cutScreen(fake, 80, 40, 60, 30) });
    const shot = await fake.call("take_window_screenshot", { window_id: 1 });
    fake.backend.desktop.update(1, { bounds: { ...editor.bounds, x: 130 } });
    const found = await fake.call("find_image", { template_id: image_id, screenshot_id: shot["screenshot_id"] });
    expect(found["warning"]).toContain("moved by 30,0");
    fake.backend.desktop.update(1, { bounds: { ...editor.bounds, width: 350 } });
    await expect(
      fake.call("find_image", { template_id: image_id, screenshot_id: shot["screenshot_id"] }),
    ).rejects.toMatchObject({ code: "stale_frame" });
  });

  test("takes all pictures as base64, and maps through the origin and scale given [S2-151, S2-152, S2-153]", async () => {
    const fake = open();
    const template = readFileSync(await cutScreen(fake, 80, 40, 60, 30)).toString("base64");
    const screenshot = readFileSync(await cutScreen(fake, 20, 10, 300, 200)).toString("base64");
    const white = await sharp({ create: { width: 60, height: 30, channels: 3, background: "#fff" } })
      .png()
      .toBuffer();
    const args = {
      template_image_base64: template,
      screenshot_image_base64: `data:image/png;base64,${screenshot}`,
      mask_image_base64: white.toString("base64"),
    };
    const unplaced = await fake.call("find_image", args);
    expect(unplaced["matches"]).toEqual([
      { score: 1, bbox: { x: 60, y: 30, w: 60, h: 30 }, center: { x: 90, y: 45 }, scale: 1, rotation: 0 },
    ]);
    expect(unplaced["warning"]).toContain("screenshot_origin_x");
    const placed = await fake.call("find_image", {
      ...args,
      screenshot_origin_x: 20,
      screenshot_origin_y: 10,
      screenshot_scale: 1,
    });
    expect(placed["matches"]).toMatchObject([{ screen_x: 110, screen_y: 55 }]);
  });

  test("a window or a region may be searched alone", async () => {
    const fake = open();
    const { image_id } = await fake.call("load_image", { path: await cutScreen(fake, 80, 40, 60, 30) });
    const region = { x: 60, y: 0, width: 300, height: 200 };
    const inside = await fake.call("find_image", { template_id: image_id, region });
    expect(inside["matches"]).toMatchObject([{ bbox: { x: 20, y: 40 }, screen_x: 110, screen_y: 55 }]);
    const elsewhere = await fake.call("find_image", { template_id: image_id, app_name: "Mail" });
    expect(elsewhere["matches"]).toEqual([]);
  });

  test("a threshold, a number of results and the sizes to try may be given; fast stops at exact copies [S2-154…S2-156]", async () => {
    const fake = open();
    const { desktop } = fake.backend;
    // The third one differs a little.
    for (const [x, colour] of [
      [120, 0xff_ff_ff],
      [220, 0xff_ff_ff],
      [320, 0xd0_d0_d0],
    ] as const) {
      desktop.paint({ windowId: 1, rect: { x, y: 120, width: 30, height: 20 }, colour: 0xff_00_00 });
      desktop.paint({ windowId: 1, rect: { x: x + 10, y: 125, width: 10, height: 10 }, colour });
    }
    const { image_id: template_id } = await fake.call("load_image", { path: await cutScreen(fake, 110, 110, 50, 40) });
    const count = async (more: object) => {
      const { matches } = await fake.call("find_image", { template_id, mode: "accurate", ...more });
      return (matches as unknown[]).length;
    };
    expect(await count({ threshold: 0.5 })).toBe(3);
    expect(await count({ threshold: 0.5, mode: "fast" })).toBe(2);
    expect(await count({ threshold: 0.999 })).toBe(2);
    expect(await count({ threshold: 0.5, max_results: 1 })).toBe(1);
    expect(await count({ threshold: 0.999, scales: { min: 1.5, max: 2, step: 0.1 } })).toBe(0);
    expect(await count({ threshold: 0.999, scales: { min: 1, max: 1.2, step: 0.1 } })).toBe(2);
  });

  test("unknown ids, sizes that do not fit and mixed forms are refused, each with its own message", async () => {
    const fake = open();
    const { image_id } = await fake.call("load_image", { path: await cutScreen(fake, 80, 40, 60, 30) });
    const { image_id: small } = await fake.call("load_image", { path: await cutScreen(fake, 80, 40, 50, 30) });
    const { image_id: whole } = await fake.call("load_image", { path: await cutScreen(fake, 0, 0, 900, 500) });
    const { image_id: mask } = await fake.call("load_image", {
      path: await cutScreen(fake, 80, 40, 60, 30),
      as_mask: true,
    });
    const cases: readonly [object, string, string][] = [
      [{}, "invalid_argument", "no template"],
      [{ template_id: "img99xyz" }, "not_found", "img99xyz"],
      [{ template_id: image_id, screenshot_id: "f99xyz" }, "not_found", "f99xyz"],
      [{ template_id: image_id, mask_id: "m1abc" }, "not_found", "m1abc"],
      [{ template_id: image_id, mask_id: small }, "invalid_argument", "mask is 50×30"],
      [{ template_id: mask }, "invalid_argument", "loaded as a mask"],
      [{ template_id: image_id, template_image_base64: "AAAA" }, "invalid_argument", "either template_id"],
      [{ template_id: image_id, screenshot_id: "f1", app_name: "Mail" }, "invalid_argument", "More than one place"],
      [{ template_id: image_id, rotations: [45] }, "invalid_argument", "90, 180 or 270"],
      [{ template_id: image_id, threshold: 1.5 }, "invalid_argument", "threshold"],
      [{ template_id: whole, app_name: "Mail" }, "invalid_argument", "larger than the picture"],
    ];
    for (const [args, code, message] of cases) {
      await expect(fake.call("find_image", args)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
    }
  });

  test("pictures do not end up in the journal", async () => {
    const { session } = open();
    const tools = session.tools.filter(({ set }) => set === "vision");
    const pictures = tools.flatMap(({ input, secret = [] }) =>
      Object.keys(input.shape).filter(
        (field) => field.endsWith("base64") && field !== "return_base64" && !secret.includes(field),
      ),
    );
    expect(tools.map(({ name }) => name)).toContain("find_image");
    expect(pictures).toEqual([]);
  });
});

test.each(kernels)("$module is what $source compiles to", { timeout: 60_000 }, async (kernel) => {
  expect(await compileKernel(root, kernel)).toBe(readFileSync(join(root, kernel.module), "utf8"));
});
