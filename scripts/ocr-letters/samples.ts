/**
 * Draws lines of made-up text as a browser draws them, finds them as the reader does, and writes what the recogniser would
 * be given together with what it should answer: `node .build/scripts/ocr-letters/samples.js <folder> <set> <seed> <pages>`.
 */
import { closeSync, copyFileSync, openSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { fontSettings } from "../../test/fixtures/ocr/fonts.ts";
import { startHeadlessBrowser, type HeadlessBrowser } from "../../test/support/browser-pipe.ts";
import type { Rect } from "../../src/base/geometry.ts";
import { toFound } from "../../src/vision/ocr/found.ts";
import { findLines } from "../../src/vision/ocr/lines.ts";
import { grayOf } from "../../src/vision/ocr/picture.ts";
import { View } from "../../src/vision/ocr/view.ts";
import { readNetwork, recogniserFiles } from "../../src/vision/ocr/weights.ts";
import { Text } from "./text.ts";

// Roboto and Cantarell stay out: the held-out half of the truth set is drawn with them.
const fonts = (
  "DejaVu Sans,DejaVu Sans,Open Sans,Open Sans,Liberation Sans,Liberation Sans,DejaVu Sans Mono,Liberation Mono,DejaVu Serif," +
  "Liberation Serif,Nimbus Sans,P052,DejaVu Sans Condensed,Open Sans Condensed,URW Gothic,Liberation Sans Narrow,WenQuanYi Micro Hei"
).split(",");
const sizes = [11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 15, 16, 18, 20, 22];
const looks = [
  ["#ffffff", "#1c1f23"],
  ["#ffffff", "#000000"],
  ["#f3f4f6", "#5b636d"],
  ["#fafafa", "#1a5fd0"],
  ["#1a5fd0", "#ffffff"],
  ["#1e1f22", "#e3e5e8"],
  ["#000000", "#ffffff"],
  ["#2a2c30", "#a3a9b1"],
  ["#1e1f22", "#78aeff"],
  ["#0d3b2e", "#f0e9d2"],
] as const;
const page = { width: 1366, height: 768 };
const columns = 3;

const [, , folder = "", set = "lines", seed = "1", pages = "10"] = process.argv;
const file = join(folder, set);
const text = new Text(seed, "/usr/share/hunspell/en_US.dic");
const { random } = text;

interface Truth extends Rect {
  readonly text: string;
}

function styleOf(back: string) {
  const same = looks.find(([ground]) => ground === back) ?? looks[0];
  const [own, colour] = random.chance(0.5) ? random.pick(looks) : same;
  return {
    own,
    colour,
    size: random.pick(sizes),
    leading: 1.1 + 0.2 * random.next(),
    weight: random.pick([400, 400, 400, 400, 500, 600, 700]),
    slant: random.chance(0.06) ? "italic" : "normal",
    line: random.chance(0.04) ? "underline" : "none",
    font: random.pick(fonts),
  };
}

function html(): string {
  const [back] = random.pick(looks);
  const cells: string[] = [];
  for (let column = 0; column < columns; column++) {
    let y = 6;
    let isTight = false;
    const left = 14 + (column * page.width) / columns;
    let style = styleOf(back);
    let same = 0;
    for (;;) {
      // Half of the lines stand in blocks set as tight as lists and editors set them.
      if (same > 0) same--;
      else {
        style = styleOf(back);
        same = random.chance(0.12) ? random.int(5, 16) : 0;
        isTight = same > 0;
      }
      const { size, own, colour, weight, slant, line, font } = style;
      const height = Math.round(size * (isTight ? style.leading : 1.35 + 0.5 * random.next()));
      if (y + height > page.height - 4) break;
      const top = y + (isTight ? 0 : random.pick([0, 0, 0.25, 0.5]));
      const escaped = text.line().replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      cells.push(
        `<div style="left:${left}px;top:${top}px;height:${height}px;line-height:${height}px;background:${own};` +
          `color:${colour};font-family:'${font}';font-size:${size}px;font-weight:${weight};` +
          `font-style:${slant};text-decoration:${line}"><span>${escaped}</span></div>`,
      );
      y += height + (isTight ? 0 : random.int(1, 5));
    }
  }
  return `<!doctype html><meta charset="utf-8"><style>body{margin:0;background:${back};overflow:hidden}
div{position:absolute;width:${Math.floor(page.width / columns) - 30}px;overflow:hidden;white-space:pre;padding-left:6px;box-sizing:border-box}</style>${cells.join("\n")}`;
}

const truthOf = `JSON.stringify([...document.querySelectorAll("span")].map((span) => {
  const { x, y, width, height } = span.getBoundingClientRect();
  return { x, y, width, height, text: span.textContent };
}))`;

async function draw(browser: HeadlessBrowser, scale: number): Promise<{ png: Buffer; truths: Truth[] }> {
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params: object = {}) => browser.send(method, params, sessionId as string);
  await send("Emulation.setDeviceMetricsOverride", { ...page, deviceScaleFactor: scale, mobile: false });
  const { frameTree } = (await send("Page.getFrameTree")) as { frameTree: { frame: { id: string } } };
  await send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: html() });
  const evaluate = async (expression: string) => {
    const { result } = await send("Runtime.evaluate", { expression, awaitPromise: true });
    return (result as { value?: unknown }).value;
  };
  await evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => done(1))))");
  const truths = (JSON.parse((await evaluate(truthOf)) as string) as Truth[]).map((own) => ({
    text: own.text,
    x: own.x * scale,
    y: own.y * scale,
    width: own.width * scale,
    height: own.height * scale,
  }));
  const { data } = await send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
  await browser.send("Target.closeTarget", { targetId });
  return { png: Buffer.from(data as string, "base64"), truths };
}

