import { crc32, inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { writeZip } from "./zip.ts";

const entries = [
  { name: "trace.trace", bytes: Buffer.from("the same line\n".repeat(1_000)) },
  { name: "resources/ä.jpg", bytes: Buffer.from([0xff, 0xd8, 1, 2, 3]) },
  { name: "empty", bytes: Buffer.alloc(0) },
];

/** Reads like a real reader: the end record, the directory, the entries it points to. */
function readZip(zip: Buffer): { name: string; bytes: Buffer }[] {
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x06054b50);
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    expect(zip.readUInt32LE(at)).toBe(0x02014b50);
    const [method, sum, packed, length] = [10, 16, 20, 28].map((field) =>
      field === 10 || field === 28 ? zip.readUInt16LE(at + field) : zip.readUInt32LE(at + field),
    ) as [number, number, number, number];
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString("utf8", at + 46, at + 46 + length);
    at += 46 + length;
    expect(zip.readUInt32LE(local)).toBe(0x04034b50);
    expect(zip.toString("utf8", local + 30, local + 30 + length)).toBe(name);
    const data = zip.subarray(local + 30 + length, local + 30 + length + packed);
    const bytes = method === 0 ? Buffer.from(data) : inflateRawSync(data);
    expect(crc32(bytes)).toBe(sum);
    return { name, bytes };
  });
}

test("what was written is read back, name by name and byte by byte", () => {
  expect(readZip(writeZip(entries))).toEqual(entries);
});

test("text is deflated, pictures are not, and the same content gives the same file", () => {
  const zip = writeZip(entries);
  expect(zip.length).toBeLessThan(1_000);
  expect(zip.includes(Buffer.from([0xff, 0xd8, 1, 2, 3]))).toBe(true);
  expect(writeZip(entries).equals(zip)).toBe(true);
});
