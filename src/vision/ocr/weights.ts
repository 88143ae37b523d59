import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { ToolError } from "../../base/errors.ts";

export type Network = "latin-v3" | "regions-v4";

export interface Alphabets {
  /** What the classes of the network mean. */
  readonly alphabet: readonly string[];
  /** What the classes of its second head mean, which follow; only the network of the package has one. */
  readonly accented?: readonly string[] | undefined;
}

/** What reads a line of text: an ONNX network and its letters. */
export interface RecogniserWeights extends Alphabets {
  readonly model: Uint8Array;
}

/** Where the packed networks are: `assets/ocr` of the package, whether this runs from src, dist or a build folder. */
export function weightsFolder(): URL {
  return above(new URL("./package.json", import.meta.url));
}

function above(candidate: URL): URL {
  if (existsSync(candidate)) return new URL("./assets/ocr/", candidate);
  const next = new URL("../package.json", candidate);
  return next.href === candidate.href ? new URL("./assets/ocr/", import.meta.url) : above(next);
}

/** The ONNX model that was packed by `scripts/ocr-weights/pack.mjs`. */
export async function readNetwork(network: Network): Promise<Uint8Array> {
  return unpack(await promisify(brotliDecompress)(await need(new URL(`${network}.br`, weightsFolder()))));
}

/** The package's own, or `recogniser.onnx` and `alphabet.txt` from a folder. */
export async function readRecogniser(folder: string | undefined): Promise<RecogniserWeights> {
  const [, letters] = recogniserFiles(folder);
  const [model, alphabet, accented] = await Promise.all([
    folder === undefined ? readNetwork("latin-v3") : need(recogniserFiles(folder)[0]),
    need(letters),
    folder === undefined ? need(secondLetters()) : undefined,
  ]);
  return { model, alphabet: toClasses(alphabet), accented: accented && toClasses(accented) };
}

/** All letters that can be read. */
export function readLetters(folder: string | undefined): readonly string[] {
  const own = lettersOf(readFileSync(recogniserFiles(folder)[1]));
  return folder === undefined ? [...new Set([...own, ...lettersOf(readFileSync(secondLetters()))])] : own;
}

export function recogniserFiles(folder: string | undefined): readonly [network: URL, letters: URL] {
  if (folder === undefined) return [new URL("latin-v3.br", weightsFolder()), new URL("latin-v3.txt", weightsFolder())];
  return [pathToFileURL(join(folder, "recogniser.onnx")), pathToFileURL(join(folder, "alphabet.txt"))];
}

const secondLetters = (): URL => new URL("latin-accents.txt", weightsFolder());

/** Class 0 is "nothing here", and the space comes again at the end. */
const toClasses = (file: Buffer): string[] => ["", ...lettersOf(file), " "];

const lettersOf = (file: Buffer): string[] =>
  file
    .toString("utf8")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);

async function need(file: URL): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const isOwn = file.href.startsWith(weightsFolder().href);
    const name = isOwn ? `assets/ocr/${basename(file.pathname)}` : fileURLToPath(file);
    throw new ToolError("not_supported", `Text cannot be read: the weights ${name} are missing.`, {
      hint: isOwn
        ? "Install handsight again: the weights are part of the package."
        : "The folder of --ocr-weights must hold recogniser.onnx and alphabet.txt; see docs/ocr.md.",
      cause,
    });
  }
}

/**
 * The header (size, JSON), the model without its long tensors, then the low and the high bytes of those as 16-bit
 * floats.
 */
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
