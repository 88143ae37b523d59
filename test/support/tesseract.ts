import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ReadWord } from "./ocr-score.ts";
import type { Reader } from "./ocr-truth.ts";

const run = promisify(execFile);

/** The tesseract command as one would use it on a screen: sparse text (psm 11), one thread, which is fastest here. */
async function readWithTesseract(pngPath: string): Promise<ReadWord[]> {
  const { stdout } = await run("tesseract", [pngPath, "stdout", "--psm", "11", "tsv"], {
    env: { ...process.env, OMP_THREAD_LIMIT: "1" },
    maxBuffer: 1 << 26,
  });
  const wordLevel = "5";
  return stdout
    .split("\n")
    .map((line) => line.split("\t"))
    .filter((fields) => fields[0] === wordLevel && (fields[11] ?? "").trim() !== "")
    .map((fields) => {
      const [x = 0, y = 0, width = 0, height = 0] = fields.slice(6, 10).map(Number);
      return { text: (fields[11] ?? "").trim(), box: { x, y, width, height } };
    });
}

export const tesseract: Reader = { name: "tesseract", read: ({ pngPath }) => readWithTesseract(pngPath) };
