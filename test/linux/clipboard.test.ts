import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { XClipboard } from "../../src/platform/linux/clipboard.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { XKeyboard } from "../../src/platform/linux/keyboard.ts";
import { readSelection } from "../../src/platform/linux/clipboard/read.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import {
  changePropertyChecked,
  convertSelection,
  createWindow,
  getProperty,
  getSelectionOwner,
  selectionNotify,
  sendEvent,
  setSelectionOwner,
  toNumbers,
} from "../../src/platform/linux/x11/requests.ts";
import { compileSources, type CompiledSources } from "../support/compiled.ts";
import { startFixture } from "../support/fixture.ts";
import { startDesktop, type TestDesktop } from "../support/xvfb.ts";

const sample = 'Héllo wörld — 你好 🎉 ß ñ "quotes" \\back\nsecond line';

let desktop: TestDesktop;

beforeAll(async () => {
  desktop = await startDesktop();
});

afterAll(async () => {
  await desktop[Symbol.asyncDispose]();
});

function openClipboard() {
  const display = new XDisplay(desktop.env);
  const clipboard = new XClipboard(display, { env: desktop.env });
  return {
    clipboard,
    async [Symbol.asyncDispose]() {
      await clipboard[Symbol.asyncDispose]();
      await display[Symbol.asyncDispose]();
    },
  };
}

test("an empty clipboard reads as undefined", async () => {
  await using here = openClipboard();
  expect(await here.clipboard.read()).toBeUndefined();
});

describe("between two connections", () => {
  test.each([
    ["an empty text", ""],
    ["Unicode", sample],
    ["a text of 5 MB", "0123456789abcdé".repeat(320_000)],
  ])("%s arrives unchanged", async (_name, text) => {
    await using here = openClipboard();
    await using there = openClipboard();
    await here.clipboard.write(text);
    expect((await there.clipboard.read()) === text).toBe(true);
  });

  test("the last to write wins, and each reads its own text, too", async () => {
    await using here = openClipboard();
    await using there = openClipboard();
    await here.clipboard.write("one");
    expect(await here.clipboard.read()).toBe("one");
    await there.clipboard.write("two");
    expect(await here.clipboard.read()).toBe("two");
    expect(await there.clipboard.read()).toBe("two");
    await here.clipboard.write("three");
    expect(await there.clipboard.read()).toBe("three");
  });

  test("many concurrent readers all get a long text", async () => {
    const text = "long ".repeat(200_000);
    await using here = openClipboard();
    await here.clipboard.write(text);
    const readers = Array.from({ length: 4 }, () => openClipboard());
    const texts = await Promise.all(readers.map((reader) => reader.clipboard.read()));
    expect(texts.every((read) => read === text)).toBe(true);
    await Promise.all(readers.map((reader) => reader[Symbol.asyncDispose]()));
  });
});

test.each(["gtk3_editor", "gtk4_editor", "qt5_editor", "qt6_editor"])(
  "%s copies to us and pastes from us",
  async (name) => {
    await using editor = await startFixture(name, { env: desktop.env });
    await editor.waitFor((event) => event.event === "focus");
    const display = new XDisplay(desktop.env);
    const keyboard = new XKeyboard(display);
    const clipboard = new XClipboard(display, { env: desktop.env });
    const press = async (...keys: string[]) => {
      for (const key of keys) await keyboard.down(key);
      for (const key of keys.toReversed()) await keyboard.up(key);
    };
    try {
      await clipboard.write(sample);
      await press("ctrl", "v");
      expect(await editor.waitForText(sample)).toBe(sample);
      await clipboard.write("something else");
      await press("ctrl", "a");
      await press("ctrl", "c");
      const copied = await poll(async () => ((await clipboard.read()) === sample ? true : undefined), {
        timeoutMs: 5000,
        everyMs: 20,
      });
      expect(copied).toBe(true);
    } finally {
      await keyboard[Symbol.asyncDispose]();
      await display[Symbol.asyncDispose]();
    }
  },
);

