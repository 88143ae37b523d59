import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { centre, sameRect, screenPoint, type ScreenPoint } from "../../src/base/geometry.ts";
import type { Backend, Pointer, WindowInfo, Windows } from "../../src/platform/backend.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import { checkout } from "../support/checkout.ts";
import { startFixture } from "../support/fixture.ts";
import { kill } from "../support/xvfb.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

/** The title of the window that may not be seen, and what is written in all that opens from it. */
export const blockedTitle = "My Passwords of Zebra";
export const blockedWords = /zebra|question|new message|open file/i;

/** A window that is blocked, and the hand of a person who opens menus and the like from it. */
export interface PopupStage extends AsyncDisposable {
  readonly kinds: readonly string[];
  /** Opens one and gives the windows that came with it. */
  open(kind: string): Promise<readonly WindowInfo[]>;
  close(): Promise<void>;
  /** As they are, without any policy. */
  windows(): Promise<readonly WindowInfo[]>;
}

interface PopupApp extends AsyncDisposable {
  /** The titles of its windows. */
  readonly titles: readonly string[];
  readonly kinds: readonly string[];
  begin(kind: string, hand: Hand): Promise<void>;
  end(hand: Hand): Promise<void>;
}

export type Toolkit = "GTK 3" | "GTK 4" | "Qt 6" | "Chromium";

const openers: Record<Toolkit, (env: NodeJS.ProcessEnv) => Promise<PopupApp>> = {
  "GTK 3": (env) =>
    openFixture("gtk3_popups", env, [
      "menu",
      "combo",
      "dialog",
      "loose dialog",
      "notification",
      "tooltip",
      "drag icon",
    ]),
  "GTK 4": (env) =>
    openFixture("gtk4_popups", env, ["menu", "combo", "dialog", "notification", "tooltip", "drag icon"]),
  "Qt 6": (env) =>
    openFixture("qt6_popups", env, ["menu", "combo", "dialog", "loose dialog", "notification", "tooltip", "drag icon"]),
  Chromium: openChromium,
};

export const screenSize = { width: 800, height: 600 };
/** Where the pointer touches nothing. */
const aside = screenPoint(screenSize.width - 2, screenSize.height - 2);
const appearMs = 15_000;

export async function openPopupStage(toolkit: Toolkit, env: NodeJS.ProcessEnv): Promise<PopupStage> {
  const hand = new Hand(openLinux(env));
  await hand.pointer.move(aside);
  const app = await openers[toolkit](env);
  for (const title of app.titles) await until(() => hand.find(title), `window "${title}"`);
  let before = new Set<number>();
  return {
    kinds: app.kinds,
    windows: () => hand.windows.list(),
    async open(kind) {
      before = new Set((await hand.windows.list()).map(({ id }) => id));
      let last: readonly WindowInfo[] = [];
      await app.begin(kind, hand);
      const fresh = async () =>
        (await hand.windows.list()).filter((window) => !before.has(window.id) && isLarge(window));
      return until(async () => {
        if (kind === "tooltip" && last.length === 0) await hand.stir(async () => (await fresh()).length > 0);
        const now = await fresh();
        const isStill = now.length > 0 && now.every((each) => last.some((was) => isSame(was, each)));
        last = now;
        return isStill ? now : undefined;
      }, `${toolkit} ${kind}`);
    },
    async close() {
      await hand.release();
      await app.end(hand);
      await until(async () => {
        const now = await hand.windows.list();
        return now.every((window) => before.has(window.id) || !isLarge(window)) || undefined;
      }, `${toolkit}: nothing but its windows`);
    },
    async [Symbol.asyncDispose]() {
      await hand.release();
      await app[Symbol.asyncDispose]();
      await hand[Symbol.asyncDispose]();
    },
  };
}

const isLarge = ({ isVisible, bounds }: WindowInfo): boolean => isVisible && bounds.width * bounds.height > 2_000;
const isSame = (a: WindowInfo, b: WindowInfo): boolean => a.id === b.id && sameRect(a.bounds, b.bounds);

async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  const found = await poll(look, { timeoutMs: appearMs, everyMs: 60 });
  if (found === undefined) throw new Error(`there is no ${what}`);
  return found;
}

/** A person at the desktop: real input, and no policy. */
class Hand implements AsyncDisposable {
  readonly #backend: Backend;
  readonly pointer: Pointer;
  readonly windows: Windows;
  #at: ScreenPoint = aside;
  #isHolding = false;

  constructor(backend: Backend) {
    const { pointer, windows } = backend;
    if (!pointer || !windows) throw new Error("the desktop has no pointer");
    this.#backend = backend;
    this.pointer = pointer;
    this.windows = windows;
  }

  async find(title: string): Promise<WindowInfo | undefined> {
    return (await this.windows.list()).find((window) => window.title === title && window.isVisible);
  }

  /** A point of the window, counted from its corner. */
  async on(title: string, x: number, y: number): Promise<ScreenPoint> {
    const { bounds } = await until(() => this.find(title), `window "${title}"`);
    return screenPoint(bounds.x + x, bounds.y + y);
  }

