import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import type { Pixels } from "../../src/base/frame.ts";
import { Hand, HelperGone } from "../../src/vision/ocr/hand.ts";
import { openTextReader, type Reading } from "../../src/vision/ocr/reader.ts";
import { isOneEdit } from "../support/ocr-score.ts";

const reader = openTextReader();
afterAll(() => reader[Symbol.asyncDispose]());
const { signal } = new AbortController();

interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
}

interface Look {
  readonly dark?: boolean;
  readonly scale?: number;
  /** Additional drawing below the labels. */
  readonly under?: string;
  readonly over?: string;
}

const size = { width: 640, height: 320 };

/** A window with these texts on it, drawn by a real font engine. */
async function draw(
  labels: readonly Label[],
  { dark = false, scale = 1, under = "", over = "" }: Look = {},
): Promise<Pixels> {
  const [ground, ink] = dark ? ["#202124", "#e8eaed"] : ["#ffffff", "#202124"];
  const texts = labels.map(({ text, x, y, size: pixels = 13 }) => {
    return `<text x="${x}" y="${y}" font-family="DejaVu Sans" font-size="${pixels}" fill="${ink}">${text}</text>`;
  });
  const [width, height] = [size.width * scale, size.height * scale];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${size.width} ${size.height}">
    <rect width="100%" height="100%" fill="${ground}"/>${under}${texts.join("")}${over}</svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data, width, height, stride: width * 3, format: "rgb" };
}

const save: Label = { text: "Save changes", x: 40, y: 60 };
const cancel: Label = { text: "Cancel", x: 300, y: 60 };
const mail: Label = { text: "Send a copy by mail", x: 40, y: 120 };
const labels = [save, cancel, mail];

const textsOf = ({ lines }: Reading): string[] => lines.map(({ text }) => text);

describe("a window", () => {
  test.each([{ dark: false }, { dark: true }, { scale: 2 }])(
    "is read with boxes around the words: %o",
    async (look) => {
      const scale = look.scale ?? 1;
      const reading = await reader.read(await draw(labels, look), { signal, scale });
      expect(textsOf(reading)).toEqual(labels.map(({ text }) => text));
      expect(reading.isComplete).toBe(true);
      const word = reading.lines[0]?.words[1];
      expect(word?.text).toBe("changes");
      expect(word?.confidence).toBeGreaterThan(0.8);
      // "changes" begins after "Save ", five characters of about 7 pixels, and is on the line y = 60.
      expect((word?.box.x ?? 0) / scale).toBeGreaterThan(70);
      expect((word?.box.y ?? 0) / scale).toBeGreaterThan(45);
      expect(((word?.box.y ?? 0) + (word?.box.height ?? 0)) / scale).toBeLessThan(66);
    },
  );

  test("gives frames, checkboxes and icons no words", async () => {
    const under = `<rect x="30.5" y="42.5" width="110" height="28" rx="4" fill="none" stroke="#777"/>
      <rect x="20.5" y="108.5" width="14" height="14" fill="none" stroke="#777"/><circle cx="600" cy="200" r="9" fill="#36c"/>`;
    expect(textsOf(await reader.read(await draw(labels, { under }), { signal }))).toEqual(
      labels.map(({ text }) => text),
    );
  });

  test("is read over a photograph", async () => {
    const noise = `<filter id="n"><feTurbulence baseFrequency="0.4" numOctaves="3"/><feColorMatrix values="0.3 0 0 0 0 0 0.3 0 0 0.1 0 0 0.3 0 0.2 0 0 0 0 1"/></filter>
      <rect width="100%" height="100%" filter="url(#n)"/>`;
    const big = { text: "Garden party", x: 60, y: 150, size: 28 };
    const reading = await reader.read(await draw([big], { dark: true, under: noise }), { signal });
    expect(textsOf(reading)).toContain("Garden party");
  });
});

