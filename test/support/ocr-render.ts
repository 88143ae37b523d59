import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import type { ImageRect } from "../../src/base/geometry.ts";
import { openBackend } from "../../src/platform/open.ts";
import { fingerprint } from "../../src/vision/fingerprint.ts";
import { encodePng } from "../../src/vision/png.ts";
import type { AppScreen, PageScreen } from "../fixtures/ocr/screens.ts";
import type { HeadlessBrowser } from "./browser-pipe.ts";
import { kill, type TestDesktop } from "./xvfb.ts";

/** A word as reported by whatever drew it. Positions are pixels of the picture. */
export interface TrueWord extends ImageRect {
  readonly text: string;
  readonly fontPx: number;
  /** Fully visible. Other words count neither as missed nor, if read, as invented. */
  readonly isSeen: boolean;
}

export interface Rendered {
  readonly png: Uint8Array;
  readonly words: readonly TrueWord[];
}

export async function renderPageScreen(
  browser: HeadlessBrowser,
  screen: PageScreen,
  folder: string,
): Promise<Rendered> {
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params: object = {}) => browser.send(method, params, sessionId as string);
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true });
    if (exceptionDetails) throw new Error(`${screen.name}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value?: unknown }).value;
  };
  try {
    await send("Emulation.setDeviceMetricsOverride", {
      width: screen.width / screen.scale,
      height: screen.height / screen.scale,
      deviceScaleFactor: screen.scale,
      mobile: false,
    });
    const { frameTree } = (await send("Page.getFrameTree")) as { frameTree: { frame: { id: string } } };
    await send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: screen.html });
    await evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => done(1))))");
    const truth = readFileSync(join(folder, "page-truth.js"), "utf8");
    const words = JSON.parse((await evaluate(truth)) as string) as TrueWord[];
    const { data } = await send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
    return { png: Buffer.from(data as string, "base64"), words: words.map((word) => scaled(word, screen.scale)) };
  } finally {
    await browser.send("Target.closeTarget", { targetId });
  }
}

const scaled = (word: TrueWord, scale: number): TrueWord => ({
  ...word,
  x: word.x * scale,
  y: word.y * scale,
  width: word.width * scale,
  height: word.height * scale,
});

/** The app says where its words are; our own capture takes the picture once two in a row are identical. */
export async function renderAppScreen(desktop: TestDesktop, screen: AppScreen, folder: string): Promise<Rendered> {
  const scale = String(screen.scale);
  const env = {
    ...process.env,
    ...desktop.env,
    PYTHONDONTWRITEBYTECODE: "1",
    NO_AT_BRIDGE: "1",
    GDK_SCALE: scale,
    QT_SCALE_FACTOR: scale,
    QT_ACCESSIBILITY: "0",
  };
  // The first python3 on PATH may lack the GTK and Qt bindings.
  const app = spawn("/usr/bin/python3", [join(folder, `${screen.kind}_screen.py`)], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  try {
    let complaint = "";
    app.stderr.setEncoding("utf8").on("data", (chunk: string) => (complaint += chunk));
    app.stdin.end(JSON.stringify(screen.input));
    const words = await firstLine(app.stdout, once(app, "exit")).catch(() => {
      throw new Error(`${screen.name} ended without a word: ${complaint.slice(-2000)}`);
    });
    await using backend = await openBackend({ env: desktop.env });
    let seen = "";
    const png = await poll(
      async () => {
        const rect = { x: 0, y: 0, width: screen.width, height: screen.height };
        const capture = await backend.screen?.capture({ kind: "region", rect });
        if (!capture) throw new Error("no capture");
        using picture = capture;
        const now = fingerprint(picture.pixels);
        const isStill = now === seen;
        seen = now;
        return isStill ? await encodePng(picture.pixels) : undefined;
      },
      { timeoutMs: 10_000, everyMs: 100 },
    );
    if (!png) throw new Error(`${screen.name} never stood still`);
    return { png, words: withoutShadows(JSON.parse(words) as TrueWord[]) };
  } finally {
    await kill(app);
  }
}

async function firstLine(stream: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  let text = "";
  const read = (async () => {
    for await (const chunk of stream) {
      text += String(chunk);
      if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
    }
    throw new Error("nothing was said");
  })();
  return Promise.race([
    read,
    ended.then(() => {
      throw new Error("ended");
    }),
  ]);
}

/** Qt draws disabled text twice, one pixel apart. */
function withoutShadows(words: readonly TrueWord[]): TrueWord[] {
  const isSame = (a: TrueWord, b: TrueWord) =>
    a.text === b.text && Math.abs(a.x - b.x) <= 2 && Math.abs(a.y - b.y) <= 2;
  return words.filter((word, index) => !words.slice(0, index).some((earlier) => isSame(earlier, word)));
}
