import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { iconKinds, makeScene, type SceneOptions } from "../../../bench/vision/scenes.ts";
import { enlarge } from "../decode.ts";
import { ImageFinder, type FindOptions } from "./finder.ts";
import type { Searchable } from "./haystack.ts";
import type { Rgba } from "./needle.ts";
import { rotations } from "./pattern.ts";
import { KernelPool } from "./pool.ts";

const finder = new ImageFinder(enlarge);
afterAll(() => finder[Symbol.asyncDispose]());

const options = (more: Partial<FindOptions> = {}): FindOptions => ({
  mode: "fast",
  maxResults: 10,
  rotations: [0],
  signal: new AbortController().signal,
  ...more,
});

const searchable = (picture: Rgba): Searchable => ({ ...picture, stride: picture.width * 4, order: "rgbx" });

/** Blocks and lines in many colours: busy, and the same nowhere twice. */
function texture(width: number, height: number, seed: number): Rgba {
  const data = new Uint8Array(width * height * 4);
  const noise = (x: number, y: number) => {
    let mixed = seed;
    for (const value of [x, y, 1]) mixed = Math.imul((mixed ^ value ^ (mixed >>> 15)) + 0x9e3779b9, 0x85ebca6b);
    return (mixed >>> 24) & 255;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const block = noise(x >> 3, y >> 3);
      data[at] = block;
      data[at + 1] = noise((x >> 3) + 1000, y >> 3);
      data[at + 2] = (x + y) % 7 === 0 ? 255 - block : block;
      data[at + 3] = 255;
    }
  }
  return { width, height, data };
}

function cut({ data, width }: Rgba, x: number, y: number, w: number, h: number): Rgba {
  const out = new Uint8Array(w * h * 4);
  for (let row = 0; row < h; row++) {
    const from = ((y + row) * width + x) * 4;
    out.set(data.subarray(from, from + w * 4), row * w * 4);
  }
  return { width: w, height: h, data: out };
}

function paste(into: Rgba, picture: Rgba, x: number, y: number): void {
  for (let row = 0; row < picture.height; row++) {
    const line = picture.data.subarray(row * picture.width * 4, (row + 1) * picture.width * 4);
    into.data.set(line, ((y + row) * into.width + x) * 4);
  }
}

/** Every channel is off by up to `by`, as after JPEG compression. */
const blurred = (picture: Rgba, by: number): Rgba => ({
  ...picture,
  data: picture.data.map((value, index) =>
    index % 4 === 3 ? 255 : Math.max(0, Math.min(255, value + ((index * 7919) % (2 * by + 1)) - by)),
  ),
});

/** Rotated clockwise. */
function turned(picture: Rgba, degrees: number): Rgba {
  if (degrees === 0) return picture;
  const { width, height, data } = picture;
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = (x * height + (height - 1 - y)) * 4;
      out.set(data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4), to);
    }
  }
  return turned({ width: height, height: width, data: out }, degrees - 90);
}

const place = fc.record({
  seed: fc.nat(1000),
  x: fc.integer({ min: 0, max: 300 }),
  y: fc.integer({ min: 0, max: 150 }),
  width: fc.integer({ min: 12, max: 90 }),
  height: fc.integer({ min: 12, max: 70 }),
});

describe("what was cut from the picture", () => {
  test("is found where it was, at any place and size [S2-150]", async () => {
    await fc.assert(
      fc.asyncProperty(place, async ({ seed, x, y, width, height }) => {
        const screen = texture(400, 240, seed);
        const picture = cut(screen, x, y, width, height);
        const { matches } = await finder.find(searchable(screen), { picture }, options());
        expect(matches[0]).toEqual({ x, y, width, height, score: 1, scale: 1, rotation: 0 });
      }),
      { numRuns: 40 },
    );
  });

  test("is found to the pixel when every pixel of it is a little off", async () => {
    await fc.assert(
      fc.asyncProperty(place, async ({ seed, x, y, width, height }) => {
        const screen = texture(400, 240, seed);
        const picture = blurred(cut(screen, x, y, width, height), 12);
        const { matches } = await finder.find(searchable(screen), { picture }, options());
        expect(matches[0]).toMatchObject({ x, y, width, height, scale: 1, rotation: 0 });
        expect(matches[0]?.score).toBeGreaterThan(0.95);
      }),
      { numRuns: 40 },
    );
  });

  test("is found rotated, and its rotation is reported [S2-157]", async () => {
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...rotations), async ({ seed, x, y, width, height }, rotation) => {
        const screen = texture(400, 240, seed);
        const upright = turned(blurred(cut(screen, x, y, width, height), 6), (360 - rotation) % 360);
        const { matches } = await finder.find(searchable(screen), { picture: upright }, options({ rotations }));
        expect(matches[0]).toMatchObject({ x, y, width, height, rotation });
      }),
      { numRuns: 30 },
    );
  });

  test("twice as large, as from a display with twice the pixels, is found at half its size", async () => {
    const screen = texture(400, 240, 5);
    const picture = await enlarge(cut(screen, 131, 67, 60, 44));
    const { matches } = await finder.find(searchable(screen), { picture }, options());
    expect(matches[0]).toMatchObject({ x: 131, y: 67, width: 60, height: 44 });
    expect(matches[0]?.scale).toBeCloseTo(0.5, 1);
  });

  test("from a display with half the pixels is found at twice its size", async () => {
    const large = texture(800, 480, 9);
    const small = cut(large, 0, 0, 400, 240);
    const screen = texture(800, 480, 10);
    paste(screen, await enlarge(cut(small, 40, 40, 56, 56)), 301, 207);
    const { matches } = await finder.find(searchable(screen), { picture: cut(small, 40, 40, 56, 56) }, options());
    expect(matches).toHaveLength(1);
    expect(matches[0]?.scale).toBeCloseTo(2, 1);
    expect(Math.abs((matches[0]?.x ?? 0) - 301)).toBeLessThanOrEqual(1);
    expect(Math.abs((matches[0]?.y ?? 0) - 207)).toBeLessThanOrEqual(1);
  });
});

