import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, onTestFinished, test } from "vitest";
import type { Pixels } from "../../src/base/frame.ts";
import { openTextReader } from "../../src/vision/ocr/reader.ts";
import { readNetwork, recogniserFiles } from "../../src/vision/ocr/weights.ts";
import { openFakeSession } from "../support/fake-session.ts";

const { signal } = new AbortController();
const root = join(import.meta.dirname, "../..");

async function label(text: string): Promise<Pixels> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60"><rect width="100%" height="100%" fill="#fff"/>
    <text x="30" y="36" font-family="DejaVu Sans" font-size="14">${text}</text></svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data, width: 240, height: 60, stride: 720, format: "rgb" };
}

async function workFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-weights-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("a recogniser in another folder is used, and its letters are reported", async () => {
  const folder = await workFolder();
  await writeFile(join(folder, "recogniser.onnx"), await readNetwork("latin-v3"));
  // The same network with another alphabet: every a is reported as an α.
  const letters = await readFile(recogniserFiles(undefined)[1], "utf8");
  await writeFile(join(folder, "alphabet.txt"), letters.replace("\na\n", "\nα\n"));
  await using reader = openTextReader({ weights: folder });
  expect(reader.status()).toMatchObject({ available: true, languages: [], letters: expect.stringContaining("α") });
  const { lines } = await reader.read(await label("Bananas"), { signal });
  expect(lines.map(({ text }) => text)).toEqual(["Bαnαnαs"]);
});

test("a folder without a recogniser is named", async () => {
  const folder = await workFolder();
  await using reader = openTextReader({ weights: folder });
  expect(reader.status()).toMatchObject({ available: false, reason: expect.stringContaining("recogniser.onnx") });
  await expect(reader.read(await label("Bananas"), { signal })).rejects.toMatchObject({
    code: "not_supported",
    message: expect.stringContaining(join(folder, "recogniser.onnx")),
    details: { hint: expect.stringContaining("--ocr-weights") },
  });
});

test("capabilities lists the languages and letters that can be read", async () => {
  const { session, call } = openFakeSession({ width: 100, height: 100, windows: [] });
  onTestFinished(() => session[Symbol.asyncDispose]());
  const { findings } = await call("capabilities", {});
  const detail = expect.stringMatching(
    /PP-OCRv3 latin for en, de, fr.*, pl, cs, hu, tr, ro.*letters beyond ASCII: .*ü.*ř/,
  );
  expect(findings).toContainEqual({ ability: "ocr", status: "ok", detail });
});

const readThere = (at: string) => `
  const { openTextReader } = await import(${JSON.stringify(pathToFileURL(join(at, "dist/vision/ocr/reader.js")).href)});
  const reader = openTextReader();
  const data = new Uint8Array(40 * 40 * 3).map((_, i) => (Math.floor(i / 3) % 40 > 15 && Math.floor(i / 3) % 40 < 22 && i > 1800 && i < 3000 ? 0 : 255));
  const picture = { data, width: 40, height: 40, stride: 120, format: "rgb" };
  const problem = await reader.read(picture, { signal: new AbortController().signal }).then(() => "none", ({ code, message, details }) => ({ code, message, hint: details?.hint }));
  console.log(JSON.stringify({ status: reader.status(), problem }));
  await reader[Symbol.asyncDispose]();`;

test.each([
  { missing: "the runtime", copied: ["dist", "assets"], tells: "ONNX Runtime" },
  { missing: "the weights", copied: ["dist"], tells: "latin-v3" },
])("an installation without $missing says so, and how to fix it", async ({ copied, tells }) => {
  const folder = await workFolder();
  for (const part of ["package.json", ...copied]) await cp(join(root, part), join(folder, part), { recursive: true });
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", readThere(folder)]);
  const { status, problem } = JSON.parse(stdout) as { status: object; problem: object };
  expect(status).toMatchObject({ available: false, reason: expect.stringContaining(tells) });
  expect(problem).toMatchObject({
    code: "not_supported",
    message: expect.stringContaining(tells),
    hint: expect.stringMatching(/install/i),
  });
});
