import { expect, test } from "vitest";
import { ImageStore } from "./image-store.ts";

const image = (bytes: number) => ({ width: 1, height: 1, data: new Uint8Array(bytes), isMask: false });
const mebi = 1024 * 1024;

test("a loaded image is found by its id, another id is not_found with what to do", () => {
  const store = new ImageStore();
  const { id } = store.add(image(4), "icon");
  expect(id).toMatch(/^icon1[a-z]{3}$/);
  expect(store.get(id).data).toHaveLength(4);
  expect(() => store.get("icon2abc")).toThrow(
    expect.objectContaining({ code: "not_found", details: { hint: expect.stringContaining("load_image") } }),
  );
});

test("memory is bounded: the least recently used is dropped first", () => {
  const store = new ImageStore();
  const [a, b, c] = [20, 20, 20].map((size) => store.add(image(size * mebi), "i").id) as [string, string, string];
  store.get(a);
  store.add(image(20 * mebi), "i");
  expect(store.get(a).id).toBe(a);
  expect(store.get(c).id).toBe(c);
  expect(() => store.get(b)).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("so is their number", () => {
  const store = new ImageStore();
  const first = store.add(image(4), "i").id;
  for (let count = 0; count < 500; count++) store.add(image(4), "i");
  expect(() => store.get(first)).toThrow(expect.objectContaining({ code: "not_found" }));
});
