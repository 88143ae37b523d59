import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { findRuntime } from "../../vision/ocr/runtime.ts";
import { readNetwork } from "../../vision/ocr/weights.ts";
import { openNetwork } from "./onnx.ts";

const library = findRuntime() ?? "";
const height = 40;

const line = (width: number, shade: number) => new Float32Array(3 * height * width).fill(shade);

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

test("a network answers every line it is given, also after a garbage collection", async () => {
  const network = openNetwork(library, await readNetwork("latin-v3"), { keepsMemory: true });
  const first = network.run(line(64, 1), [1, 3, height, 64]);
  const likelihoods = Float32Array.from(first.data);
  for (const width of [32, 128, 64]) {
    collectGarbage();
    expect(network.run(line(width, -1), [1, 3, height, width]).dims).toEqual([1, width / 8, 454]);
  }
  // An earlier answer must not be overwritten.
  expect(first.data).toEqual(likelihoods);
  expect(network.run(line(64, 1), [1, 3, height, 64]).data).toEqual(likelihoods);
});

test("what the runtime refuses is reported in its words", async () => {
  const noNetwork = Buffer.from("this is no network");
  expect(() => openNetwork(library, noNetwork, { keepsMemory: true })).toThrow(/CreateSessionFromArray: .*protobuf/i);
  const network = openNetwork(library, await readNetwork("latin-v3"), { keepsMemory: true });
  expect(() => network.run(line(64, 1), [1, 2, height, 64])).toThrow(/^Run: .+/);
});

test("names a library that is not one", () => {
  expect(() => openNetwork("libnone.so.0", new Uint8Array(1), { keepsMemory: true })).toThrow("libnone.so.0");
});