describe("as owner", () => {
  async function ask(target: string) {
    const c = await openConnection(desktop.display, { env: desktop.env });
    const [selection, wanted, property] = await Promise.all(
      ["CLIPBOARD", target, "ANSWER"].map((name) => c.atom(name)),
    );
    const window = createWindow(c, { x: 0, y: 0, width: 1, height: 1, isInputOnly: true });
    const answered = new Promise<number>((resolve) => {
      c.on((event) => {
        if (event.type === "SelectionNotify") resolve(event.property);
      });
    });
    return {
      c,
      window,
      property: property as number,
      async convert() {
        convertSelection(c, {
          requestor: window,
          selection: selection as number,
          target: wanted as number,
          property: property as number,
        });
        return (await answered) === 0 ? undefined : getProperty(c, window, property as number);
      },
      [Symbol.dispose]: () => c.close(),
    };
  }

  test("offers the text targets, and the ones that managers ask for", async () => {
    await using here = openClipboard();
    await here.clipboard.write("x");
    using asking = await ask("TARGETS");
    const offered = toNumbers(await asking.convert());
    const names = [
      "TARGETS",
      "TIMESTAMP",
      "MULTIPLE",
      "SAVE_TARGETS",
      "UTF8_STRING",
      "STRING",
      "text/plain;charset=utf-8",
    ];
    const expected = await Promise.all(names.map((name) => asking.c.atom(name)));
    expect(new Set(offered)).toEqual(new Set(expected));
  });

  test("gives Latin-1 as STRING, with a question mark for other characters", async () => {
    await using here = openClipboard();
    await here.clipboard.write("né 你!");
    using asking = await ask("STRING");
    expect((await asking.convert())?.value.toString("latin1")).toBe("né ?!");
  });

  test("says since when it has owned the text", async () => {
    await using here = openClipboard();
    await here.clipboard.write("x");
    using asking = await ask("TIMESTAMP");
    expect(toNumbers(await asking.convert())[0]).toBeGreaterThan(0);
  });

  test("answers several targets at once and marks those it cannot give", async () => {
    await using here = openClipboard();
    await here.clipboard.write("é");
    using asking = await ask("MULTIPLE");
    const [pair, utf8, picture, one, two] = await Promise.all(
      ["ATOM_PAIR", "UTF8_STRING", "image/png", "ONE", "TWO"].map((name) => asking.c.atom(name)),
    );
    const wanted = [utf8, one, picture, two] as number[];
    await changePropertyChecked(asking.c, asking.window, asking.property, pair as number, { u32: wanted });
    expect(toNumbers(await asking.convert())).toEqual([utf8, one, picture, 0]);
    expect((await getProperty(asking.c, asking.window, one as number))?.value.toString()).toBe("é");
  });

  test("refuses a target it does not have", async () => {
    await using here = openClipboard();
    await here.clipboard.write("x");
    using asking = await ask("image/png");
    expect(await asking.convert()).toBeUndefined();
  });
});