describe("text that is hard to find is read:", () => {
  test("rows of a list whose letters touch its frame", async () => {
    const rows = [1, 2, 3, 4, 5].map((row) => ({ text: `Item ${row}`, x: 41, y: 40 + 18 * row }));
    const frame = '<path d="M40.5 40v100" stroke="#202124"/><path d="M40 40.5h200" stroke="#202124"/>';
    const reading = await reader.read(await draw(rows, { under: frame }), { signal });
    expect(textsOf(reading)).toEqual(rows.map(({ text }) => text));
  });

  test("an equals sign that stands alone, but not the sign of a menu", async () => {
    const strokes = (x: number, ...rows: number[]) =>
      rows.map((y) => `<rect x="${x}" y="${y}" width="12" height="1" fill="#202124"/>`).join("");
    const under = strokes(40, 60, 64) + strokes(240, 60, 64, 68);
    const { lines } = await reader.read(await draw([{ text: "=", x: 140, y: 70 }], { under }), { signal });
    expect(lines.map(({ text, box }) => `${text} ${Math.floor(box.x / 100)}`)).toEqual(["= 0", "= 1"]);
  });

  test.each([-90, 90])("a label turned by %d degrees", async (degrees) => {
    const under = `<text transform="translate(300 160) rotate(${degrees})" font-family="DejaVu Sans" font-size="13" fill="#202124">Feedback form</text>`;
    const { lines } = await reader.read(await draw([save], { under }), { signal });
    expect(lines.map(({ text }) => text)).toEqual(["Save changes", "Feedback form"]);
    const { x, y, width, height } = lines[1]?.box ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(height).toBeGreaterThan(5 * width);
    expect(x).toBeGreaterThan(280);
    expect(x + width).toBeLessThan(320);
    expect(degrees < 0 ? y + height : y).toBeCloseTo(160, -1);
  });

  test("a column of numbers is not taken for one", async () => {
    const numbers = [3, 8, 1, 4, 7, 2].map((digit, row) => ({ text: String(digit), x: 60, y: 60 + 14 * row }));
    const reading = await reader.read(await draw(numbers), { signal });
    expect(textsOf(reading)).toEqual(numbers.map(({ text }) => text));
  });
});

describe("letters with accents", () => {
  test.each([
    { language: "Polish", text: "Wyślij załącznik później", own: "śźłą" },
    { language: "Czech", text: "Nejnovější zprávy a změny", own: "ěá" },
    { language: "Turkish", text: "Değişiklikleri kaydet", own: "ğ" },
    { language: "Hungarian", text: "Időközi mentés törlése", own: "őö" },
    { language: "Romanian", text: "Șterge fișierul încărcat", own: "ășî" },
  ])("of $language are read, with at most one wrong per word", async ({ text, own }) => {
    const [line = ""] = textsOf(await reader.read(await draw([{ text, x: 40, y: 60, size: 16 }]), { signal }));
    const [words, wanted] = [line.split(" "), text.split(" ")];
    expect(words, line).toHaveLength(wanted.length);
    wanted.forEach((word, i) => expect(isOneEdit(word, words[i] ?? ""), line).toBe(true));
    expect([...own].filter((letter) => !line.includes(letter))).toEqual([]);
  });

  // Dots, quotes, signs that look like accents, and lines that touch the text.
  const plain = [
    "jiffy minimum tilt list",
    "it's `code` and 'quotes'",
    "a^2 ~b x^y n~m o' a`",
    "Success! Results! 1 4, 8, 10",
    "user@host:~/paper$ ls -l",
    "cannot save: file in use",
  ];
  const rules = plain.map((_, i) => {
    const y = 60 + 40 * i;
    return `<path d="M30 ${y + 2.5}H300M30 ${y - 13.5}H300M320.5 ${y - 14}v18M38.5 ${y - 14}v18" stroke="#888"/>`;
  });
  test.each(
    [11, 12, 13, 14, 16, 20].flatMap((size) => [
      { size, over: "" },
      { size, over: rules.join("") },
    ]),
  )("are not seen in plain text of $size pixels, whatever is drawn beside it", async ({ size: pixels, over }) => {
    const shown = plain.map((text, i) => ({ text, x: 40, y: 60 + 40 * i, size: pixels }));
    const texts = textsOf(await reader.read(await draw(shown, { over }), { signal }));
    expect(texts.length).toBeGreaterThanOrEqual(plain.length - 1);
    expect(texts.filter((text) => /\p{L}/u.test(text.replaceAll(/[A-Za-z]/g, "")))).toEqual([]);
  });
});

describe("the next picture of a view", () => {
  const dialog = `<rect x="180" y="90" width="240" height="120" fill="#f0f0f4" stroke="#888"/>
    <text x="200" y="130" font-family="DejaVu Sans" font-size="13">Delete three files?</text>`;
  const caret = `<rect x="200" y="108" width="1" height="15" fill="#000"/>`;
  const icon = `<circle cx="610" cy="30" r="9" fill="#36c"/>`;
  const scrolled = labels.map((label) => ({ ...label, y: label.y + 37 }));

  test("gives what a full read gives, whatever changed", async () => {
    const looks = fc.record({
      labels: fc.constantFrom(labels, scrolled, [...labels, { text: "Saved", x: 40, y: 200 }]),
      over: fc.subarray([dialog, caret, icon], { minLength: 0 }),
      dark: fc.boolean(),
    });
    const sequence = fc.array(looks, { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        for (const { labels: shown, over, dark } of steps) {
          const picture = await draw(shown, { dark, over: over.join("") });
          const next = await reader.read(picture, { signal, view: "sequence" });
          // This reader has read nothing before, so nothing is cached.
          await using fresh = openTextReader();
          expect(next).toEqual(await fresh.read(picture, { signal }));
        }
      }),
      // Each step starts two processes that load a network; src/vision/ocr/view.test.ts tries many more changes.
      { numRuns: 4 },
    );
  });

  test("gives what a full read gives when more views take turns than are kept", async () => {
    const looks = [{}, { dark: true }, { over: dialog }, { scale: 2 }, { over: icon }];
    const pictures = await Promise.all(looks.map((look, i) => draw(i === 1 ? scrolled : labels, look)));
    const wanted = await Promise.all(pictures.map((picture) => reader.read(picture, { signal, view: "one of many" })));
    for (const round of Array.from({ length: 20 }, (_, i) => i)) {
      const picture = pictures[round % pictures.length] as Pixels;
      const reading = await reader.read(picture, { signal, view: `turn ${round % 7}` });
      expect(reading, `round ${round}`).toEqual(wanted[round % pictures.length]);
    }
  });

  test("is the previous answer when nothing changed", async () => {
    const picture = await draw(labels);
    const first = await reader.read(picture, { signal, view: "same" });
    expect(await reader.read({ ...picture, data: Uint8Array.from(picture.data) }, { signal, view: "same" })).toBe(
      first,
    );
  });
});

