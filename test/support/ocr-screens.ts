import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fontSettings } from "../fixtures/ocr/fonts.ts";
import { allScreens, type Row, type Screen } from "../fixtures/ocr/screens.ts";
import type { Half } from "../fixtures/ocr/words.ts";
import { startHeadlessBrowser } from "./browser-pipe.ts";
import { checkout } from "./checkout.ts";
import { renderAppScreen, renderPageScreen, type Rendered, type TrueWord } from "./ocr-render.ts";
import { startDesktop } from "./xvfb.ts";

/** A screen of the set with its picture and its true words. */
export interface TruthScreen {
  readonly name: string;
  readonly half: Half;
  readonly row: Row;
  readonly kind: Screen["kind"];
  readonly scale: number;
  readonly pngPath: string;
  readonly words: readonly TrueWord[];
}

const generator = join(checkout, "test/fixtures/ocr");

/**
 * Renders what does not exist yet. The folder's name contains a hash of the generator, so changing the generator
 * makes a new set.
 */
export async function truthScreens(wanted?: (screen: Screen) => boolean): Promise<TruthScreen[]> {
  const folder = join(tmpdir(), `handsight-ocr-truth-${generatorHash()}`);
  await mkdir(folder, { recursive: true });
  const screens = allScreens().filter(wanted ?? (() => true));
  const missing = screens.filter(({ name, half }) => !existsSync(join(folder, `${half}-${name}.json`)));
  const keep = (screen: Screen, rendered: Rendered) => store(folder, screen, rendered);
  await Promise.all([renderPages(folder, missing, keep), renderApps(folder, missing, keep)]);
  return Promise.all(
    screens.map(async ({ name, half, row, kind, scale }): Promise<TruthScreen> => {
      const base = join(folder, `${half}-${name}`);
      const words = JSON.parse(await readFile(`${base}.json`, "utf8")) as TrueWord[];
      return { name, half, row, kind, scale, pngPath: `${base}.png`, words };
    }),
  );
}

function generatorHash(): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(generator).sort())
    if (/\.(ts|js|py)$/.test(file)) hash.update(file).update(readFileSync(join(generator, file)));
  for (const file of ["browser-pipe.ts", "ocr-render.ts"])
    hash.update(readFileSync(join(checkout, "test/support", file)));
  return hash.digest("hex").slice(0, 12);
}

type Keep = (screen: Screen, rendered: Rendered) => Promise<void>;

/** The words are written last, by renaming: if they exist, so does the whole picture. */
async function store(folder: string, { half, name }: Screen, { png, words }: Rendered): Promise<void> {
  const base = join(folder, `${half}-${name}`);
  for (const [suffix, content] of [
    ["png", png],
    ["json", JSON.stringify(words)],
  ] as const) {
    await writeFile(`${base}.${suffix}.${process.pid}`, content);
    await rename(`${base}.${suffix}.${process.pid}`, `${base}.${suffix}`);
  }
}

async function renderPages(folder: string, screens: readonly Screen[], keep: Keep): Promise<void> {
  for (const isLcd of [false, true]) {
    const pages = screens.filter((screen) => screen.kind === "page").filter((screen) => screen.isLcd === isLcd);
    if (pages.length === 0) continue;
    await using browser = await startHeadlessBrowser({ FONTCONFIG_FILE: await fontFile(folder, isLcd) });
    for (const screen of pages) await keep(screen, await renderPageScreen(browser, screen, generator));
  }
}

async function renderApps(folder: string, screens: readonly Screen[], keep: Keep): Promise<void> {
  const apps = screens.filter((screen) => screen.kind !== "page");
  for (const screen of apps) {
    await using desktop = await startDesktop({ size: `${screen.width}x${screen.height}`, windowManager: false });
    desktop.env["FONTCONFIG_FILE"] = await fontFile(folder, screen.isLcd);
    await keep(screen, await renderAppScreen(desktop, screen, generator));
  }
}

async function fontFile(folder: string, isLcd: boolean): Promise<string> {
  const path = join(folder, isLcd ? "lcd.conf" : "grey.conf");
  await writeFile(path, fontSettings(isLcd));
  return path;
}
