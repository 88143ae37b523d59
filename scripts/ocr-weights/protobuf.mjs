// @ts-check
/**
 * A protobuf message as a list of its fields, so that whatever is not touched is written as it was read.
 * @typedef {{ field: number, wire: number, value: bigint | Buffer }} Field
 */

/**
 * @param {Buffer} bytes
 * @returns {Field[]}
 */
export function decode(bytes) {
  /** @type {Field[]} */
  const fields = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [field, wire] = [tag >>> 3, tag & 7];
    if (wire === 0) fields.push({ field, wire, value: varint() });
    else {
      const length = wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4;
      fields.push({ field, wire, value: bytes.subarray(at, at + length) });
      at += length;
    }
  }
  return fields;
}

/** @param {readonly Field[]} fields */
export function encode(fields) {
  /** @type {Buffer[]} */
  const parts = [];
  /** @param {bigint} value */
  const varint = (value) => {
    const bytes = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    parts.push(Buffer.from([...bytes, Number(rest)]));
  };
  for (const { field, wire, value } of fields) {
    varint(BigInt((field << 3) | wire));
    if (typeof value === "bigint") varint(value);
    else {
      if (wire === 2) varint(BigInt(value.length));
      parts.push(value);
    }
  }
  return Buffer.concat(parts);
}

/**
 * @param {number} field
 * @param {bigint | number | string | Buffer | readonly Field[]} value
 * @returns {Field}
 */
export function field(field, value) {
  if (typeof value === "number" || typeof value === "bigint") return { field, wire: 0, value: BigInt(value) };
  if (typeof value === "string") return { field, wire: 2, value: Buffer.from(value) };
  return { field, wire: 2, value: Buffer.isBuffer(value) ? value : encode(value) };
}

/** @param {Field | undefined} own */
export function bytesOf(own) {
  if (!Buffer.isBuffer(own?.value)) throw new Error("a field with bytes was expected");
  return own.value;
}
