import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { ToolError } from "../../base/errors.ts";

export type Network = "latin-v3" | "regions-v4";

/** Where the packed networks lie: `assets/ocr` of the package, whether this runs from src, dist or a build folder. */
export function weightsFolder(): URL {
  return above(new URL("./package.json", import.meta.url));
}

function above(candidate: URL): URL {
  if (existsSync(candidate)) return new URL("./assets/ocr/", candidate);
  const next = new URL("../package.json", candidate);
  return next.href === candidate.href ? new URL("./assets/ocr/", import.meta.url) : above(next);
}

/** The ONNX model that `scripts/pack-ocr-weights.mjs` packed. */
export async function readNetwork(network: Network): Promise<Uint8Array> {
  return unpack(await promisify(brotliDecompress)(await need(`${network}.br`)));
}

/** What the classes of the recogniser mean; class 0 is "nothing here", and the space comes once more at the end. */
export async function readAlphabet(): Promise<readonly string[]> {
  const characters = (await need("latin-v3.txt")).toString("utf8").replace(/\n$/, "").split("\n");
  return ["", ...characters, " "];
}

async function need(name: string): Promise<Buffer> {
  try {
    return await readFile(new URL(name, weightsFolder()));
  } catch (cause) {
    throw new ToolError("not_supported", `Text cannot be read: the weights assets/ocr/${name} are missing.`, {
      hint: "Install handsight again: the weights are part of the package.",
      cause,
    });
  }
}

/** Head (size, JSON), the model without its long tensors, then the low and the high bytes of those as 16-bit floats. */
function unpack(packed: Buffer): Uint8Array {
  const headEnd = 4 + packed.readUInt32LE(0);
  const head = JSON.parse(packed.toString("utf8", 4, headEnd)) as { bytes: number; tensors: [number, number][] };
  const count = head.tensors.reduce((sum, [, length]) => sum + length / 4, 0);
  const low = packed.subarray(packed.length - 2 * count, packed.length - count);
  const high = packed.subarray(packed.length - count);
  const model = Buffer.alloc(head.bytes);
  let from = headEnd;
  let to = 0;
  let index = 0;
  for (const [offset, length] of head.tensors) {
    packed.copy(model, to, from, from + offset - to);
    from += offset - to;
    for (let at = offset; at < offset + length; at += 4) {
      model.writeFloatLE(fromHalf((low[index] as number) | ((high[index] as number) << 8)), at);
      index++;
    }
    to = offset + length;
  }
  packed.copy(model, to, from, from + head.bytes - to);
  return model;
}

function fromHalf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return half & 0x8000 ? -size : size;
}