test("answers the same with one worker and with three", async () => {
  const screen = texture(500, 300, 3);
  const picture = blurred(cut(screen, 211, 97, 40, 40), 10);
  const more = options({ mode: "accurate", rotations, threshold: 0.4 });
  const answers = await Promise.all(
    [1, 3].map(async (workers) => {
      await using alone = new ImageFinder(enlarge, new KernelPool(workers));
      return alone.find(searchable(screen), { picture }, more);
    }),
  );
  expect(answers[0]?.matches[0]).toMatchObject({ x: 211, y: 97 });
  expect(answers[1]).toEqual(answers[0]);
});

describe("several of the same", () => {
  const icon = cut(texture(64, 64, 77), 3, 3, 32, 32);
  const spots = [
    { x: 20, y: 30 },
    { x: 200, y: 31 },
    { x: 333, y: 170 },
  ];
  const screen = texture(400, 240, 78);
  for (const { x, y } of spots) paste(screen, blurred(icon, 8), x, y);

  test("are each found once", async () => {
    const { matches } = await finder.find(searchable(screen), { picture: icon }, options());
    expect(matches.map(({ x, y }) => ({ x, y })).toSorted((a, b) => a.x - b.x)).toEqual(spots);
  });

  test("are no more than asked for", async () => {
    const { matches } = await finder.find(searchable(screen), { picture: icon }, options({ maxResults: 2 }));
    expect(matches).toHaveLength(2);
  });

  test("fall below a threshold that is too high, and the best score is reported", async () => {
    const { matches, best } = await finder.find(searchable(screen), { picture: icon }, options({ threshold: 0.9999 }));
    expect(matches).toEqual([]);
    expect(best?.score).toBeGreaterThan(0.9);
  });
});

describe("a mask [S2-153]", () => {
  const screen = texture(400, 240, 31);
  const picture = cut(screen, 150, 90, 48, 48);
  const other = texture(48, 48, 99);
  const mask = new Uint8Array(48 * 48).fill(255);
  for (let y = 0; y < 48; y++) mask.fill(0, y * 48 + 20, (y + 1) * 48);
  const changed = { ...picture, data: picture.data.slice() };
  for (let index = 0; index < mask.length; index++) {
    if (mask[index] === 0) changed.data.set(other.data.subarray(index * 4, index * 4 + 4), index * 4);
  }

  test("makes what it covers irrelevant", async () => {
    const { matches } = await finder.find(searchable(screen), { picture: blurred(changed, 6), mask }, options());
    expect(matches[0]).toMatchObject({ x: 150, y: 90, width: 48, height: 48 });
  });

  test("is needed for that", async () => {
    const { matches } = await finder.find(searchable(screen), { picture: blurred(changed, 6) }, options());
    expect(matches).toEqual([]);
  });
});

test("the same shape in another colour is no match", async () => {
  const screen = texture(300, 200, 40);
  const red = cut(texture(60, 60, 41), 0, 0, 40, 40);
  for (let at = 0; at < red.data.length; at += 4) {
    const isInk = Math.hypot(((at / 4) % 40) - 20, Math.floor(at / 160) - 20) < 12;
    red.data.set(isInk ? [230, 30, 30, 255] : [250, 250, 250, 255], at);
  }
  const blue = {
    ...red,
    data: red.data.map((_, index) => red.data[index - (index % 4) + ([2, 1, 0, 3][index % 4] ?? 0)] ?? 0),
  };
  paste(screen, blue, 100, 80);
  expect((await finder.find(searchable(screen), { picture: blue }, options())).matches).toHaveLength(1);
  expect((await finder.find(searchable(screen), { picture: red }, options())).matches).toEqual([]);
});

