// @ts-check
import { brotliCompressSync, constants } from "node:zlib";
import { bytesOf, decode } from "./protobuf.mjs";

// Below this a weight cannot change what comes out, but as a denormal it slows every multiplication.
const negligible = 1e-12;
// Short tensors hold scales and offsets, whose range 16 bits may not cover; they weigh nothing.
const shortTensor = 256;

/**
 * The model without its long float tensors, and those as 16-bit floats, low bytes apart from high bytes because the two
 * compress differently. The head says where each tensor goes.
 * @param {Buffer} model
 */
export function pack(model) {
  const all = findFloatTensors(model);
  for (const { offset, length } of all) {
    for (let at = offset; at < offset + length; at += 4)
      if (Math.abs(model.readFloatLE(at)) < negligible) model.writeFloatLE(0, at);
  }
  const tensors = all.filter(({ length }) => length / 4 >= shortTensor);
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
  for (const graph of inside(model, 7)) {
    for (const tensor of inside(graph, 5)) addTensor(tensor);
    for (const node of inside(graph, 1)) {
      for (const attribute of inside(node, 5)) for (const value of inside(attribute, 5)) addTensor(value);
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset);

  /**
   * @param {Buffer} message
   * @param {number} number
   */
  function inside(message, number) {
    return decode(message)
      .filter(({ field }) => field === number)
      .map(bytesOf);
  }

  /** @param {Buffer} tensor */
  function addTensor(tensor) {
    const isFloat = decode(tensor).some(({ field, value }) => field === 2 && value === 1n);
    const [raw] = inside(tensor, 9);
    if (isFloat && raw && raw.length % 4 === 0)
      found.push({ offset: raw.byteOffset - model.byteOffset, length: raw.length });
  }
}