  async go(to: ScreenPoint): Promise<void> {
    this.#at = to;
    await this.pointer.move(to);
  }

  /** A tip comes to a pointer that has moved and then rests; if none comes in a second, it moves again. */
  async stir(hasCome: () => Promise<boolean>): Promise<void> {
    for (let step = 0; step < 8; step++) {
      await this.go(screenPoint(this.#at.x + (step % 2 === 0 ? 3 : -2), this.#at.y));
      await this.arrived();
    }
    await poll(async () => (await hasCome()) || undefined, { timeoutMs: 1_000, everyMs: 30 });
  }

  /** The server has told the windows of it: they see each of several moves, not only the last. */
  async arrived(): Promise<void> {
    const { x, y } = await this.pointer.position();
    if (x !== this.#at.x || y !== this.#at.y) throw new Error(`the pointer is at ${x},${y}`);
  }

  async click(at: ScreenPoint, button: "left" | "right" = "left"): Promise<void> {
    await this.go(at);
    await this.pointer.down(button);
    await this.pointer.up(button);
  }

  async press(key: string): Promise<void> {
    const keyboard = this.#backend.keyboard;
    await keyboard?.down(key);
    await keyboard?.up(key);
  }

  /** Takes what is there and does not let go. */
  async carry(from: ScreenPoint): Promise<void> {
    await this.go(from);
    await this.pointer.down("left");
    this.#isHolding = true;
    for (let step = 1; step <= 15; step++) {
      await this.go(screenPoint(from.x + step * 8, from.y + step * 4));
      await this.arrived();
    }
  }

  async release(): Promise<void> {
    if (this.#isHolding) await this.pointer.up("left");
    this.#isHolding = false;
    await this.go(aside);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#backend[Symbol.asyncDispose]();
  }
}

/** A fixture opens by itself what it is told to, and the rest comes to a pointer over its middle. */
async function openFixture(name: string, env: NodeJS.ProcessEnv, kinds: readonly string[]): Promise<PopupApp> {
  const app = await startFixture(name, { env, args: ["--title", blockedTitle] });
  await app.waitFor(({ event }) => event === "ready");
  const middle = async (hand: Hand): Promise<ScreenPoint> => {
    const { bounds } = await until(() => hand.find(blockedTitle), "blocked window");
    const { x, y } = centre(bounds);
    return screenPoint(x, y + 35);
  };
  return {
    titles: [blockedTitle, "Notes"],
    kinds,
    async begin(kind, hand) {
      if (kind === "tooltip") await hand.go(await middle(hand));
      else if (kind === "drag icon") await hand.carry(await middle(hand));
      else app.tell(kind);
    },
    end: async () => app.tell("hide"),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function openChromium(env: NodeJS.ProcessEnv): Promise<PopupApp> {
  const html = readFileSync(join(checkout, "test/fixtures/pages/popups.html"), "utf8");
  const server = createServer((_request, response) => {
    response
      .setHeader("content-type", "text/html")
      .end(html.replace(/<title>.*<\/title>/, `<title>${blockedTitle}</title>`));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const profile = mkdtempSync(join(tmpdir(), "handsight-popups-"));
  mkdirSync(join(profile, "Default"));
  const preferences = { profile: { default_content_setting_values: { notifications: 1 } } };
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  const child = spawn(
    "chromium",
    [
      // The tests may run as root, where Chromium refuses to start with its sandbox; it says so in a bar, unless told not to.
      "--no-sandbox",
      "--test-type",
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-background-networking",
      "--password-store=basic",
      `--user-data-dir=${profile}`,
      "--force-renderer-accessibility",
      "--window-size=300,260",
      "--window-position=20,20",
      `--app=http://localhost:${(server.address() as AddressInfo).port}/`,
    ],
    { env, stdio: "ignore" },
  );
  await once(child, "spawn");
  // From the corner of the window: its title bar, then the rows of the page.
  const rows: Readonly<Record<string, number>> = {
    tooltip: 135,
    combo: 40,
    menu: 135,
    "drag icon": 90,
    dialog: 175,
    notification: 215,
  };
  return {
    titles: [blockedTitle],
    kinds: Object.keys(rows),
    async begin(kind, hand) {
      const at = await hand.on(blockedTitle, 100, 18 + (rows[kind] ?? 0));
      if (kind === "drag icon") await hand.carry(at);
      else if (kind === "tooltip") await hand.go(at);
      else await hand.click(at, kind === "menu" ? "right" : "left");
    },
    async end(hand) {
      await hand.press("escape");
      const note = (await hand.windows.list()).find(({ kind }) => kind === "notification");
      // The cross in its corner.
      if (note) await hand.click(screenPoint(note.bounds.x + note.bounds.width - 14, note.bounds.y + 14));
      await hand.go(aside);
    },
    async [Symbol.asyncDispose]() {
      await kill(child);
      server.closeAllConnections();
      server.close();
      removeFolderNow(profile);
    },
  };
}