test("the same pattern in a far brighter shade is no match", async () => {
  const screen = texture(300, 200, 42);
  const shaded = (by: number): Rgba => {
    const { data, ...size } = cut(texture(60, 60, 43), 0, 0, 40, 40);
    return { ...size, data: data.map((value, index) => (index % 4 === 3 ? 255 : (value >> 1) + by)) };
  };
  paste(screen, shaded(90), 100, 80);
  const search = async (by: number) =>
    (await finder.find(searchable(screen), { picture: shaded(by) }, options())).matches;
  expect(await search(80)).toMatchObject([{ x: 100, y: 80 }]);
  expect(await search(5)).toEqual([]);
});

test("what looks the same turned is one match, not four", async () => {
  const screen = texture(300, 200, 44);
  const ring = cut(texture(60, 60, 45), 0, 0, 41, 41);
  for (let at = 0; at < ring.data.length; at += 4) {
    const radius = Math.hypot(((at / 4) % 41) - 20, Math.floor(at / 164) - 20);
    ring.data.set(radius > 8 && radius < 14 ? [20, 60, 160, 255] : [245, 245, 240, 255], at);
  }
  paste(screen, blurred(ring, 6), 100, 80);
  const { matches } = await finder.find(searchable(screen), { picture: ring }, options({ rotations }));
  expect(matches).toMatchObject([{ x: 100, y: 80 }]);
});

describe("refused, with the reason:", () => {
  const screen = searchable(texture(200, 100, 1));
  const plain = (width: number, height: number, alpha = 255): Rgba => {
    const pixel = [90, 120, 200, alpha];
    return { width, height, data: new Uint8Array(width * height * 4).map((_, index) => pixel[index % 4] ?? 0) };
  };
  test.each([
    ["one pixel", plain(1, 1), "only 1×1"],
    ["a thin line", cut(texture(200, 100, 1), 0, 0, 80, 3), "only 80×3"],
    ["one colour", plain(30, 30), "a single colour"],
    ["nothing but glass", plain(30, 30, 60), "a single colour"],
    ["more than the screen", texture(900, 700, 2), "larger than the picture"],
  ])("%s", async (_what, picture, message) => {
    const search = async () => finder.find(screen, { picture }, options());
    await expect(search()).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(message),
    });
  });

  test("a mask that leaves nothing", async () => {
    const picture = texture(30, 30, 1);
    const search = async () => finder.find(screen, { picture, mask: new Uint8Array(900) }, options());
    await expect(search()).rejects.toMatchObject({ message: expect.stringContaining("mask") });
  });

  test("scales that are too many or the wrong way round", async () => {
    const picture = texture(30, 30, 1);
    const search = async (scales: FindOptions["scales"]) => finder.find(screen, { picture }, options({ scales }));
    await expect(search({ min: 2, max: 1, step: 0.1 })).rejects.toMatchObject({ code: "invalid_argument" });
    await expect(search({ min: 0.1, max: 10, step: 0.01 })).rejects.toMatchObject({ code: "invalid_argument" });
  });
});

describe("the threads", () => {
  const screen = texture(1200, 800, 50);
  const elsewhere = cut(texture(80, 80, 51), 0, 0, 64, 64);

  test("leave this one free meanwhile", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await finder.find(searchable(screen), { picture: elsewhere }, options({ mode: "accurate", rotations }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  test("stop when the search is cancelled, and serve the next", async () => {
    const abort = new AbortController();
    const searching = finder.find(
      searchable(screen),
      { picture: elsewhere },
      options({ mode: "accurate", rotations, signal: abort.signal }),
    );
    setImmediate(() => abort.abort());
    await expect(searching).rejects.toMatchObject({ code: "cancelled" });
    const { matches } = await finder.find(searchable(screen), { picture: cut(screen, 9, 9, 40, 40) }, options());
    expect(matches[0]).toMatchObject({ x: 9, y: 9 });
  });
});

describe("icons on busy screens", () => {
  const sceneOptions: SceneOptions = {
    width: 640,
    height: 360,
    templateSize: 48,
    scale: [0.5, 2],
    rotations,
    isPresent: true,
  };
  const scales = { min: 0.5, max: 2, step: 0.125 };

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("drawn at another size and rotated come first (%i)", async (seed) => {
    const { screen, template, truth, kind } = await makeScene(seed, sceneOptions);
    expect(iconKinds).toContain(kind);
    const { matches } = await finder.find(searchable(screen), { picture: template }, options({ scales, rotations }));
    const middle = (start: number, length: number) => start + length / 2;
    const [first] = matches;
    const size = truth?.size ?? 0;
    expect(Math.abs(middle(first?.x ?? 0, first?.width ?? 0) - middle(truth?.x ?? 0, size))).toBeLessThan(3);
    expect(Math.abs(middle(first?.y ?? 0, first?.height ?? 0) - middle(truth?.y ?? 0, size))).toBeLessThan(3);
    expect(Math.abs((first?.width ?? 0) - size)).toBeLessThanOrEqual(3);
  });

  test.each([100, 101, 102, 103, 104, 105])("that are not there are not found (%i)", async (seed) => {
    const { screen, template } = await makeScene(seed, { ...sceneOptions, isPresent: false });
    const found = await finder.find(searchable(screen), { picture: template }, options({ scales, rotations }));
    expect(found.matches).toEqual([]);
  });
});
