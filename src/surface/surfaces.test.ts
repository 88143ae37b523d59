import { expect, test } from "vitest";
import { openFake } from "../platform/fake/index.ts";
import { Encoder } from "../vision/encode.ts";
import { PixelPool } from "./pixel-pool.ts";
import { Surfaces } from "./surfaces.ts";

const signal = new AbortController().signal;
const mb = 1024 * 1024;

/** Pages come and go; their ids are never reused. */
function open(pool = new PixelPool()) {
  const pages = new Map<string, { readonly backend: ReturnType<typeof openFake> }>();
  const surfaces = new Surfaces({
    open: async () => ({ [Symbol.asyncDispose]: async () => {} }),
    find: async (_owner, id) => {
      const page = pages.get(id);
      if (!page) throw new Error(`no ${id}`);
      return page;
    },
    has: (_owner, id) => pages.has(id),
    senses: { encoder: new Encoder(), pool },
    refs: { prefix: "d" },
    guard: (backend) => backend,
  });
  const look = async (id: string) => {
    const surface = await surfaces.get(id);
    return surface.remember(await surface.picture({ kind: "screen" }, { includeCursor: false, signal }));
  };
  return { pages, surfaces, look, add: (id: string) => pages.set(id, { backend: openFake() }) };
}

test("a part that has gone is forgotten, with all its pictures", async () => {
  const { pages, surfaces, look, add } = open();
  add("page:1");
  const frame = await look("page:1");
  const [gone] = surfaces.opened();
  pages.delete("page:1");
  add("page:2");
  await look("page:2");
  expect(surfaces.opened().map(({ id }) => id)).toEqual(["page:2"]);
  expect(gone?.frames.has(frame.id)).toBe(false);
  expect(await gone?.frames.pixels(frame.id)).toBeUndefined();
});

test("however many are open, only the ones used last are kept", async () => {
  const { surfaces, look, add } = open();
  for (let count = 1; count <= 70; count++) {
    add(`page:${count}`);
    await surfaces.get(`page:${count}`);
    if (count > 1) await surfaces.get("page:1");
  }
  const ids = surfaces.opened().map(({ id }) => id);
  expect(ids.length).toBeLessThanOrEqual(66);
  expect(ids).toContain("page:1");
  expect(ids).not.toContain("page:2");
  await look("page:2");
});

test("all together keep no more pixels than the pool allows, and the newest picture always", async () => {
  const { look, surfaces, add } = open(new PixelPool(10 * mb));
  const ids = ["page:1", "page:2", "page:3", "page:4", "page:5"];
  const frames = new Map<string, string>();
  for (const id of ids) {
    add(id);
    frames.set(id, (await look(id)).id);
  }
  const kept = await Promise.all(
    surfaces
      .opened()
      .map(async ({ id, frames: own }) => (await own.pixels(frames.get(id) ?? ""))?.data.byteLength ?? 0),
  );
  expect(kept[0]).toBe(0);
  expect(kept.at(-1)).toBeGreaterThan(0);
  expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(10 * mb);
});
