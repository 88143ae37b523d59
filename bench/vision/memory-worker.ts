import { readdir, readFile } from "node:fs/promises";
import { openTextReader } from "../../src/vision/ocr/reader.ts";
import { clone, touch } from "./pictures.ts";

/** A process that does nothing but read, so that its memory and that of its helpers is what reading takes. */
const [, , file = "", width = "", height = "", screens = ""] = process.argv;
const { signal } = new AbortController();
const place = { x: 760, y: 900, width: 160, height: 20 };

async function totalMb(): Promise<number> {
  let sum = 0;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const isOurs = pid === String(process.pid) || Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === process.pid;
    if (isOurs) sum += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return sum / 1024;
}

const data = new Uint8Array(await readFile(file));
const size = { width: Number(width), height: Number(height) };
const page = { ...size, data, stride: size.width * 4, format: "bgrx" } as const;
await using reader = openTextReader();
const read = (i: number) => reader.read(touch(clone(page), place, i, 0x40), { signal, view: "memory" });
for (let i = 0; i < 50; i++) await read(i);
const start = await totalMb();
for (let i = 0; i < Number(screens); i++) await read(i + 50);
process.stdout.write(JSON.stringify({ start, end: await totalMb() }));