writeFileSync(join(folder, "recogniser.onnx"), await readNetwork("latin-v3"));
copyFileSync(recogniserFiles(undefined)[1], join(folder, "alphabet.txt"));
const out = openSync(file, "w");
const index: unknown[] = [];
let offset = 0;
let missed = 0;

async function take({ png, truths }: { png: Buffer; truths: Truth[] }, scale: number): Promise<void> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const view = new View(info, scale);
  view.update({ data, format: "rgb", width: info.width, height: info.height, stride: info.width * 3 });
  const { lines } = toFound(findLines(view.edges), view.picture, view.factor);
  for (const truth of truths) {
    if (
      truth.x + truth.width >
      (Math.floor(truth.x / ((page.width * scale) / columns)) + 1) * ((page.width * scale) / columns) - 40 * scale
    )
      continue;
    const own = lines.filter(({ box }) => {
      const middle = box.y + box.height / 2;
      return (
        middle > truth.y &&
        middle < truth.y + truth.height &&
        box.x < truth.x + truth.width &&
        box.x + box.width > truth.x
      );
    });
    const [only] = own;
    const isWhole =
      only &&
      own.length === 1 &&
      Math.abs(only.box.x - truth.x) < 6 * scale &&
      Math.abs(only.box.x + only.box.width - truth.x - truth.width) < 6 * scale;
    if (!isWhole || only.box.height > truth.height * 1.3) {
      missed++;
      continue;
    }
    const gray = grayOf(view.picture, only.box);
    writeSync(out, gray.data);
    index.push({ offset, width: gray.width, height: gray.height, scale, text: truth.text });
    offset += gray.data.length;
  }
}

for (const isLcd of [false, true]) {
  const settings = join(tmpdir(), `ocr-letters-${isLcd ? "lcd" : "grey"}.conf`);
  writeFileSync(settings, fontSettings(isLcd));
  await using browser = await startHeadlessBrowser({ FONTCONFIG_FILE: settings });
  const count = Math.round(Number(pages) * (isLcd ? 0.2 : 0.8));
  for (let i = 0; i < count; i++) {
    const scale = i % 6 === 5 ? 2 : 1;
    await take(await draw(browser, scale), scale);
    if (i % 10 === 9) console.log(`${i + 1} of ${count} pages, ${index.length} lines, ${missed} not found whole`);
  }
}
closeSync(out);
writeFileSync(`${file}.json`, JSON.stringify(index));