describe("a budget", () => {
  test("of a rectangle gives the words in it, with boxes in the whole picture", async () => {
    const picture = await draw(labels);
    await using fresh = openTextReader();
    const roi = { x: 280, y: 40, width: 120, height: 30 };
    const alone = await fresh.read(picture, { signal, roi });
    expect(textsOf(alone)).toEqual(["Cancel"]);
    expect(alone.lines[0]?.box.x).toBeGreaterThan(295);
    await fresh.read(picture, { signal });
    expect(await fresh.read(picture, { signal, roi })).toEqual(alone);
  });

  test("of lines cuts the rest and says so", async () => {
    const reading = await reader.read(await draw(labels), { signal, maxLines: 2 });
    expect(textsOf(reading)).toEqual(["Save changes", "Cancel"]);
    expect(reading.isComplete).toBe(false);
  });

  test("of time gives what there is, and the next read gives the rest", async () => {
    await using fresh = openTextReader();
    const picture = await draw(labels);
    expect(await fresh.read(picture, { signal, deadlineMs: 0 })).toMatchObject({ lines: [], isComplete: false });
    expect(textsOf(await fresh.read(picture, { signal }))).toEqual(labels.map(({ text }) => text));
  });

  test("of a rectangle outside the picture is refused", async () => {
    const read = reader.read(await draw(labels), { signal, roi: { x: 2000, y: 0, width: 10, height: 10 } });
    await expect(read).rejects.toMatchObject({ code: "out_of_bounds" });
  });
});

describe("the helpers", () => {
  test("leave a cancelled read at once and are there for the next", async () => {
    const controller = new AbortController();
    const read = reader.read(await draw(labels, { over: "<circle cx='500' cy='250' r='5'/>" }), {
      signal: controller.signal,
      view: "cancelled",
    });
    controller.abort();
    await expect(read).rejects.toMatchObject({ code: "cancelled" });
    expect(textsOf(await reader.read(await draw(labels), { signal, view: "cancelled" }))).toHaveLength(3);
  });

  test("are started again after one ended with work to do", async () => {
    const hand = new Hand();
    const asked = hand.ask("recognise", []);
    hand.stop();
    await expect(asked).rejects.toBeInstanceOf(HelperGone);
    expect(await hand.ask("recognise", [])).toEqual([]);
    hand.stop();
  });

  test("end when nothing was read for a while, and start again", async () => {
    await using own = openTextReader({ idleMs: 1 });
    const picture = await draw(labels);
    const first = await own.read(picture, { signal });
    // The picture is dropped with the helpers, so the same one gives a new answer.
    await expect.poll(async () => (await own.read(picture, { signal })) === first).toBe(false);
  });

  test("let the process end while they wait", async () => {
    const reader = new URL("../../dist/vision/ocr/reader.js", import.meta.url).href;
    const { data, stride } = await draw([{ text: "Save", x: 8, y: 20 }]);
    const rows = Array.from({ length: 32 }, (_, y) => data.subarray(y * stride, y * stride + 64 * 3));
    const program = `import { openTextReader } from ${JSON.stringify(reader)};
      const data = Buffer.from("${Buffer.concat(rows).toString("base64")}", "base64");
      const picture = { data, width: 64, height: 32, stride: 192, format: "rgb" };
      const { lines } = await openTextReader().read(picture, { signal: new AbortController().signal });
      console.log(lines[0].text);`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { timeout: 30_000 });
    expect((await run).stdout).toBe("Save\n");
  });
});

test("says what it can read", () => {
  expect(reader.status()).toMatchObject({ available: true, engine: "PP-OCRv3 latin" });
});