describe("other owners", () => {
  /** An owner that answers targets with values and refuses unknown ones, or never answers at all. */
  async function owner(values: Readonly<Record<string, Buffer>> | "silent") {
    const c = await openConnection(desktop.display, { env: desktop.env });
    const selection = await c.atom("CLIPBOARD");
    const window = createWindow(c, { x: 0, y: 0, width: 1, height: 1, isInputOnly: true });
    const known = new Map<number, Buffer>();
    if (values !== "silent") for (const [name, value] of Object.entries(values)) known.set(await c.atom(name), value);
    c.on((event) => {
      if (event.type !== "SelectionRequest" || values === "silent") return;
      const { requestor, target, property, time } = event;
      const value = known.get(target);
      const write = value ? changePropertyChecked(c, requestor, property, target, value) : Promise.resolve();
      const notice = selectionNotify({ time, requestor, selection, target, property: value ? property : 0 });
      // The owner may disappear while it answers.
      write.then(() => sendEvent(c, notice, { to: requestor })).catch(() => {});
    });
    setSelectionOwner(c, window, selection);
    await c.sync();
    return { [Symbol.dispose]: () => c.close() };
  }

  test("one that only has STRING is read as Latin-1", async () => {
    using _owner = await owner({ STRING: Buffer.from("né", "latin1") });
    await using here = openClipboard();
    expect(await here.clipboard.read()).toBe("né");
  });

  test("one that has no text reads as undefined", async () => {
    using _owner = await owner({ "image/png": Buffer.from("png") });
    await using here = openClipboard();
    expect(await here.clipboard.read()).toBeUndefined();
  });

  test("one that does not answer is a timeout, and a reading can be cancelled before", async () => {
    using _owner = await owner("silent");
    await using here = openClipboard();
    const cancel = new AbortController();
    const reading = here.clipboard.read({ signal: cancel.signal });
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    await expect(here.clipboard.read()).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("after we have gone", () => {
  let sources: CompiledSources;

  beforeAll(async () => {
    sources = await compileSources();
  });

  afterAll(async () => {
    await sources[Symbol.asyncDispose]();
  });

  /** A process that writes the clipboard, closes everything and exits. */
  async function writeAndLeave(text: string, keepAfterExit: boolean): Promise<void> {
    const script = `
      const { XDisplay } = await import(${JSON.stringify(sources.url("platform/linux/display"))});
      const { XClipboard } = await import(${JSON.stringify(sources.url("platform/linux/clipboard"))});
      const display = new XDisplay(process.env);
      const clipboard = new XClipboard(display, { env: process.env, keepAfterExit: ${keepAfterExit} });
      await clipboard.write(${JSON.stringify(text)});
      await clipboard[Symbol.asyncDispose]();
      await display[Symbol.asyncDispose]();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env: desktop.env,
      stdio: "inherit",
    });
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(0);
  }

  const holders = (): string =>
    execFileSync("ps", ["-eo", "pid,args"])
      .toString()
      .split("\n")
      .filter((line) => line.includes(new URL(sources.url("platform/linux/clipboard/holder")).pathname))
      .join("\n");

  test("a server leaves neither the text nor a process", async () => {
    await writeAndLeave(sample, false);
    await using here = openClipboard();
    expect(await here.clipboard.read()).toBeUndefined();
    expect(holders()).toBe("");
  });

  test("a one-shot command leaves the text with a process that ends when another app copies", async () => {
    await writeAndLeave(sample, true);
    await using here = openClipboard();
    expect(await here.clipboard.read()).toBe(sample);
    expect(holders()).not.toBe("");
    await here.clipboard.write("new");
    const gone = await poll(async () => (holders() === "" ? true : undefined), { timeoutMs: 5000, everyMs: 50 });
    expect(gone).toBe(true);
  });

  test("the text goes to the desktop's clipboard manager where there is one", async () => {
    const c = await openConnection(desktop.display, { env: desktop.env });
    const { CLIPBOARD: clipboard, CLIPBOARD_MANAGER: manager } = await c.atoms("CLIPBOARD", "CLIPBOARD_MANAGER");
    const window = createWindow(c, { x: 0, y: 0, width: 1, height: 1, isInputOnly: true });
    const saved: (string | undefined)[] = [];
    c.on((event) => {
      if (event.type !== "SelectionRequest") return;
      void (async () => {
        saved.push(await readSelection(c, clipboard));
        await sendEvent(c, selectionNotify(event), { to: event.requestor });
      })();
    });
    setSelectionOwner(c, window, manager);
    await c.sync();
    expect(await getSelectionOwner(c, manager)).toBe(window);
    await writeAndLeave(sample, true);
    expect(saved).toEqual([sample]);
    expect(holders()).toBe("");
    c.close();
  });
});
